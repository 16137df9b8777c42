"""English: dates, years and clock times."""

from __future__ import annotations

import re

from kiosk.normalize.numbers_en import integer, ordinal, plural, year
from kiosk.normalize.rules import DASH, START, Rule, rule

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_MONTH_OF = {name[:3].lower(): name for name in MONTHS}
_MONTH = (
    r"(Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_DAY = r"(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"((?:1\d|20)\d\d)"
_TO = rf"(?: ?{DASH} ?| to )"
_WEEKDAYS = {
    "mon": "Monday", "tue": "Tuesday", "wed": "Wednesday", "thu": "Thursday", "fri": "Friday", "sat": "Saturday",
    "sun": "Sunday",
}  # fmt: skip
_WEEKDAY = r"(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs?)?|Fri|Sat(?:ur)?|Sun)(?:day)?s?"
COUNTED = (
    r"(?! (?:(?!(?:was|is|has|as|its|this|always|thus|plus|across|perhaps|towards|needs|starts|ends|costs|comes)\b)"
    r"[a-z]{2,}s"
    r"|yuan|people|percent|square|cubic|million|billion|dollar|kg|km|m|cm|mm|g|RMB|CNY|USD)\b)"
)
"""What may not follow a year or an identity: a counted thing (2024 branches)."""


def _month(name: str) -> str:
    return _MONTH_OF[name[:3].lower()]


def _iso(match: re.Match[str]) -> str:
    y, _, month, day, to = match.groups()
    return f"{MONTHS[int(month) - 1]} {ordinal(str(int(day)))}, {year(y)}" + (" to " if to else "")


def _slashes(match: re.Match[str]) -> str:
    first, second = int(match[1]), int(match[2])
    month, day = (first, second) if first <= 12 else (second, first)
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return " slash ".join((integer(match[1]), integer(match[2]), integer(match[3])))
    return f"{MONTHS[month - 1]} {ordinal(str(day))}, {year(match[3])}"


def _month_day(match: re.Match[str]) -> str:
    month, first, last, y = match.groups()
    words = f"{_month(month)} {ordinal(first)}"
    if last:
        words += f" to {ordinal(last)}"
    return words + (f", {year(y)}" if y else "")


def _day_month(match: re.Match[str]) -> str:
    the, day, _, month, y = match.groups()
    words = f"{the or 'the '}{ordinal(day)} of {_month(month)}"
    return words + (f" {year(y)}" if y else "")


def _years(match: re.Match[str]) -> str:
    return f"{year(match[1])} to {year(match[2] if len(match[2]) == 4 else match[1][:2] + match[2])}"


def _year_list(match: re.Match[str]) -> str:
    return re.sub(r"\d{4}", lambda single: year(single.group()), match.group())


def _time(match: re.Match[str]) -> str:
    hour, minute, second, half = match.groups()
    words = integer(hour)
    if minute != "00" or second:
        words += (
            f" {integer(minute)}"
            if minute[0] != "0"
            else f" oh {integer(minute)}"
            if minute != "00"
            else " zero zero"
        )
        words += f" and {integer(second)} seconds" if second else ""
    elif not half:
        words += " o'clock" if 1 <= int(hour) <= 12 else " hundred"
    return words + _half(match, half)


def _half(match: re.Match[str], half: str | None) -> str:
    if not half:
        return ""
    ends_sentence = half.endswith(".") and re.match(r"\s*$|\s+[A-Z]", match.string[match.end() : match.end() + 8])
    return f" {half.strip()[0].upper()} M" + ("." if ends_sentence else "")


def _weekday(name: str) -> str:
    return _WEEKDAYS[name[:3].lower()]


DATES: list[Rule] = [
    rule(
        "ISO date",
        rf"(?<![\d./-])([12]\d{{3}})([-/.])(0?[1-9]|1[0-2])\2(0?[1-9]|[12]\d|3[01])(?![\d/])( ?{DASH} ?(?=\d))?",
        _iso,
    ),
    rule("date with slashes", r"(?<![\d./-])(\d{1,2})/(\d{1,2})/((?:19|20)\d\d)(?![\d/])", _slashes),
    rule(
        "month and day with a slash",
        r"(\b(?:on|by|until|due|since|before|after|starting|from|moved to) )(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])"
        r"(?![\d/.])(?! (?:of|cups?|tsp|tbsp|stars?|points?|full|empty|the)\b)",
        lambda m: f"{m[1]}{MONTHS[int(m[2]) - 1]} {ordinal(m[3].lstrip('0'))}",
    ),
    rule(
        "from day to day",
        rf"\b{_MONTH} {_DAY} ?{DASH} ?(?={_MONTH} \d)",
        lambda m: f"{_month(m[1])} {ordinal(m[2])} to ",
    ),
    rule(
        "month and day",
        rf"\b{_MONTH} {_DAY}(?![\d:.]\d|\d|%| ?[ap]\.?m\b)(?:{_TO}{_DAY}(?!\d))?(?:,? {_YEAR}(?![\d,]\d|\d))?",
        _month_day,
    ),
    rule(
        "day and month", rf"(\b[Tt]he )?(?<![\d/.:,-]){_DAY}( of)? {_MONTH}(?![a-z])(?:,? {_YEAR}(?!\d))?", _day_month
    ),
    rule("month and year", rf"\b{_MONTH},? {_YEAR}(?![\d,.]\d|\d)", lambda m: f"{_month(m[1])} {year(m[2])}"),
    rule("range of months", rf"\b{_MONTH}{DASH}{_MONTH}(?![a-z])", lambda m: f"{_month(m[1])} to {_month(m[2])}"),
    rule(
        "range of weekdays",
        rf"\b({_WEEKDAY})\.? ?{DASH} ?({_WEEKDAY})\b",
        lambda m: f"{_weekday(m[1])} to {_weekday(m[2])}",
    ),
    rule(
        "weekday written short",
        r"\b(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\b\.?(?=,? \d)"
        r"|(?<=closed )(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\b(?! [a-z])",
        lambda m: _weekday(m[1] or m[2]),
    ),
    rule("quarters", rf"\bQ([1-4]) ?{DASH} ?Q([1-4])\b", lambda m: f"Q {integer(m[1])} to Q {integer(m[2])}"),
    rule("quarter", rf"\bQ([1-4]),? {_YEAR}(?!\d)", lambda m: f"Q {integer(m[1])} {year(m[2])}"),
    rule(
        "season over two years",
        rf"{START}((?:19|20)\d\d)/(\d\d)(?= (?:season|school year|academic year|fiscal year|financial year|term)\b)",
        _years,
    ),
    rule("fiscal year", rf"\bFY ?{_YEAR}(?!\d)", lambda m: "fiscal year " + year(m[1])),
]

YEARS: list[Rule] = [
    rule("year in brackets", r"(?<=\()((?:1[1-9]|20)\d\d)(?=\))", lambda m: year(m[1])),
    rule("decade", rf"{START}((?:1[1-9]|20)\d0)'?s\b", lambda m: plural(year(m[1]))),
    rule("short decade", r"(?<![\d$])'?([2-9]0)'?s\b", lambda m: plural(integer(m[1]))),
    rule(
        "list of years",
        rf"{START}(?:19|20)\d\d(?:, (?:19|20)\d\d){{0,9}},? (?:and|or) (?:19|20)\d\d(?![\d,.]\d|\d){COUNTED}",
        _year_list,
    ),
    rule("year as a subject", rf"{START}((?:19|20)\d\d)(?= (?:was|saw|marked|brought)\b)", lambda m: year(m[1])),
    rule(
        "range of years", rf"{START}((?:1[1-9]|20)\d\d){_TO}((?:1[1-9]|20)\d\d)(?![\d,.:%]\d|\d|%){COUNTED}", _years
    ),
    rule(
        "year by its word",
        r"(\b(?:in|since|until|till|before|after|during|years?|fiscal|early|late|mid|spring|summer|autumn|"
        r"fall|winter|circa) |\bmid-)"
        rf"((?:1\d|20)\d\d)(?![\d,.:%]\d|[\dA-Za-z%-]){COUNTED}",
        lambda m: m[1] + year(m[2]),
        re.IGNORECASE,
    ),
    rule(
        "year after a small word",
        rf"(\b(?:by|from|of|between|and|to|through|around|the|a) )((?:19|20)\d\d)(?![\d,.:%]\d|\d|%|-){COUNTED}",
        lambda m: m[1] + year(m[2]),
        re.IGNORECASE,
    ),
]

TIMES: list[Rule] = [
    rule(
        "clock time",
        rf"{START}([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?(?![\d:])( ?[ap](?:\.m\.?|m\b))?",
        _time,
        re.IGNORECASE,
    ),
    rule(
        "hour",
        rf"{START}(0?[1-9]|1[0-2])( ?[ap](?:\.m\.?|m\b))",
        lambda m: integer(m[1]) + _half(m, m[2]),
        re.IGNORECASE,
    ),
    rule(
        "half of the day", r"(?<![A-Za-z])([ap]\.m\.?)(?![A-Za-z])", lambda m: _half(m, m[1]).lstrip(), re.IGNORECASE
    ),
]
