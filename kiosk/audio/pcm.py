"""16-bit samples, as the echo cancellers take them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.types import FloatArray

_FULL_SCALE = 32_767.0


def to_pcm16(samples: FloatArray) -> NDArray[np.int16]:
    """float32 in [-1, 1] → int16, contiguous; what goes beyond is clipped."""
    return np.ascontiguousarray(np.clip(samples, -1.0, 1.0) * _FULL_SCALE, np.int16)


def from_pcm16(pcm: NDArray[np.int16]) -> FloatArray:
    """int16 → float32 in [-1, 1]."""
    return pcm.astype(np.float32) / np.float32(_FULL_SCALE)
