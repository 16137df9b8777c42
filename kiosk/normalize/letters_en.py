"""English: abbreviations, Roman numerals, capitals that are spelled, and signs."""

from __future__ import annotations

import re

from kiosk.normalize.numbers_en import integer, ordinal, roman
from kiosk.normalize.rules import Rule, rule

_ABBREVIATIONS = {
    "Dr": "Doctor", "Mr": "Mister", "Mrs": "Missus", "Ms": "Ms", "Prof": "Professor", "Gen": "General",
    "Gov": "Governor", "Sgt": "Sergeant", "Capt": "Captain", "Lt": "Lieutenant", "Rev": "Reverend",
    "Sen": "Senator", "Jr": "Junior", "Sr": "Senior", "Ave": "Avenue", "Rd": "Road", "Blvd": "Boulevard",
    "Apt": "Apartment", "Dept": "Department", "Inc": "Incorporated", "Ltd": "Limited", "Corp": "Corporation",
    "Co": "Company", "vs": "versus", "etc": "et cetera", "e.g": "for example", "i.e": "that is",
    "approx": "approximately", "est": "established", "min": "minimum", "max": "maximum", "incl": "including",
    "excl": "excluding", "tel": "telephone", "Tel": "Telephone", "ext": "extension", "Ext": "Extension",
    "Fig": "Figure", "Vol": "Volume", "Mt": "Mount", "dept": "department", "hrs": "hours", "acct": "account",
    "Mon": "Monday", "Tue": "Tuesday", "Tues": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday",
    "Thur": "Thursday", "Thurs": "Thursday", "Fri": "Friday", "Sat": "Saturday", "Sun": "Sunday",
    "Bldg": "Building", "Rm": "Room", "Fl": "Floor",
    "Jan": "January", "Feb": "February", "Aug": "August", "Sept": "September", "Oct": "October",
    "Nov": "November", "Dec": "December", "No": "Number",
}  # fmt: skip
_SHORT = "|".join(re.escape(key) for key in sorted(_ABBREVIATIONS, key=len, reverse=True))
_TITLES = frozenset(
    (
        "Dr",
        "Mr",
        "Mrs",
        "Ms",
        "Prof",
        "Gen",
        "Gov",
        "Sgt",
        "Capt",
        "Lt",
        "Rev",
        "Sen",
        "Mt",
        "Fig",
        "Vol",
        "No",
        "e.g",
        "i.e",
        "vs",
    )
)
"""Abbreviations that never end a sentence; after the others a capital begins a new one."""
_SENTENCE_WORDS = frozenset(("No", "Sun", "Sat", "min", "max", "est"))
"""Abbreviations that are words too: read as such unless something follows in the same sentence."""

SPELLED = frozenset("HDMI ISBN OLED ISIN ICBC IEEE AAPL AIGC".split())
"""Capitals with vowels that are spelled all the same."""
WORDS = frozenset(
    "OK NASA PIN SIM VISA COVID UNESCO OPEC NATO LAN RAM ROM GIF APP WIFI A I AN AND ARE AS AT BE BUT BY CAN "
    "DO FOR FROM GET GO HAS HAVE HE HERE HOW IF IN IS IT ITS MAY ME MY NEW NO NOT NOW OF ON ONE OPEN OR OUR "
    "OUT OFF PAY SHE SO THE TO TOO UP USE WAS WE WHO WHY YES YOU YOUR ALL ANY ASK DAY END FREE HELP HI HELLO "
    "STOP WAIT LINE EXIT CASH BANK CARD LOAN PUSH PULL SALE".split()
)
"""Capitals that are said as a word."""
_COMPARED = {"YoY": "year on year", "QoQ": "quarter on quarter", "MoM": "month on month"}
_HEADINGS = (
    "Chapter|Part|Section|Volume|Vol|Book|Act|Scene|Article|Appendix|Phase|Stage|Type|Class|Level|Tier|Grade|Category|Unit|Module|Figure|Table|"
    "Schedule|Annex|Title|Version|Round|Step|World War|War"
)
_REIGNS = (
    "Henry|Louis|Elizabeth|Charles|George|James|Edward|William|Richard|Philip|Napoleon|Pope|King|Queen|Emperor|Tsar|Paul|John|Pius|Benedict|"
    "Leo|Francis|Frederick|Peter|Catherine|Alexander|Nicholas|Ivan|Mary|Ferdinand|Carlos|Felipe|Gregory"
)


def _abbreviation(match: re.Match[str]) -> str:
    key = match[1]
    following = match.string[match.end() : match.end() + 8]
    ends = key not in _TITLES and re.match(r"[\"')\]]*\s*$|\s+[A-Z]", following) is not None
    if key in _SENTENCE_WORDS and re.match(r"\s*$|\s+[A-Z]|[^\s]", following) and not re.match(r"\s*\d", following):
        return match.group()
    return _ABBREVIATIONS[key] + ("." if ends else "")


def _street(match: re.Match[str]) -> str:
    return "Street"


def _roman_heading(match: re.Match[str]) -> str:
    value = roman(match[2])
    return match.group() if value is None else match[1] + integer(str(value))


def _roman_reign(match: re.Match[str]) -> str:
    value = roman(match[2])
    return match.group() if value is None else f"{match[1]}the {ordinal(str(value))}"


def _acronym(match: re.Match[str]) -> str:
    letters, plural = match[1], match[2]
    if letters in WORDS or (letters not in SPELLED and len(letters) > 3 and re.search("[AEIOUY]", letters)):
        return match.group()
    return " ".join(letters) + ("'s" if plural else "")


SIGNS = {
    "@": "at", "&": "and", "+": "plus", "=": "equals", "÷": "divided by", "±": "plus or minus", "≥": "at least",
    "≤": "at most", "≈": "about", "≠": "is not", "×": "times", "∞": "infinity", "°": "degrees", "²": "squared",
    "³": "cubed", "¥": "yuan", "$": "dollars", "€": "euros", "£": "pounds", "%": "percent", "‰": "per mille",
    "Ω": "ohms", "√": "square root of",
}  # fmt: skip

ABBREVIATIONS: list[Rule] = [
    rule(
        "weekdays and months written short",
        r"(?<![A-Za-z.])(e\.g|i\.e)\.?(?![A-Za-z])(?=[\s,:]|$)",
        lambda m: _ABBREVIATIONS[m[1]],
    ),
    rule("saint", r"\bSt\.? (?=[A-Z][a-z]+)(?<!\d )", "Saint "),
    rule("street", r"(?<=[a-z] )St\.?(?![A-Za-z])|(?<=\d(?:st|nd|rd|th) )St\.", _street),
    rule(
        "dotted capitals",
        r"(?<![A-Za-z.])(?:[A-Z]\.){2,6}(?![A-Za-z])",
        lambda m: " ".join(m.group().replace(".", "")),
    ),
    rule("degree", r"\bPh\.?D\.?(?![A-Za-z])", "P H D"),
    rule(
        "abbreviation",
        rf"(?<![A-Za-z.'])({_SHORT})\.(?![A-Za-z0-9])",
        _abbreviation,
    ),
    rule(
        "number before its words",
        r"\b[Nn]os?\. (?=(?:zero|one|two|three|four|five|six|seven|eight|nine)\b)",
        "number ",
    ),
    rule("compared with before", r"\b(?:YoY|QoQ|MoM)\b", lambda m: _COMPARED[m.group()]),
    rule("without", r"(?<![A-Za-z])w/o(?![A-Za-z])", "without"),
    rule("per year", r"(?<![A-Za-z])p\.a\.?(?![A-Za-z])", "per annum"),
    rule("page", r"(?<![A-Za-z.])pp\. (?=[a-z]+)", "pages "),
    rule("one page", r"(?<![A-Za-z.])p\. (?=[a-z]+)", "page "),
    rule("with", r"(?<![A-Za-z])w/(?=\s?[a-z])", "with "),
]

LETTERS: list[Rule] = [
    rule("arrow or bar", "[→←↑↓⇒|]", ", "),
    rule(
        "World War written short",
        r"\bWW ?(I{1,2})(?![A-Za-z'])",
        lambda m: "World War " + ("one" if m[1] == "I" else "two"),
    ),
    rule("World War", r"\b(World War )(I{1,3})(?![A-Za-z'])", _roman_heading),
    rule(
        "Roman numeral after its heading",
        rf"\b((?:{_HEADINGS})\.? )([IVXLC]{{2,8}}|[VX])(?![A-Za-z'])",
        _roman_heading,
    ),
    rule("Roman one after its heading", rf"\b((?:{_HEADINGS}) )(I)(?=\s*(?:[.,:;)!?]|$))", _roman_heading),
    rule("regnal one", rf"\b((?:{_REIGNS}) )(I)(?=\s*(?:[.,:;)!?]|$))", _roman_reign),
    rule("regnal number", rf"\b((?:{_REIGNS}) )([IVX]{{2,6}}|[VX])(?![A-Za-z'])", _roman_reign),
    rule(
        "regnal number after two names", rf"\b((?:{_REIGNS}) [A-Z][a-z]+ )([IVX]{{2,6}})(?![A-Za-z'])", _roman_reign
    ),
    rule(
        "Roman numeral after a name",
        r"(\b[A-Z][a-z]+ )(I{2,3}|IV|VI{1,3}|IX|XI{1,3}|XIV|XVI{0,3}|XIX|XX)(?![A-Za-z'])",
        _roman_heading,
    ),
    rule(
        "letters joined by and",
        r"(?<![A-Za-z])([A-Z]{1,4})&([A-Z]{1,4})(?![A-Za-z])",
        lambda m: f"{' '.join(m[1])} and {' '.join(m[2])}",
    ),
    rule("centigrade", r"°C(?![A-Za-z])", "degrees Celsius"),
    rule("fahrenheit", r"°F(?![A-Za-z])", "degrees Fahrenheit"),
    rule("sharp", r"(?<![A-Za-z])([ACDFG])#(?!\d)", lambda m: f"{m[1]} sharp"),
    rule("key", r"(?<=press )#|#(?= (?:key|to|for)\b)", "hash"),
    rule("long acronym", r"(?<![A-Za-z'])[B-DF-HJ-NP-TV-XZ]{6,11}(?![A-Za-z'])", lambda m: " ".join(m.group())),
    rule("acronym", r"(?<![A-Za-z'])([A-Z]{2,5})(s?)(?![A-Za-z'])", _acronym),
    rule("per", r"(?<=[a-z]) ?/ ?(?=(?:month|year|day|hour|week|person|transaction|night|minute|second)\b)", " per "),
    rule("either", r"\band/or\b", "and or"),
    rule("sign", "[" + re.escape("".join(SIGNS)) + "]", lambda m: f" {SIGNS[m.group()]} "),
    rule("hyphen that is a dash", r"(?<=\s)-+(?=\s)", "—"),
    rule("mark without sound", r"[#*_^~`\\/<>{}\[\]]+", " "),
]
