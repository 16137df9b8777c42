"""When the mouth in a film came to rest. Pure numpy."""

from __future__ import annotations

import numpy as np

from models.types import FloatArray

REST_SHARE = 0.15
"""Of the range that the mouth uses in speech: a mouth within this of its rest is at rest."""
REST_S = 0.3
"""The end of the film, in which the mouth must rest for certain."""


def at_rest_after(times: FloatArray, opening: FloatArray, act_s: float) -> float | None:
    """Seconds from an act until the mouth no longer leaves its rest.

    Args:
        times: Of the pictures, seconds, at least `REST_S` past the rest.
        opening: Of the mouth in them, widths of the mouth.
        act_s: When the visitor acted, on the same clock.

    Returns:
        0 when it already was at rest; None when the film shows no speech before the act.
    """
    steady = np.array([np.median(opening[max(0, i - 1) : i + 2]) for i in range(len(opening))])
    before = steady[times < act_s]
    last = steady[times > times[-1] - REST_S]
    if len(before) < 5 or not len(last):
        return None
    rest = float(np.median(last))
    span = float(np.percentile(before, 95) - rest)
    if span < 0.05:
        return None
    moving = np.flatnonzero((np.abs(steady - rest) > REST_SHARE * span) & (times > act_s))
    return float(times[moving[-1]] - act_s) if len(moving) else 0.0
