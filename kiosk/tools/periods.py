"""Stretches of days, such as a month, with their written forms and their names in both languages."""

from __future__ import annotations

import calendar
import datetime
import re
from dataclasses import dataclass

from models.types import Language

_WRITTEN = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2})(?:/(\d{4}-\d{2}-\d{2}))?)?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `start` to `end`, both counted."""

    start: datetime.date
    """The first day."""
    end: datetime.date
    """The last day."""

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(f"the period ends on {self.end}, before it begins on {self.start}")

    @classmethod
    def month(cls, year: int, month: int) -> Period:
        """A whole month."""
        last = calendar.monthrange(year, month)[1]
        return cls(datetime.date(year, month, 1), datetime.date(year, month, last))

    @classmethod
    def year(cls, year: int) -> Period:
        """A whole year."""
        return cls(datetime.date(year, 1, 1), datetime.date(year, 12, 31))

    @classmethod
    def parse(cls, text: str) -> Period:
        """Read the written form of `str`.

        Raises:
            ValueError: It is none, or no such day exists.
        """
        match = _WRITTEN.fullmatch(text)
        if match is None:
            raise ValueError("a period is written like 2026, 2026-05, 2026-05-03 or 2026-05-01/2026-05-07")
        year, month, day, end = match.groups()
        try:
            if day is None:
                return cls.year(int(year)) if month is None else cls.month(int(year), int(month))
            start = datetime.date(int(year), int(month), int(day))
            return cls(start, start if end is None else datetime.date.fromisoformat(end))
        except (ValueError, calendar.IllegalMonthError) as error:
            raise ValueError(f"{text} is no period: {error}") from error

    def __str__(self) -> str:
        if self == Period.year(self.start.year):
            return f"{self.start.year:04d}"
        if self == Period.month(self.start.year, self.start.month):
            return self.start.isoformat()[:7]
        return str(self.start) if self.start == self.end else f"{self.start}/{self.end}"

    def name(self, language: Language, today: datetime.date) -> str:
        """As it is said, with its year where that is not this one.

        Args:
            language: zh: 5月, 去年12月 is 2025年12月; en: "in May", "on May 3".
            today: Tells which year needs no saying.
        """
        year = self.start.year
        is_other = year != today.year
        if self == Period.year(year):
            return f"{year}年" if language == "zh" else f"in {year}"
        if self == Period.month(year, self.start.month):
            if language == "zh":
                return (f"{year}年" if is_other else "") + f"{self.start.month}月"
            return f"in {calendar.month_name[self.start.month]}" + (f" {year}" if is_other else "")
        first = _day(self.start, language, is_other)
        if self.start == self.end:
            return first if language == "zh" else f"on {first}"
        last = _day(self.end, language, self.end.year != today.year)
        return f"{first}到{last}" if language == "zh" else f"from {first} to {last}"


def _day(day: datetime.date, language: Language, with_year: bool) -> str:
    if language == "zh":
        return (f"{day.year}年" if with_year else "") + f"{day.month}月{day.day}日"
    return f"{calendar.month_name[day.month]} {day.day}" + (f", {day.year}" if with_year else "")
