"""Figures of a question with what they count: money, terms, rates, how many. Digits or words, Chinese or English."""

from __future__ import annotations

import calendar
import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import cn2an

from models.types import Language

MAX_FIGURE = Decimal(10) ** 12
"""Larger ones are a mishearing."""
LEAST_BARE_AMOUNT = 100
"""Without a currency, a smaller figure may be anything."""


class Unit(enum.Enum):
    """What stands behind a figure."""

    NONE = enum.auto()
    """Nothing that is known here."""
    MONEY = enum.auto()
    """Yuan."""
    YEARS = enum.auto()
    """As a length of time."""
    MONTHS = enum.auto()
    """As a length of time."""
    PERCENT = enum.auto()
    """Of a rate."""
    TIMES = enum.auto()
    """Transactions or the like."""
    DATE = enum.auto()
    """Part of a date or of a time of day."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a text."""

    value: Decimal
    """At least 0."""
    unit: Unit
    """What it counts."""


_ZH_DIGITS = "零〇一二两俩三四五六七八九"
_ZH_FIGURE = re.compile(
    rf"(?P<percent>百分之)?(?P<number>(?:\d[\d,，]*(?:\.\d+)?|[{_ZH_DIGITS}十百千万亿]|(?<=[{_ZH_DIGITS}十])点(?=[{_ZH_DIGITS}]))+)"
    r"(?P<unit>\s*(?:元|块|人民币|圆|年|个?月(?!\d*[日号]|[供均还付])|%|％|个点|笔|条|次|号|日|点|天|岁))?(?P<half>半)?"
)
_ZH_UNITS = {
    **dict.fromkeys(("元", "块", "人民币", "圆"), Unit.MONEY),
    "年": Unit.YEARS,
    "个月": Unit.MONTHS,
    **dict.fromkeys(("%", "％", "个点"), Unit.PERCENT),
    **dict.fromkeys(("笔", "条", "次"), Unit.TIMES),
    **dict.fromkeys(("月", "号", "日", "点", "天", "岁"), Unit.DATE),
}
_EN_SMALL = {
    **{w: n for n, w in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())},
    **{w: 13 + n for n, w in enumerate("thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split())},
    **{w: 20 + 10 * n for n, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())},
    "fourty": 40,
}
_EN_LARGE = {"hundred": 100, "thousand": 1000, "k": 1000, "grand": 1000, "million": 10**6}
_EN_WORD = "|".join([*_EN_SMALL, *_EN_LARGE])
_EN_FIGURE = re.compile(
    rf"(?<![\w.])(?:(?:an? )?(?=(?:hundred|thousand|million)\b)|)"
    rf"(?P<number>(?:\d[\d,]*(?:\.\d+)?|\b(?:{_EN_WORD})\b)"
    rf"(?:(?:[\s-]+(?:and\s+|point\s+)?|)(?:\b(?:{_EN_WORD})\b|(?<=\d)(?:k|million|thousand)\b))*)"
    r"(?P<unit>[\s-]*(?:yuan|rmb|cny|kuai|bucks|dollars?|years?|yrs?|months?|%|per ?cent|transactions?|payments?|"
    r"purchases?|entries|items?|st|nd|rd|th|am|pm|o'clock)(?![a-z]))?(?P<half>\s+and a half)?",
    re.IGNORECASE,
)
_EN_UNITS = (
    (re.compile(r"yuan|rmb|cny|kuai|bucks|dollar"), Unit.MONEY),
    (re.compile(r"year|yr"), Unit.YEARS),
    (re.compile(r"month"), Unit.MONTHS),
    (re.compile(r"%|per"), Unit.PERCENT),
    (re.compile(r"trans|pay|purch|entr|item"), Unit.TIMES),
    (re.compile(r"st|nd|rd|th|am|pm|o'clock"), Unit.DATE),
)
_CURRENCY_BEFORE = re.compile(r"[¥￥$]\s*(?=\d)|\b(?:rmb|cny)\s*(?=\d)", re.IGNORECASE)
_RATE_ZH = re.compile(r"(?:年?利率|年化|按)(?:是|为|按|算)?$")
_RATE_EN = re.compile(r"\b(?:rate (?:of|is)|interest (?:of|is)|at)\s*$", re.IGNORECASE)
_YEAR_BEFORE = re.compile(rf"\b(?:in|of|since|{'|'.join(calendar.month_name[1:])})\s*$", re.IGNORECASE)
_VAGUE_BEFORE = re.compile(r"\b(?:several|few|many|some)\s*$", re.IGNORECASE)
_LATEST_YEAR, _FIRST_YEAR = 2100, 1900


def figures(text: str, language: Language) -> tuple[Figure, ...]:
    """All figures of a text, in order.

    Args:
        text: Written form; half a year counts as six months.
        language: Of the text.
    """
    return tuple(_chinese(text) if language == "zh" else _english(text))


def amount(text: str, language: Language, *, is_asked: bool = False) -> Decimal | None:
    """The amount of money in a text, in yuan; None where there is none, or several.

    Args:
        text: Written form.
        language: Of the text.
        is_asked: The visitor was asked for it: any figure will do.
    """
    found = [f.value for f in figures(text, language)]
    sure = [f.value for f in figures(text, language) if f.unit is Unit.MONEY]
    bare = [f.value for f in figures(text, language) if f.unit is Unit.NONE and f.value >= LEAST_BARE_AMOUNT]
    for candidates in (sure, bare, found if is_asked else []):
        different = {value for value in candidates if value > 0}
        if different:
            only = different.pop()
            return only if not different and only == round(only, 2) else None
    return None


def months(text: str, language: Language, *, is_asked: bool = False) -> int | None:
    """The length of time in a text, in months; None where there is none, or several.

    Args:
        text: Written form.
        language: Of the text.
        is_asked: The visitor was asked for it: a figure alone means years.
    """
    found = figures(text, language)
    lengths = [f.value * 12 for f in found if f.unit is Unit.YEARS]
    lengths += [f.value for f in found if f.unit is Unit.MONTHS]
    if not lengths and is_asked and len(found) == 1 and found[0].unit is Unit.NONE:
        lengths = [found[0].value * 12]
    total = Decimal(0)
    if len(set(lengths)) == 1:
        total = lengths[0]
    elif _is_sum(text, language, found):
        total = sum(lengths, total)
    return int(total) if total > 0 and total == total.to_integral_value() else None


def rate(text: str, language: Language, *, is_asked: bool = False) -> Decimal | None:
    """The yearly rate in a text, in per cent; None where there is none, or several.

    Args:
        text: Written form.
        language: Of the text.
        is_asked: The visitor was asked for it: a figure alone will do.
    """
    found = figures(text, language)
    rates = {f.value for f in found if f.unit is Unit.PERCENT}
    if not rates and is_asked and len(found) == 1 and found[0].unit is Unit.NONE:
        rates = {found[0].value}
    return rates.pop() if len(rates) == 1 else None


def count(text: str, language: Language, *, is_asked: bool = False) -> int | None:
    """How many transactions or the like are asked for; None where it is not said.

    Args:
        text: Written form.
        language: Of the text.
        is_asked: A figure alone will do.
    """
    found = figures(text, language)
    counts = [f.value for f in found if f.unit is Unit.TIMES or (is_asked and f.unit is Unit.NONE)]
    return int(counts[0]) if len(counts) == 1 and counts[0] == counts[0].to_integral_value() else None


def chinese_number(text: str) -> Decimal | None:
    """The value of a Chinese number as people say it: 三万五 is 35,000, 5万 is 50,000, 三点一 is 3.1.

    Args:
        text: Figures, Chinese or Arabic or both, without a unit.
    """
    plain = re.sub("[,，]", "", text).replace("〇", "零").replace("俩", "两")
    for mark, unit in (("亿", 10**8), ("万", 10**4)):
        if mark in plain:
            high, _, low = plain.partition(mark)
            above, below = chinese_number(high), chinese_number(low) if low else Decimal(0)
            if above is None or below is None:
                return None
            is_short = len(low) == 1  # 三万五 leaves the thousand unsaid
            return above * unit + below * (unit // 10 if is_short else 1)
    mixed = re.fullmatch(r"(\d+(?:\.\d+)?)([千百])(\d|)(百?)", plain)
    if mixed is not None:
        unit = 1000 if mixed[2] == "千" else 100
        return Decimal(mixed[1]) * unit + Decimal(mixed[3] or 0) * (unit // 10)
    try:
        value = Decimal(plain) if re.fullmatch(r"\d+(?:\.\d+)?", plain) else Decimal(str(cn2an.cn2an(plain, "smart")))
    except (ValueError, KeyError, InvalidOperation):
        return None
    return value if 0 <= value < MAX_FIGURE else None


def english_number(text: str) -> Decimal | None:
    """The value of an English number in words or figures or both: fifty thousand, 50k, three point five.

    Args:
        text: Words of numbers only.
    """
    whole, total, decimals = Decimal(0), Decimal(0), ""
    is_fraction = False
    for token in re.findall(r"\d[\d,]*(?:\.\d+)?|[a-z]+", text.lower()):
        if token in ("and", "a", "an"):
            continue
        if token == "point":
            is_fraction = True
        elif is_fraction and token in _EN_SMALL and _EN_SMALL[token] < 10:
            decimals += str(_EN_SMALL[token])
        elif token[0].isdigit():
            whole += Decimal(token.replace(",", ""))
        elif token in _EN_SMALL:
            whole += _EN_SMALL[token]
        elif token == "hundred":
            whole = (whole or Decimal(1)) * 100
        elif token in _EN_LARGE:
            value = (whole or Decimal(1)) + (Decimal(f"0.{decimals}") if decimals else 0)
            total, whole, decimals, is_fraction = total + value * _EN_LARGE[token], Decimal(0), "", False
        else:
            return None
    value = total + whole + (Decimal(f"0.{decimals}") if decimals else 0)
    return value if 0 <= value < MAX_FIGURE else None


def _chinese(text: str) -> Iterator[Figure]:
    bare = text.replace("半年", "6个月").replace("俩月", "2个月")
    bare = re.sub(rf"([万千])(?=[{_ZH_DIGITS}\d十]{{1,3}}(?:年|个月))", r"\1 ", bare)  # 五万 三年, not 五万三
    for match in _ZH_FIGURE.finditer(bare):
        value = chinese_number(match["number"])
        if value is None:
            continue
        unit = Unit.PERCENT if match["percent"] else _ZH_UNITS.get((match["unit"] or "").strip(), Unit.NONE)
        before = bare[: match.start()]
        if unit is Unit.NONE and _RATE_ZH.search(before) and value < LEAST_BARE_AMOUNT:
            unit = Unit.PERCENT
        if unit is Unit.YEARS and _FIRST_YEAR < value < _LATEST_YEAR:
            unit = Unit.DATE
        if unit is Unit.NONE and _CURRENCY_BEFORE.search(before[-6:] + "0"):
            unit = Unit.MONEY
        yield Figure(value + (Decimal("0.5") if match["half"] else 0), unit)


def _english(text: str) -> Iterator[Figure]:
    bare = re.sub(r"\bhalf a year\b", "6 months", text, flags=re.IGNORECASE)
    bare = re.sub(r"\b(for|over|in) an? (year|month)\b", r"\1 1 \2", bare, flags=re.IGNORECASE)
    bare = re.sub(r"\b(?:a|per) (?:year|month)\b(?! and a half)", " ", bare, flags=re.IGNORECASE)
    bare = re.sub(r"\ba (?=year and a half)", "1 ", bare, flags=re.IGNORECASE)
    bare = re.sub(r"\b(\w+) and a half (year|month)s?", r"\1 \2 and a half", bare, flags=re.IGNORECASE)
    for match in _EN_FIGURE.finditer(bare):
        value = english_number(match["number"])
        if value is None or _VAGUE_BEFORE.search(bare[: match.start()]):
            continue
        behind = (match["unit"] or "").lower()
        unit = (
            next((unit for pattern, unit in _EN_UNITS if pattern.search(behind)), Unit.NONE) if behind else Unit.NONE
        )
        before = bare[: match.start()]
        if unit is Unit.NONE and _RATE_EN.search(before) and value < LEAST_BARE_AMOUNT:
            unit = Unit.PERCENT
        if unit is Unit.NONE and re.search(r"[¥￥$]\s*$|\b(?:rmb|cny)\s*$", before, re.IGNORECASE):
            unit = Unit.MONEY
        if unit is Unit.NONE and _YEAR_BEFORE.search(before) and _FIRST_YEAR < value < _LATEST_YEAR:
            unit = Unit.DATE
        yield Figure(value + (Decimal("0.5") if match["half"] else 0), unit)


def _is_sum(text: str, language: Language, found: tuple[Figure, ...]) -> bool:
    """One year and six months: two lengths that are meant together."""
    units = [f.unit for f in found if f.unit in (Unit.YEARS, Unit.MONTHS)]
    joint = r"年零?\S{1,3}个月" if language == "zh" else r"years?,? (?:and )?\S+ months?"
    return units == [Unit.YEARS, Unit.MONTHS] and re.search(joint, text) is not None
