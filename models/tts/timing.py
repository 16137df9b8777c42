"""When each phoneme sounds, and where speech begins and ends. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from models.types import FloatArray, PhonemeTime

SAMPLE_RATE = 24_000
FRAME_SAMPLES = 600
"""Samples of one duration frame of Kokoro and hibari: 25 ms."""

MODIFIERS = frozenset("ˈˌː↓→↗↘ʰʲᵝ̃")
"""Stress, length, tone and other marks: no sound of their own; their time goes to the sound before them."""

LEAD_S = 0.02
"""Silence kept before the first sound."""
TAIL_S = 0.06
"""Silence kept after the last sound, enough for a released consonant."""
SILENCE_DB = -42.0
"""Level below the loudest 10 ms at which sound counts as silence."""
SILENCE_FLOOR = 1e-3
"""RMS that is silence in any case: 60 dB below full scale."""
LEVEL_SAMPLES = 240
"""Window of the level measurement: 10 ms."""


def phoneme_times(symbols: Sequence[str], frames: NDArray[np.floating]) -> list[PhonemeTime]:
    """Lay the symbols end to end.

    Args:
        symbols: One character for each token, without the padding at both ends.
        frames: Durations in frames of 25 ms, shape (len(symbols) + 2,): with the padding, which becomes pauses.

    Returns:
        One entry for each sound or pause from 0 to the end; modifiers are merged into the sound before them.
    """
    ends = np.cumsum(frames) * (FRAME_SAMPLES / SAMPLE_RATE)
    times: list[PhonemeTime] = []
    start = 0.0
    for symbol, end in zip([" ", *symbols, " "], ends.tolist(), strict=True):
        if symbol in MODIFIERS and times:
            last = times[-1]
            times[-1] = PhonemeTime(symbol=last.symbol, start_s=last.start_s, end_s=end)
        else:
            times.append(PhonemeTime(symbol=symbol, start_s=start, end_s=end))
        start = end
    return times


def speech_bounds(samples: FloatArray) -> tuple[int, int]:
    """First and last sample to keep: the sound with a little silence around it; (0, 0) if all is silent."""
    count = len(samples) // LEVEL_SAMPLES
    if count == 0:
        return 0, 0
    windows = samples[: count * LEVEL_SAMPLES].reshape(count, LEVEL_SAMPLES)
    level = np.sqrt(np.mean(np.square(windows), axis=1))
    threshold = max(SILENCE_FLOOR, float(level.max()) * 10 ** (SILENCE_DB / 20))
    loud = np.flatnonzero(level > threshold)
    if len(loud) == 0:
        return 0, 0
    start = int(loud[0]) * LEVEL_SAMPLES - round(LEAD_S * SAMPLE_RATE)
    end = (int(loud[-1]) + 1) * LEVEL_SAMPLES + round(TAIL_S * SAMPLE_RATE)
    return max(0, start), min(len(samples), end)


def window_times(times: Sequence[PhonemeTime], start_s: float, end_s: float) -> list[PhonemeTime]:
    """The part of the times within [start_s, end_s], on a clock that begins there."""
    inside = []
    for time in times:
        start, end = max(time.start_s, start_s), min(time.end_s, end_s)
        if end > start:
            inside.append(PhonemeTime(symbol=time.symbol, start_s=start - start_s, end_s=end - start_s))
    return inside


def shift_times(times: Sequence[PhonemeTime], offset_s: float) -> list[PhonemeTime]:
    """The same times on a clock that began `offset_s` earlier."""
    return [
        PhonemeTime(symbol=time.symbol, start_s=time.start_s + offset_s, end_s=time.end_s + offset_s)
        for time in times
    ]
