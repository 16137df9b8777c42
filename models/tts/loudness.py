"""One loudness for all voices."""

from __future__ import annotations

import numpy as np

from models.types import FloatArray

TARGET_DB = -19.0
"""Level of speech after the gain, dB below full scale: RMS of the 10 ms windows within 30 dB of the loudest one."""
CEILING = 0.97
"""Largest sample after the gain."""

MEASURED_DB = {
    "hibari": -24.8,
    "af_bella": -20.0,
    "af_heart": -21.5,
    "am_michael": -22.1,
    "bm_george": -19.4,
    "zf_xiaoni": -17.3,
    "zf_xiaoxiao": -15.3,
    "zm_yunjian": -19.9,
    "zm_yunxi": -20.3,
}
"""That level as the networks make it."""


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
