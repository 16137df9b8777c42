"""Do the words of a turn ask for more to come? The end-of-turn model hears the voice only; this reads the words.

No grammar is parsed: lists of the small words that a sentence cannot end with, or seldom goes on after.
"""

from __future__ import annotations

import enum
import re

from kiosk.hearing import endings_en, endings_zh
from kiosk.hearing.dictation import dictated

_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_COMMA = re.compile(r"[，、,…]\s*$|\.\.\.\s*$")
_QUESTION_MARK = re.compile(r"[?？]\s*$")
_TAIL_MARKS = re.compile(r"[\s。，、．.,…！!？?:：;；—-]+$")


class Ending(enum.IntEnum):
    """How the words of a turn end, from finished to unfinished."""

    COMPLETE = 0
    """A sentence that stands for itself."""
    UNSURE = 1
    """It may stand for itself, but often something follows: a name, a single noun."""
    FRAGMENT = 2
    """A part of a sentence, such as a topic about which nothing is said yet; or no words at all."""
    OPEN = 3
    """It cannot end here: a connecting word, a verb without its object, a number half dictated."""


def ending(text: str) -> Ending:
    """How the words end.

    Args:
        text: A transcript, Chinese or English. Its full stop says little: recognisers put one at most pauses. A comma
            or an ellipsis in its place says that it heard no end.
    """
    bare = _TAIL_MARKS.sub("", text)
    if not bare:
        return Ending.FRAGMENT
    number = dictated(bare)
    if number is not None and not is_question(text):
        if number.is_whole:
            return Ending.COMPLETE
        return Ending.UNSURE if number.may_be_whole else Ending.FRAGMENT if number.is_long else Ending.OPEN
    rules = endings_zh if _CHINESE.search(bare) else endings_en
    if rules.is_open(bare):
        return Ending.OPEN
    if rules.is_fragment(bare) or _COMMA.search(text):
        return Ending.FRAGMENT
    if is_question(text) or rules.is_complete(bare):
        return Ending.COMPLETE
    return Ending.UNSURE


def is_question(text: str) -> bool:
    """Did the recogniser hear a question?"""
    return _QUESTION_MARK.search(text) is not None


def is_closing(text: str) -> bool:
    """Is it thanks, a farewell or "that is all"? Such words are the last, whatever the voice does."""
    bare = _TAIL_MARKS.sub("", text)
    return endings_zh.is_closing(bare) if _CHINESE.search(bare) else endings_en.is_closing(bare)


def is_single_word(text: str) -> bool:
    """Is it one word of English, or one character of Chinese?"""
    bare = _TAIL_MARKS.sub("", text)
    return len(bare) == 1 or (bare.isascii() and " " not in bare)


def sounds_unfinished(text: str) -> bool:
    """Is more to come for sure: does the text end in a connecting word, an article, or in a group of digits?

    Args:
        text: A transcript, Chinese or English.

    Returns:
        True if it is worth waiting longer than the pause alone asks for.
    """
    return ending(text) is Ending.OPEN


def ends_in_number(text: str) -> bool:
    """Is a number being dictated? Its groups sound complete one by one."""
    return dictated(_TAIL_MARKS.sub("", text)) is not None
