"""The value of one parameter in a visitor's words, by the parameter's kind."""

from __future__ import annotations

import datetime
import re
from decimal import Decimal

from kiosk.tools import dates, numbers
from kiosk.tools.base import Kind, Parameter, Value
from kiosk.tools.sounds import as_sound, says
from models.types import Language


def read_slot(
    parameter: Parameter, text: str, language: Language, today: datetime.date, *, is_asked: bool = False
) -> Value | None:
    """What a text says about a parameter; None where it says nothing, or something out of bounds.

    Args:
        parameter: Which.
        text: Written form, perhaps misheard.
        language: Of the text.
        today: For months and days.
        is_asked: The visitor was asked for just this: a figure alone will do.
    """
    value = _value(parameter, text, language, today, is_asked)
    if isinstance(value, int | Decimal) and not parameter.least <= value <= parameter.most:
        return None
    return value


def choice_in(parameter: Parameter, text: str, language: Language) -> str | None:
    """The choice that a text names: zh by sound, en by word; the longest name wins."""
    heard, lowered = as_sound(text), text.lower()
    best: tuple[int, str] | None = None
    for value, names in parameter.choices.items():
        for name in names:
            is_english = name.isascii()
            if is_english != (language == "en"):
                continue
            is_there = re.search(rf"\b{name}\b", lowered) is not None if is_english else says(heard, (name,))
            if is_there and (best is None or len(name) > best[0]):
                best = (len(name), value)
    return None if best is None else best[1]


def _value(parameter: Parameter, text: str, language: Language, today: datetime.date, is_asked: bool) -> Value | None:
    match parameter.kind:
        case Kind.PERIOD:
            return dates.period(text, language, today)
        case Kind.DAY:
            return dates.day(text, language, today)
        case Kind.AMOUNT:
            return numbers.amount(text, language, is_asked=is_asked)
        case Kind.RATE:
            return numbers.rate(text, language, is_asked=is_asked)
        case Kind.MONTHS:
            return numbers.months(text, language, is_asked=is_asked)
        case Kind.COUNT:
            return numbers.count(text, language, is_asked=is_asked)
        case Kind.CHOICE:
            return choice_in(parameter, text, language)
