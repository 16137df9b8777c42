"""What a visitor heard of an answer that was cut: whole clauses, and of the last one whole words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kiosk.dialogue.words import split_words
from models.types import Language

MOST_OF_IT = 0.95
"""A clause of which so much was heard counts as heard: the rest is the fall of the voice."""
_TRAILING = re.compile(r"[\s,，、;；:：\-—（(“\"]+$")


@dataclass(frozen=True, slots=True)
class PlayedClause:
    """A clause and how much of its sound was played."""

    written: str
    """For the captions."""
    language: Language
    """Of the clause."""
    total_s: float
    """Length of its sound."""
    heard_s: float
    """How much of it was heard, from the beginning."""


def text_heard(clauses: Sequence[PlayedClause]) -> str:
    """The written text that was heard, cut at a word.

    Args:
        clauses: In the order in which they are spoken.

    Returns:
        Empty when nothing was heard.
    """
    text = ""
    for clause in clauses:
        share = clause.heard_s / clause.total_s if clause.total_s else 0.0
        joint = " " if text and clause.language == "en" else ""
        if share < MOST_OF_IT:
            part = _first_words(clause.written, share)
            return text + joint + part if part else text
        text += joint + clause.written
    return text


def _first_words(text: str, share: float) -> str:
    """The words of which the last is over after this share of the text."""
    words, limit, taken = _words(text), share * len(text), ""
    for word in words:
        if len(taken) + len(word) > limit:
            break
        taken += word
    return _TRAILING.sub("", taken)


def _words(text: str) -> list[str]:
    """Words with the spaces before them; together they are the text."""
    if any("\u4e00" <= character <= "\u9fff" for character in text):
        return split_words(text)
    return re.findall(r"\s*\S+|\s+$", text)
