"""Plans in which parts a clause is decoded, so that it begins early and never runs dry. Pure functions."""

from __future__ import annotations

import math

COLUMNS_PER_S = 80
"""Columns of the vocoder's input in one second; one column is 300 samples."""
CONTEXT_COLUMNS = 8
"""Columns around a part within which the vocoder's convolutions reach (measured: beyond it nothing changes)."""
FIRST_COLUMNS = 56
"""Length of the first part: 0.7 s."""
SHORTEST_COLUMNS = 32
"""A part shorter than 0.4 s costs more for its context than it gains."""
MARGIN = 0.75
"""Share of the sound not yet played that computing the next part may take."""
BRISK = 0.7
"""Seconds of computing for a second of sound below which the first part may be short; above, it has to be longer."""


def plan_parts(start: int, end: int, rate: float) -> list[tuple[int, int]]:
    """Cut the columns [start, end) into parts.

    Args:
        start: First column.
        end: One past the last column.
        rate: Seconds of computing for one second of sound, as measured lately.

    Returns:
        Parts that follow each other without a gap. Each is ready before those before it are played, if computing goes
        on at `rate`; just one for a short clause. The slower the machine, the longer the first part.
    """
    length = end - start
    first = FIRST_COLUMNS
    if rate > BRISK:  # two parts, the second of which is computed while the first is played
        first = max(first, math.ceil(rate * (length + 2 * CONTEXT_COLUMNS) / (MARGIN + rate)))
    if length < first + SHORTEST_COLUMNS:
        return [(start, end)]
    parts = [(start, start + first)]
    ahead = float(first)
    while (position := parts[-1][1]) < end:
        left = end - position
        ready = int(ahead * MARGIN / max(rate, 0.01)) - 2 * CONTEXT_COLUMNS
        length = left if left <= ready else min(ready, max(SHORTEST_COLUMNS, left - SHORTEST_COLUMNS))
        parts.append((position, position + length))
        ahead += length - (length + 2 * CONTEXT_COLUMNS) * rate
    return parts
