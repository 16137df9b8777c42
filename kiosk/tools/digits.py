"""Strings of digits said one by one: a card's last four, a code. Gaps, words, pairs and misheard characters."""

from __future__ import annotations

import re

from pypinyin import lazy_pinyin

from kiosk.tools.numbers import chinese_number, english_number
from models.types import Language

_ZH = {
    **{"零": "0", "〇": "0", "洞": "0", "一": "1", "幺": "1", "二": "2", "两": "2", "三": "3", "四": "4"},
    **{"五": "5", "六": "6", "七": "7", "拐": "7", "八": "8", "九": "9"},
}
_SOUNDS = {
    **{"ling": "0", "lin": "0", "yi": "1", "yao": "1", "er": "2", "san": "3", "shan": "3", "si": "4", "shi": "4"},
    **{"wu": "5", "liu": "6", "niu": "6", "qi": "7", "ba": "8", "jiu": "9"},
}
"""How digits sound; 十 is never one of them where it is written."""
_EN = {w: str(n) for n, w in enumerate("zero one two three four five six seven eight nine".split())} | {
    **{"oh": "0", "o": "0", "nought": "0", "won": "1", "to": "2", "too": "2", "for": "4", "fore": "4", "ate": "8"},
}
_EN_PAIRS = re.compile(
    r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[ -](?:one|two|three|four|five|six|"
    r"seven|eight|nine))?|ten|eleven|twelve|\w+teen"
)
_LEAD_ZH = re.compile(r".*?(?:尾号|末?后?四位(?:数字?)?|卡号|密码|验证码|查询码|号码|数字)(?:是|为|就是)?", re.DOTALL)
_CARD_ZH = re.compile(r"(?:尾号|微号|后四位|末四位|卡号)(?:是|为|的)?")
_CODE_ZH = re.compile(r"(?:密码|秘码|验证码|查询码)(?:是|为)?")
_CARD_EN = re.compile(
    r"\b(?:ending(?: in| with)?|ends (?:in|with)|last four(?: digits)?(?: are| is)?|card(?: number)?)\b"
)
_CODE_EN = re.compile(r"\b(?:code|pin|password|passcode)(?: number)?(?: is)?\b")
_GAP = r"[\s,，、.。·\-]*"


def digit_strings(text: str, language: Language) -> tuple[str, ...]:
    """All runs of digits of a text, in order; gaps and thousands' commas do not part one, words do.

    Args:
        text: Written form.
        language: Of the text.
    """
    plain = _chinese(text) if language == "zh" else _english(text)
    joined = re.sub(rf"(?<=\d){_GAP}(?=\d)", "", plain)
    return tuple(re.findall(r"\d+", joined))


def dictated(text: str, language: Language, length: int) -> str | None:
    """The string of exactly so many digits that a text holds; None where there is none, or several.

    Args:
        text: The answer to "which digits": a run of characters that only sound like digits counts, too.
        language: Of the text.
        length: Digits.
    """
    fitting = {digits for digits in digit_strings(text, language) if len(digits) == length}
    if len(fitting) == 1:
        return fitting.pop()
    if fitting or language == "en":
        return None
    heard = _by_sound(_LEAD_ZH.sub("", text, count=1))
    return heard[:length] if len(heard) in (length, length + 1) and _has_tail(text, heard, length) else None


def card_and_code(text: str, language: Language) -> tuple[str | None, str | None]:
    """A card's last four digits and a six-digit code, where a text says which is which.

    Args:
        text: Written form: 尾号4821，密码135790.
        language: Of the text.
    """
    card_mark, code_mark = (_CARD_ZH, _CODE_ZH) if language == "zh" else (_CARD_EN, _CODE_EN)
    lowered = text.lower()
    code_at, card_at = code_mark.search(lowered), card_mark.search(lowered)
    card = code = None
    if card_at is not None:
        end = code_at.start() if code_at is not None and code_at.start() >= card_at.end() else len(text)
        card = dictated(text[card_at.end() : end], language, 4)
    if code_at is not None:
        end = card_at.start() if card_at is not None and card_at.start() >= code_at.end() else len(text)
        code = dictated(text[code_at.end() : end], language, 6)
    return card, code


def _chinese(text: str) -> str:
    digit = "[零〇洞一幺二两三四五六七拐八九]"
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    text = re.sub(
        rf"(?:{digit}|\d)*[十百千万](?:{digit}|\d|[十百千])*",
        lambda match: _whole(chinese_number(match[0])),
        text,
    )
    return re.sub(digit, lambda match: _ZH[match[0]], text)


def _english(text: str) -> str:
    words = re.sub(r"(?<=\d),(?=\d{3})", "", text.lower())
    words = re.sub(r"\bhundred\b", "00", words)
    words = _EN_PAIRS.sub(lambda match: _whole(english_number(match[0])) or match[0], words)
    words = re.sub(
        r"\b(double|triple)\s+(\w+)",
        lambda m: " ".join([_EN.get(m[2], m[2])] * (2 if m[1] == "double" else 3)),
        words,
    )
    digits = [_EN.get(word, word) for word in re.findall(r"[a-z]+|\d+|[^\sa-z\d]+", words)]
    return " ".join(digits)


def _whole(value: object) -> str:
    return "" if value is None else str(value)


def _by_sound(text: str) -> str:
    """The digits of a text in which every character sounds like one; empty if another one is there."""
    digits = ""
    for character in re.sub(r"[^\w]", "", text):
        if character.isascii() and character.isdigit():
            digits += character
        elif character == "十" or (character not in _ZH and lazy_pinyin(character)[0] not in _SOUNDS):
            return ""
        else:
            digits += _ZH.get(character) or _SOUNDS[lazy_pinyin(character)[0]]
    return digits


def _has_tail(text: str, heard: str, length: int) -> bool:
    """Whether what is too much is a particle at the end (吧), not a digit."""
    return len(heard) == length or re.sub(r"\W", "", text).endswith(("吧", "罢"))
