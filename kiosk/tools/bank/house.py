"""Rates, hours and the price of a transfer, read from the profile's facts: they have no other home."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from kiosk.profile import Profile
from kiosk.tools.numbers import chinese_number
from models.types import LANGUAGES, Language

_RATE = re.compile(r"([一二三四五六七八九十\d]+)年定期存款利率是(\d+(?:\.\d+)?)%")
_DAYS = "一二三四五六日"
_HOURS = re.compile(r"周([一二三四五六日])(?:到周([一二三四五六日]))?上午(\d{1,2})点开门，下午(\d{1,2})点关门")
_TRANSFER: Mapping[Language, re.Pattern[str]] = {
    "zh": re.compile("^跨行转账.*手续费"),
    "en": re.compile(r"^A transfer .* costs"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """Figures of the house. What the profile does not state is absent, and the tools say so."""

    rates: Mapping[int, Decimal]
    """Months of a fixed deposit → per cent per year."""
    hours: Mapping[int, tuple[datetime.time, datetime.time]]
    """Weekday, Monday is 0 → opening and closing time; a day that is not there is closed."""
    transfer: Mapping[Language, str]
    """The fact about transfers, in the languages that have one."""

    @classmethod
    def from_profile(cls, profile: Profile) -> House:
        """Read the facts of a profile."""
        rates: dict[int, Decimal] = {}
        hours: dict[int, tuple[datetime.time, datetime.time]] = {}
        for fact in profile.zh.facts:
            for years, rate in _RATE.findall(fact):
                rates[int(chinese_number(years) or 0) * 12] = Decimal(rate)
            for first, last, opens, closes in _HOURS.findall(fact):
                times = (datetime.time(int(opens)), datetime.time(int(closes) + 12))
                for weekday in range(_DAYS.index(first), _DAYS.index(last or first) + 1):
                    hours[weekday] = times
        found = {
            language: next((fact for fact in profile.text(language).facts if _TRANSFER[language].search(fact)), "")
            for language in LANGUAGES
        }
        return cls(rates=rates, hours=hours, transfer=found)
