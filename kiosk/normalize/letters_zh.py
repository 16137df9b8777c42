"""Chinese: capitals that are spelled, signs that have a word, and signs that only make a pause."""

from __future__ import annotations

import re
import unicodedata

from kiosk.normalize.numbers_en import roman
from kiosk.normalize.numbers_zh import DIGITS, integer
from kiosk.normalize.rules import Rule, rule

WORDS = frozenset("APP WIFI OK VISA NASA COVID UNESCO OPEC NATO LOGO EMAIL HELLO".split())
"""Capitals that are said as a word."""
_HAN = r"\u3400-\u9fff"


def spell(match: re.Match[str]) -> str:
    """Set the letters of an acronym apart unless it is a word."""
    letters = match.group()
    return letters if letters in WORDS else " ".join(letters)


def _roman(match: re.Match[str]) -> str:
    value = roman(match[1])
    return match.group() if value is None else integer(str(value))


def _left_over(match: re.Match[str]) -> str:
    value = unicodedata.digit(match.group(), None)
    return "" if value is None else DIGITS[value]


SIGNS = {
    "@": "艾特", "&": "和", "+": "加", "=": "等于", "÷": "除以", "±": "正负", "≥": "大于等于", "≤": "小于等于",
    "≈": "约等于", "≠": "不等于", "×": "乘", "√": "根号", "∞": "无穷大", "°": "度", "²": "平方", "³": "立方",
    "¥": "元", "$": "美元", "€": "欧元", "£": "英镑", "%": "百分号", "‰": "千分号", "Ω": "欧姆", "μ": "微",
}  # fmt: skip
_PAUSES = "→←↑↓⇒|"

LETTERS: list[Rule] = [
    rule("centigrade", r"°C(?![A-Za-z])", "摄氏度"),
    rule(
        "letters joined by and",
        r"(?<![A-Za-z])([A-Z]{1,4})&([A-Z]{1,4})(?![A-Za-z])",
        lambda m: f"{' '.join(m[1])} and {' '.join(m[2])}",
    ),
    rule("Roman numeral of a rank", r"(?<=第)\s?([IVX]{1,6})(?=\s?[章节期部卷届类条篇阶])", _roman),
    rule("sharp", r"(?<![A-Za-z])([ACDFG])#(?![\d])", lambda m: f"{m[1]} sharp"),
    rule("acronym", r"(?<![A-Za-z'])[A-Z]{2,5}(?![a-z'])(?![A-Z])", spell),
    rule("sign", "[" + re.escape("".join(SIGNS)) + "]", lambda m: SIGNS[m.group()]),
    rule("arrow", rf"\s?[{re.escape(_PAUSES)}]\s?", "，"),
    rule("slash between Chinese words", rf"(?<=[{_HAN}])\s?[/\\]\s?(?=[{_HAN}])", "、"),
    rule("line of hyphens", r"\s?-{2,}\s?", "，"),
    rule("hyphen between words", rf"(?<=[{_HAN}])\s?-+\s?|\s?-+\s?(?=[{_HAN}])", "，"),
    rule("generations", r"(?<=[二三四五六]G)/(?=[三四五六]G)", "、"),
    rule("mark without sound", r"[#*_^~`\\/<>{}\[\]]+", " "),
    rule("digit left over", r"\d|[⁰¹⁴-⁹₀-₉]", _left_over),
]
