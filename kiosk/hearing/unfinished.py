"""Do the words of a turn ask for more to come? The end-of-turn model hears the voice only; this reads the words."""

from __future__ import annotations

import re

_TAIL_MARKS = re.compile(r"[\s。，、．.,…！!？?:：;；-]+$")
_QUESTION = re.compile(r"[?？]\s*$")
_DIGITS = re.compile(r"(?:[0-9][0-9 -]*|[零〇一二三四五六七八九幺]{2,})$")
_ENOUGH_DIGITS = 11
"""A mobile number in China; a longer group is a card number, of up to 19, which the silence rule ends."""
_ZH = re.compile(
    r"(?:我想|我要|我想要|我想问|我想问一下|请问|就是|就是说|那个|这个|然后|还有|因为|所以|但是|如果|或者|以及|和|跟|号码是|卡号是|电话是)$"
)
_EN = re.compile(
    r"\b(?:and|or|but|so|because|if|the|a|an|to|of|for|with|my|your|i|i'd like|i want|i need|um|uh|number is)$",
    re.IGNORECASE,
)


def sounds_unfinished(text: str) -> bool:
    """Does the text end in a connecting word, an article, or in a group of digits that may go on?

    Args:
        text: A transcript, Chinese or English.

    Returns:
        True if it is worth waiting longer than the pause alone asks for.
    """
    if _QUESTION.search(text):
        return False
    bare = _TAIL_MARKS.sub("", text)
    digits = _DIGITS.search(bare)
    if digits:
        count = sum(character.isalnum() for character in digits[0])
        return 1 < count < _ENOUGH_DIGITS or (count == 1 and len(bare) == 1)
    return bool(_ZH.search(bare) or _EN.search(bare))
