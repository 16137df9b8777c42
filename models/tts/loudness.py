"""One loudness for all voices."""

from __future__ import annotations

import numpy as np

from models.types import FloatArray

TARGET_DB = -21.0
"""Level of speech after the gain: RMS of the 10 ms windows that are not silence, in dB below full scale."""
CEILING = 0.97
"""Largest sample after the gain."""

MEASURED_DB: dict[str, float] = {}
"""That level as the engine makes it."""


def voice_gain(voice: str) -> float:
    """Factor that brings a voice to the target level; 1 for a voice that was not measured."""
    return float(10 ** ((TARGET_DB - MEASURED_DB.get(voice, TARGET_DB)) / 20))


def apply_gain(samples: FloatArray, gain: float) -> FloatArray:
    """Scale, bending peaks above the ceiling's last fifth smoothly so that none is cut off."""
    scaled = samples * np.float32(gain)
    knee = 0.8 * CEILING
    over = np.abs(scaled) > knee
    if over.any():
        room = CEILING - knee
        peaks = scaled[over]
        scaled[over] = np.sign(peaks) * (knee + room * np.tanh((np.abs(peaks) - knee) / room))
    return scaled.astype(np.float32, copy=False)
