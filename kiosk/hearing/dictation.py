"""A dictated number at the end of a text: is it whole? Recognisers write 138, 1 3 8, 一三八 or one three eight."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DIGIT_WORDS = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
_DIGITS = re.compile(
    r"(?:\d[\d ,.\-]*\d|\d"  # 138, 1 3 8, 617-555
    r"|[零〇一二三四五六七八九幺0-9][零〇一二三四五六七八九幺0-9 ,，、]*[零〇一二三四五六七八九幺0-9]"
    rf"|\b{_DIGIT_WORDS}(?:[ ,]+{_DIGIT_WORDS})+)$",
    re.IGNORECASE,
)
_MISHEARD_ONE = re.compile(r"(?<=\d[ ,，、]\d{3})[亿意依医]$")
"""一 after two groups of digits: there is no such amount."""
_STRAY = re.compile(r"(?<=\d{5})年$")
"""What recognisers add to a long number that breaks off: no year has so many digits."""
_COUNTED = re.compile(
    r"[$€£￥¥]$|\b(?:to|room|gate|platform|counter|floor|page|plus|minus|times|by) $", re.IGNORECASE
)
MIN_GROUP = 3
"""Digits that make a group; people dictate three or four in one breath, and fewer are mostly a quantity."""
MOBILE_DIGITS = 11
"""A mobile number in China, the first digit being 1."""
LOCAL_DIGITS = 10
"""A telephone number in North America, in English."""
LONG_DIGITS = 8
WHOLE = (16, 18, 19)
"""Cards and identity cards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dictated:
    """A number at the end of a text."""

    is_whole: bool
    """As long as a telephone or card number."""
    may_be_whole: bool
    """As long as a mobile number or longer, however it begins: digits are easily misheard."""
    is_long: bool
    """Most of a telephone number: what misses may have been misheard."""


def dictated(text: str) -> Dictated | None:
    """The number at the end, or None if the text ends otherwise or in a mere quantity.

    Args:
        text: Without punctuation at its end.
    """
    text = _MISHEARD_ONE.sub("1", _STRAY.sub("", text))
    found = _DIGITS.search(text)
    if found is None:
        return None
    words = re.findall(_DIGIT_WORDS, found[0], re.IGNORECASE)
    count = len(words) or sum(character.isalnum() for character in found[0])
    is_alone = found.start() == 0
    if (count < MIN_GROUP or _COUNTED.search(text[: found.start()])) and not is_alone:
        return None
    starts_with_one = found[0][0] in "1一幺" or found[0].lower().startswith("one")
    is_english = text.isascii() and not is_alone
    is_whole = (
        (count in (MOBILE_DIGITS, MOBILE_DIGITS + 1) and starts_with_one)  # one more is easily misheard
        or (count == LOCAL_DIGITS and is_english and not starts_with_one)
        or count in WHOLE
    )
    return Dictated(is_whole=is_whole, may_be_whole=count >= MOBILE_DIGITS, is_long=count >= LONG_DIGITS)
