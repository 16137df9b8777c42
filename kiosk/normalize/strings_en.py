"""English: strings of digits that name something (telephones, cards, codes, versions) and are read digit by digit."""

from __future__ import annotations

import re

from kiosk.normalize.calendar_en import COUNTED
from kiosk.normalize.numbers_en import DIGITS, digits, integer
from kiosk.normalize.rules import KEY_CODE, START, Rule, rule

_NAMES = (
    r"(?:card|account|acct\.?|order|tracking|reference|ref\.?|ticket|confirmation|verification|security|pin|passport|id|phone|telephone|tel\.?|"
    r"mobile|fax|extension|ext\.?|zip|postal|access|booking|employee|serial|routing|policy|member|hotline)"
)
_IDENTITY = (
    rf"\b(?:{_NAMES}(?: (?:card|account|code|number|no\.?|id))?|code|passcode|password|pin|otp|digits|ending)"
    r"(?: (?:number|no\.?))?(?: (?:ending|ends))?(?: in)?"
)
"""Words after which a number is an identity."""
_DIALS = r"\b(?:call(?:ing)?(?: us)?|sms|phone|dial(?:l?ing)?|text|ring|hotline|press)"
"""Words after which a number is dialled."""
_LINK = r"(?: (?:is|at|us|our|the|hotline|number))?(?: (?:at|hotline))?(?::| ?#)? ?"
_ONE = r"\+?\(?\d+\)?(?:[ -]\(?\d+\)?)*"
_STRING = rf"{_ONE}(?:(?:, ?| or | and )\d{{3,}}(?![\d:/%]|[.,]\d))*"
_KEYS = {"*": "star", "#": "hash"}
_NOT_A_STRING = (
    r"(?![\d.:/%,]\d|%|\d)(?! (?:times?|minutes?|hours?|days?|weeks?|months?|percent|[ap]\.?m|dollars?|yuan)\b)"
    r"(?!(?:st|nd|rd|th|am|pm|a\.m|p\.m)\b)" + COUNTED
)


def read_string(text: str) -> str:
    """Read an identity or telephone number digit by digit, with a pause between its groups."""
    return ", ".join(digits(group) for group in re.findall(r"\d+", text))


def _keep_words(match: re.Match[str]) -> str:
    return match[1] + re.sub(_ONE, lambda string: read_string(string.group()), match[2])


def _version(match: re.Match[str]) -> str:
    parts = match[2].split(".")
    return f"{match[1].rstrip()} " + (integer(parts[0]) if len(parts) == 1 else " point ".join(map(digits, parts)))


def _code(match: re.Match[str]) -> str:
    letters, figures = match[1], match[2]
    spelled = " ".join(letters) if letters.isupper() else letters
    words = digits(figures) if figures[0] == "0" or len(figures) > 2 else integer(figures)
    following = match.string[match.end() : match.end() + 1]
    return f"{spelled} {words}" + (" " if following.isalpha() else "")


def _keys(match: re.Match[str]) -> str:
    return " ".join(_KEYS.get(char) or digits(char) for char in match.group())


def _room(match: re.Match[str]) -> str:
    return match[1] + " ".join("oh" if c == "0" else DIGITS[int(c)] for c in match[2])


VERSIONS: list[Rule] = [
    rule(
        "four-part address",
        rf"{START}()(\d{{1,3}}(?:\.\d{{1,3}}){{3}})(?![\d.]\d)",
        lambda m: " dot ".join(digits(p) for p in m[2].split(".")),
    ),
    rule("version", r"(?<![A-Za-z])([vV](?:(?:er\.?|ersion) ?)?)(\d+(?:\.\d+){0,4})(?![\d])", _version),
    rule(
        "three-part version", rf"{START}()(\d{{1,3}}(?:\.\d{{1,3}}){{2,4}})(?![\d.]\d)", lambda m: _version(m).strip()
    ),
]

STRINGS: list[Rule] = [
    rule("service code", KEY_CODE, _keys),
    rule(
        "mobile telephone",
        r"(?<![\d.])(?:\+?86[ -]?)?1[3-9]\d(?:[ -]?\d{4}){2}(?!\d)",
        lambda m: read_string(m.group()),
    ),
    rule(
        "international telephone",
        r"(?<![\d.])\+\d{1,3}(?:[ -]?\(?\d{1,4}\)?){2,5}(?!\d)",
        lambda m: read_string(m.group()),
    ),
    rule(
        "telephone with area",
        r"(?<![\d.])(?:1-)?\(?\d{3,4}\)?[ -]\d{3,4}-\d{4}(?!\d)",
        lambda m: read_string(m.group()),
    ),
    rule("telephone in groups", r"(?<![\d.,])0\d{2,4}(?: \d{3,4}){1,3}(?!\d)", lambda m: read_string(m.group())),
    rule("landline", r"(?<![\d.])\(?0\d{2,3}\)?[ -]\d{7,8}(?!\d)", lambda m: read_string(m.group())),
    rule(
        "identity by its name",
        rf"({_IDENTITY}{_LINK})((?<=[#:\s]){_STRING}){_NOT_A_STRING}",
        _keep_words,
        re.IGNORECASE,
    ),
    rule(
        "dialled by its verb", rf"({_DIALS}{_LINK})((?<=[#:\s]){_STRING}){_NOT_A_STRING}", _keep_words, re.IGNORECASE
    ),
    rule(
        "service number",
        rf"{START}(?:95\d{{3}}|100(?:86|10|00)|123(?:06|15|45|78|63))(?![\d.:%,-])(?! [a-z])",
        lambda m: read_string(m.group()),
    ),
    rule(
        "emergency number",
        rf"{START}(?:911|999|110|119|120)(?= (?:emergency|hotline))",
        lambda m: read_string(m.group()),
    ),
    rule(
        "card in groups", r"(?<![\d.])\d{4}(?:[ -]\d{4}){2,4}(?:[ -]\d{1,3})?(?!\d)", lambda m: read_string(m.group())
    ),
    rule("long number", r"(?<![\d.,])\d{11,}(?![\d.,%])", lambda m: read_string(m.group())),
    rule("citizen identity", r"(?<![\d.])(\d{17})[xX](?![\dA-Za-z])", lambda m: read_string(m[1]) + " X"),
    rule(
        "room",
        r"(\b(?:room|suite|flight|gate|port|bus|route|highway|unit) )(\d{3,4})(?![\d,.]\d)",
        _room,
        re.IGNORECASE,
    ),
    rule("letters and number", r"(?<![A-Za-z])([A-Za-z]{1,5})(\d+)(?!\d|[.:]\d|%)", _code),
    rule("leading zero", r"(?<![\d.,:/-])(0\d+)(?![\d.:,/-])", lambda m: digits(m[1])),
    rule("parts joined by hyphens", r"(?<![\dA-Za-z])\d+(?:-\d+){2,}(?!\d)", lambda m: read_string(m.group())),
]
