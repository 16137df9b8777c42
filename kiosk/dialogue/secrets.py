"""What others in the hall must not read off the screen: codes, card and telephone numbers that a visitor has said."""

from __future__ import annotations

import re

LEAST_DIGITS = 6
"""Shorter ones are years, amounts, tickets, the last digits of a card."""
SHOWN = 2
"""Digits at the end that stay, so that the visitor sees that something was heard."""
_MARK = "•"
_WORDS = "zero|oh|one|two|three|four|five|six|seven|eight|nine"
_DIGITS = re.compile(rf"[0-9](?:[ ，,-]?[0-9]){{{LEAST_DIGITS - 1},}}(?![0-9]*[.][0-9])")
_CHINESE = re.compile(
    rf"[零〇幺一二两三四五六七八九](?:[ ，,、]?[零〇幺一二两三四五六七八九]){{{LEAST_DIGITS - 1},}}"
)
_ENGLISH = re.compile(rf"\b(?:{_WORDS})(?:[ ,-]+(?:{_WORDS})){{{LEAST_DIGITS - 1},}}\b", re.IGNORECASE)
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")


def without_secrets(text: str) -> str:
    """The text with all but the last two digits of long numbers covered; amounts such as 1,234,500 stay.

    Args:
        text: What the visitor said, written.
    """
    text = _DIGITS.sub(lambda found: found[0] if _GROUPED.fullmatch(found[0]) else _covered(found[0], r"[0-9]"), text)
    text = _CHINESE.sub(lambda found: _covered(found[0], r"[^ ，,、]"), text)
    return _ENGLISH.sub(lambda found: _covered(found[0], r"[A-Za-z]+"), text)


def _covered(number: str, digit: str) -> str:
    """Each digit becomes a mark, the last ones stay."""
    places = list(re.finditer(digit, number))
    for place in reversed(places[:-SHOWN]):
        number = number[: place.start()] + _MARK + number[place.end() :]
    return number
