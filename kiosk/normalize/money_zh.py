"""Chinese: amounts of money; the unit goes behind the number."""

from __future__ import annotations

import re
from decimal import Decimal

from kiosk.normalize.numbers_zh import quantity
from kiosk.normalize.rules import DASH, NUMBER, START, Rule, clause_around, rule

_TO = rf"(?:\s?{DASH}\s?|\s?[至到]\s?)"
_MAGNITUDE = r"(?:百万|千万|百亿|千亿|万亿|[百千万亿])"
_CURRENCIES = {
    "¥": "元", "CN¥": "元", "RMB": "元", "CNY": "元", "$": "美元", "US$": "美元", "USD": "美元", "HK$": "港元",
    "HKD": "港元", "€": "欧元", "EUR": "欧元", "£": "英镑", "GBP": "英镑", "JP¥": "日元", "JPY": "日元",
    "₩": "韩元", "KRW": "韩元", "A$": "澳元", "AUD": "澳元", "C$": "加元", "CAD": "加元", "NT$": "新台币",
    "TWD": "新台币", "S$": "新加坡元", "SGD": "新加坡元", "₽": "卢布", "CHF": "瑞士法郎",
}  # fmt: skip
_SIGNS = r"CN¥|JP¥|HK\$|US\$|NT\$|A\$|C\$|S\$|[¥$€£₩₽]"
_CODES = "RMB|CNY|USD|HKD|EUR|GBP|JPY|KRW|AUD|CAD|TWD|SGD|CHF"
_NAMES = "元|块|人民币|美元|欧元|英镑|港元|港币|日元|韩元|万元|亿元"
_ENGLISH_MAGNITUDES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}


def _english_magnitude(match: re.Match[str]) -> str:
    value = Decimal(match[1].replace(",", "")) * _ENGLISH_MAGNITUDES[match[2]]
    return f"{value.normalize():f}"


def _money(match: re.Match[str]) -> str:
    minus, sign, minus_after, low, low_scale, high, high_scale, name = match.groups()
    unit = _CURRENCIES[sign.upper()]
    if sign == "¥" and re.search("日元|日圆|JPY|yen", clause_around(match), re.IGNORECASE):
        unit = "日元"
    following = low_scale or unit
    words = quantity(low, ("到" + high if high else "") + following) + (low_scale or "")
    if high:
        words += "到" + quantity(high, high_scale or unit) + (high_scale or "")
    return ("负" if minus or minus_after else "") + words + (name if name and name.endswith(unit) else unit)


def _money_code_after(match: re.Match[str]) -> str:
    unit = _CURRENCIES[match[3].upper()]
    return quantity(match[1], match[2] or unit) + (match[2] or "") + unit


_SHORT_SCALES = {"k": 3, "K": 3, "m": 6, "M": 6, "mn": 6, "B": 9, "b": 9, "bn": 9, "w": 4, "W": 4, "T": 12, "tn": 12}


def _short_scale(match: re.Match[str]) -> str:
    return f"{match[1]}{Decimal(match[2].replace(',', '')) * 10 ** _SHORT_SCALES[match[3]]:f}"


MONEY: list[Rule] = [
    rule(
        "amount with a scale written short",
        rf"((?:{_SIGNS})\s?-?)({NUMBER})(mn|bn|tn|[kKmMbBwWT])(?![A-Za-z0-9/])",
        _short_scale,
    ),
    rule(
        "English magnitude", rf"{START}({NUMBER}) (thousand|million|billion|trillion)(?![A-Za-z])", _english_magnitude
    ),
    rule("cents that are nought", rf"(?<=\d)\.00?(?=\s?(?:{_NAMES}))", ""),
    rule("cents that are nought after a sign", rf"((?:{_SIGNS})\s?-?\d[\d,]{{0,20}})\.00?(?![\d.])", lambda m: m[1]),
    rule(
        "money with its sign in front",
        rf"((?<![\dA-Za-z年月日])-)?((?:{_SIGNS})|(?<![A-Za-z/])(?:{_CODES}))\s?(-)?({NUMBER})\s?({_MAGNITUDE})?"
        rf"(?:{_TO}(?:{_SIGNS})?\s?({NUMBER})(?![\d:%])\s?({_MAGNITUDE})?)?(元|人民币元|美元|欧元|英镑|港元|日元|韩元)?",
        _money,
    ),
    rule(
        "money with its code behind",
        rf"{START}({NUMBER})\s?({_MAGNITUDE})?\s?({_CODES})(?![A-Za-z])",
        _money_code_after,
    ),
]
