"""Cuts a long phoneme string into pieces that Kokoro speaks well."""

from __future__ import annotations

import re

SOFT_LIMIT = 100
"""Phonemes after which the next mark of a pause ends the piece (about 7 s of speech)."""
HARD_LIMIT = 200
"""Phonemes that a piece never exceeds while there is a space to cut at. The network itself takes 510."""
MODEL_LIMIT = 510
"""Phonemes that the network takes at most: the voice file has one style vector for each length up to it."""

PAUSE = re.compile(r"[,.!?:;—…]+[)”]?(?: |$)")


def split_phonemes(phonemes: str) -> list[str]:
    """Cut at pauses once a piece is long, else between words; nothing is lost but the space at each cut.

    Args:
        phonemes: Words parted by single spaces, marks attached to the word before.

    Returns:
        Pieces of at most `HARD_LIMIT` symbols each where words allow it, never above `MODEL_LIMIT`.
    """
    pieces = []
    rest = phonemes.strip()
    while len(rest) > SOFT_LIMIT:
        cut = _pause_near(rest) or _space_before(rest, HARD_LIMIT)
        if cut >= len(rest):
            break
        pieces.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    return [*pieces, rest] if rest else pieces


def _pause_near(text: str) -> int:
    """Where to cut after a pause: the last one within the soft limit, else the first within the hard one, else 0."""
    ends = [match.end() for match in PAUSE.finditer(text[: HARD_LIMIT + 1])]
    # A cut that would leave a scrap of a word or two sounds worse than a longer piece.
    ends = [end for end in ends if end >= SOFT_LIMIT // 4]
    within = [end for end in ends if end <= SOFT_LIMIT]
    return within[-1] if within else (ends[0] if ends else 0)


def _space_before(text: str, limit: int) -> int:
    """Where to cut a stretch without pauses: evenly, between words."""
    if len(text) <= limit:
        return len(text)
    count = -(-len(text) // limit)
    even = -(-len(text) // count)
    cut = text.rfind(" ", even // 2, even + 1)
    if cut < 0:
        cut = text.find(" ", even)
    return cut if 0 < cut <= MODEL_LIMIT else min(len(text), MODEL_LIMIT)
