"""Days and months that a question names, relative to today: 上个月, 五月, 去年12月, last week, in May."""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Callable

from kiosk.tools.numbers import chinese_number, english_number
from kiosk.tools.periods import Period
from kiosk.tools.sounds import respell
from models.types import Language

MAX_PAST_MONTHS = 18
"""Longer stretches are not looked up."""
_MONTH_ZH = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
TERMS = (
    *(
        "上个月",
        "上上个月",
        "这个月",
        "本月",
        "上月",
        "今年",
        "去年",
        "前年",
        "昨天",
        "今天",
        "前天",
        "上周",
        "这周",
        "本周",
    ),
    *("明天", "后天", "上个星期", "这个星期", "上星期", "上礼拜", "最近", "过去", "个月", "现在", "这会", "今晚"),
    *(f"{month}月" for month in _MONTH_ZH),
    *(f"{month}月份" for month in _MONTH_ZH),
)
"""Written with their own characters before a date is read."""
_ENGLISH_MONTHS = {
    name.lower(): number
    for names in (calendar.month_name, calendar.month_abbr, ["", *[""] * 8, "sept"])
    for number, name in enumerate(names)
    if name
}
_NUMBER_ZH = r"(?:\d{1,2}|[一二两三四五六七八九十]{1,3})"
_NAMED_ZH = re.compile(
    rf"(?:(?P<year>\d{{4}}|[二零〇一二三四五六七八九]{{4}})年|(?P<relative>今年|去年|前年)的?)?"
    rf"(?P<month>{_NUMBER_ZH})月份?(?:(?P<day>{_NUMBER_ZH})[日号])?(?!\d)"
)
_SPAN_ZH = re.compile(rf"(?:最近|过去|近)的?(?P<count>{_NUMBER_ZH}|半)(?P<unit>个月|年|天|周|个星期)")
_MONTH_EN = "|".join(sorted(_ENGLISH_MONTHS, key=len, reverse=True))
_NAMED_EN = re.compile(
    rf"\b(?P<month>{_MONTH_EN})\b\.?(?:\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d))?"
    r"(?:,?\s+(?:of\s+)?(?:(?P<year>\d{4})|(?P<relative>last|this) year))?",
    re.IGNORECASE,
)
_SPAN_EN = re.compile(
    r"\b(?:last|past|previous)\s+(?P<count>\d{1,2}|[a-z]+)\s+(?P<unit>month|year|day|week)s\b", re.IGNORECASE
)
_MAY_VERB = re.compile(r"\b(?:may|march)\s+(?:i|you|we|it|be|have)\b", re.IGNORECASE)


def period(text: str, language: Language, today: datetime.date) -> Period | None:
    """The stretch of days that a text names; None where it names none, or one that has not begun.

    A month without a year is the latest one that has begun.

    Args:
        text: Written form, perhaps misheard.
        language: Of the text.
        today: What "last month" is measured from.
    """
    found = _chinese(respell(text, TERMS), today) if language == "zh" else _english(text.lower(), today)
    return None if found is None or found.start > today else found


def day(text: str, language: Language, today: datetime.date) -> Period | None:
    """Today, tomorrow or the day after, where a text names it or says "now"."""
    words = _DAYS_ZH if language == "zh" else _DAYS_EN
    text = respell(text, TERMS) if language == "zh" else text.lower()
    for pattern, offset in words:
        if re.search(pattern, text):
            named = today + datetime.timedelta(offset)
            return Period(named, named)
    return None


_DAYS_ZH = (("后天", 2), ("明天|明早", 1), ("今天|今晚|现在|这会儿?|目前", 0))
_DAYS_EN = (
    (r"\bday after tomorrow", 2),
    (r"\btomorrow", 1),
    (r"\b(?:today|tonight|now|currently|at the moment|still open)\b", 0),
)


def _chinese(text: str, today: datetime.date) -> Period | None:
    match = _SPAN_ZH.search(text)
    if match is not None:
        unit = {"个月": "month", "年": "year", "天": "day"}.get(match["unit"], "week")
        number = 0.5 if match["count"] == "半" else float(chinese_number(match["count"]) or 0)
        return _span(number, unit, today)
    match = _NAMED_ZH.search(text)
    if match is not None and not text[match.end() :].startswith("个"):
        year = _year_zh(match["year"], match["relative"], today)
        month, day_number = chinese_number(match["month"]), chinese_number(match["day"]) if match["day"] else None
        return _named(year, int(month or 0), int(day_number) if day_number else None, today)
    return _relative(_RELATIVE_ZH, text, today) or _year_alone(text, today)


def _english(text: str, today: datetime.date) -> Period | None:
    text = _MAY_VERB.sub(" ", text)
    match = _SPAN_EN.search(text)
    if match is not None:
        number = english_number(match["count"])
        return None if number is None else _span(float(number), match["unit"], today)
    match = _NAMED_EN.search(text)
    if match is not None:
        year = int(match["year"]) if match["year"] else None
        before = re.search(r"\b(last|this) (?:year'?s? )?$", text[: match.start()])
        if match["relative"]:
            year = today.year - (match["relative"] == "last")
        elif before is not None and "year" in before[0]:
            year = today.year - (before[1] == "last")
        return _named(year, _ENGLISH_MONTHS[match["month"]], int(match["day"]) if match["day"] else None, today)
    return _relative(_RELATIVE_EN, text, today)


def _year_zh(written: str | None, relative: str | None, today: datetime.date) -> int | None:
    if relative:
        return today.year - ("今年", "去年", "前年").index(relative)
    if written is None:
        return None
    return int(written) if written.isdecimal() and written.isascii() else _digits_zh(written)


def _digits_zh(written: str) -> int:
    return int("".join(str("零一二三四五六七八九".index("零" if c == "〇" else c)) for c in written))


def _year_alone(text: str, today: datetime.date) -> Period | None:
    match = re.search(r"(20\d\d)年", text)
    return Period.year(int(match[1])) if match and int(match[1]) <= today.year else None


def _named(year: int | None, month: int, number: int | None, today: datetime.date) -> Period | None:
    if not 1 <= month <= 12:
        return None
    if year is None:
        year = today.year - ((month, number or 1) > (today.month, today.day))
    if number is None:
        return Period.month(year, month)
    try:
        named = datetime.date(year, month, number)
    except ValueError:
        return None
    return Period(named, named)


def _span(number: float, unit: str, today: datetime.date) -> Period | None:
    """The past so many months and the like, up to today."""
    if unit in ("month", "year"):
        months = int(number * (12 if unit == "year" else 1))
        if not 1 <= months <= MAX_PAST_MONTHS:
            return None
        first = _month_before(today, months)
        last = calendar.monthrange(first.start.year, first.start.month)[1]
        return Period(first.start.replace(day=min(today.day, last)), today)
    days = int(number * (7 if unit == "week" else 1))
    return Period(today - datetime.timedelta(days - 1), today) if 1 <= days <= 366 else None


def _month_before(today: datetime.date, months: int) -> Period:
    number = today.year * 12 + today.month - 1 - months
    return Period.month(number // 12, number % 12 + 1)


def _week(today: datetime.date, weeks_ago: int) -> Period:
    monday = today - datetime.timedelta(today.weekday() + 7 * weeks_ago)
    return Period(monday, monday + datetime.timedelta(6))


def _one_day(today: datetime.date, days_ago: int) -> Period:
    named = today - datetime.timedelta(days_ago)
    return Period(named, named)


_Reader = Callable[[datetime.date], Period]
_RELATIVE_ZH: tuple[tuple[str, _Reader], ...] = (
    ("上上个?月", lambda today: _month_before(today, 2)),
    ("上个?月", lambda today: _month_before(today, 1)),
    ("这个?月|本月|当月", lambda today: _month_before(today, 0)),
    ("上个?(?:周|星期|礼拜)", lambda today: _week(today, 1)),
    ("这个?(?:周|星期|礼拜)|本周", lambda today: _week(today, 0)),
    ("(?<!大)前天", lambda today: _one_day(today, 2)),
    ("昨天|昨晚|昨日", lambda today: _one_day(today, 1)),
    ("今天|今日", lambda today: _one_day(today, 0)),
    ("前年", lambda today: Period.year(today.year - 2)),
    ("去年", lambda today: Period.year(today.year - 1)),
    ("今年", lambda today: Period.year(today.year)),
)
_RELATIVE_EN: tuple[tuple[str, _Reader], ...] = (
    (r"\bmonth before last\b", lambda today: _month_before(today, 2)),
    (r"\b(?:last|past|previous) month\b", lambda today: _month_before(today, 1)),
    (r"\bthis month\b", lambda today: _month_before(today, 0)),
    (r"\b(?:last|past|previous) week\b", lambda today: _week(today, 1)),
    (r"\bthis week\b", lambda today: _week(today, 0)),
    (r"\bday before yesterday\b", lambda today: _one_day(today, 2)),
    (r"\byesterday\b", lambda today: _one_day(today, 1)),
    (r"\btoday\b", lambda today: _one_day(today, 0)),
    (r"\b(?:last|past|previous) year\b", lambda today: Period.year(today.year - 1)),
    (r"\bthis year\b", lambda today: Period.year(today.year)),
)


def _relative(readers: tuple[tuple[str, _Reader], ...], text: str, today: datetime.date) -> Period | None:
    return next((read(today) for pattern, read in readers if re.search(pattern, text)), None)
