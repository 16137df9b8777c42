"""How much sound Whisper sees at once: pure functions over samples.

Whisper pads all sound to 30 s, and its encoder costs the same for a word as for half a minute. The encoder takes
shorter input, too, but when the window ends soon after the words the decoder repeats them; so a window keeps a margin
and is never very short.
"""

from __future__ import annotations

import numpy as np

from models.asr.base import SAMPLE_RATE
from models.types import FloatArray

HOP_LENGTH = 160  # samples per spectrogram column: 100 columns a second
WINDOWS_S = (9, 10, 15, 20, 30)
"""Lengths that the encoder is given, in seconds: 5 s windows repeat words, 8 s ones seldom, 9 s ones do not."""
MARGIN_S = 1.0
"""Silence that must remain in the window after the sound."""
MAX_PIECE_S = 29.0
"""Longer sound is cut into pieces of at most this."""
MIN_PIECE_S = 15.0
"""No cut is looked for before this."""
QUIET_WINDOW_S = 0.2
"""A cut is put in the middle of the quietest stretch of this length."""


def window_frames(num_samples: int) -> int:
    """Columns of the spectrogram for this much sound: the smallest window with its margin, at most 3000."""
    needed_s = num_samples / SAMPLE_RATE + MARGIN_S
    window_s = next((w for w in WINDOWS_S if w >= needed_s), WINDOWS_S[-1])
    return window_s * SAMPLE_RATE // HOP_LENGTH


def split_at_pauses(samples: FloatArray) -> list[FloatArray]:
    """Cut long sound into pieces of at most `MAX_PIECE_S`, each cut at the quietest place in reach.

    Args:
        samples: float32 mono at 16 kHz, shape (n,).

    Returns:
        Views of the sound in order, together all of it; one piece if it is short enough.
    """
    pieces = []
    longest, shortest = int(MAX_PIECE_S * SAMPLE_RATE), int(MIN_PIECE_S * SAMPLE_RATE)
    while len(samples) > longest:
        cut = _quietest(samples, shortest, min(longest, len(samples) - SAMPLE_RATE))
        pieces.append(samples[:cut])
        samples = samples[cut:]
    return [*pieces, samples]


def _quietest(samples: FloatArray, first: int, last: int) -> int:
    width = int(QUIET_WINDOW_S * SAMPLE_RATE)
    energy = np.concatenate([[0.0], np.cumsum(np.square(samples[first:last], dtype=np.float64))])
    return first + int(np.argmin(energy[width:] - energy[:-width])) + width // 2
