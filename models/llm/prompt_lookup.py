"""Guesses the next tokens of an answer that repeats known texts: those it was given, or its own prompt."""

from __future__ import annotations

from collections.abc import Sequence

MATCHED_TOKENS = (3, 2)
"""So many of the last tokens are looked up; the longer match first."""


def guess_next(ids: Sequence[int], num_tokens: int) -> list[int]:
    """Tokens that followed the latest earlier place with the same last tokens.

    Args:
        ids: Prompt and answer so far.
        num_tokens: At most so many are guessed.

    Returns:
        The guess, empty when the last tokens are new.
    """
    for length in MATCHED_TOKENS:
        tail = list(ids[-length:])
        for end in range(len(ids) - 1, length - 1, -1):
            if ids[end - 1] == tail[-1] and list(ids[end - length : end]) == tail:
                return list(ids[end : end + num_tokens])
    return []


def guess_from(likely: Sequence[Sequence[int]], answer: Sequence[int], num_tokens: int) -> list[int]:
    """How the first of some likely answers that begins like this one goes on.

    Args:
        likely: Whole answers, likeliest first.
        answer: What there is of it so far; may be empty.
        num_tokens: At most so many are guessed.

    Returns:
        The guess, empty when none of them begins like this or they end here.
    """
    said = len(answer)
    for text in likely:
        if len(text) > said and list(text[:said]) == list(answer):
            return list(text[said : said + num_tokens])
    return []
