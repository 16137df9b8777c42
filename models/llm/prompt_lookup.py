"""Guesses the next tokens by looking where the last ones stood before: answers repeat the facts of their prompt."""

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
