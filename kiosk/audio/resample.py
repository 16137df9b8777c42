"""Changing sample rates (soxr) and cutting sound into blocks of the length that a consumer wants. Pure."""

from __future__ import annotations

import numpy as np
import soxr

from kiosk.errors import AudioError
from models.types import FloatArray

MODEL_RATE = 16_000
"""Hz; the rate of everything that listens: echo canceller, voice activity, recogniser."""
BLOCKS_PER_S = 100
"""WebRTC audio processing takes frames of exactly 10 ms, so that is the unit of capture and playback."""
BLOCK_SAMPLES = MODEL_RATE // BLOCKS_PER_S  # 160
LOWEST_RATE = 4_000
HIGHEST_RATE = 768_000
"""Hz; outside of these a sample rate is taken for a mistake."""


def check_rate(sample_rate: int) -> None:
    """Refuse a sample rate that no sound has.

    Raises:
        AudioError: The rate lies outside of `LOWEST_RATE`..`HIGHEST_RATE`.
    """
    if not LOWEST_RATE <= sample_rate <= HIGHEST_RATE:
        raise AudioError(
            "bad-sample-rate",
            f"a sample rate of {sample_rate} Hz is not possible; it must be {LOWEST_RATE} to {HIGHEST_RATE} Hz",
        )


def to_mono(samples: FloatArray) -> FloatArray:
    """Average the channels.

    Args:
        samples: float32, shape (n,) or (n, channels).

    Returns:
        float32, shape (n,).
    """
    if samples.ndim == 1:
        return samples
    if samples.shape[1] == 1:
        return samples[:, 0]
    mono: FloatArray = samples.mean(axis=1, dtype=np.float32)
    return mono


def resample(samples: FloatArray, from_rate: int, to_rate: int) -> FloatArray:
    """Convert a whole clip.

    Args:
        samples: float32 mono, shape (n,).
        from_rate: Its rate in Hz.
        to_rate: The wanted rate in Hz.

    Returns:
        float32 mono, n * to_rate / from_rate samples (rounded), with no delay.

    Raises:
        AudioError: A rate is not possible.
    """
    check_rate(from_rate)
    check_rate(to_rate)
    if from_rate == to_rate or not samples.size:
        return samples
    converted: FloatArray = soxr.resample(np.ascontiguousarray(samples, np.float32), from_rate, to_rate)
    return converted


class StreamResampler:
    """Converts an endless stream, block by block, without seams.

    Output sample k belongs to input sample k * from_rate / to_rate; it comes out some 13 ms late (8 kHz: 30 ms),
    because the filter needs to see what follows.
    """

    def __init__(self, from_rate: int, to_rate: int) -> None:
        """Take both rates in Hz.

        Raises:
            AudioError: A rate is not possible.
        """
        check_rate(from_rate)
        check_rate(to_rate)
        # soxr's filters of fixed rate work in bursts of up to 40 ms; the one of variable rate gives every block at
        # once, is flat to 7.6 kHz, keeps the rate exactly, and is 0.1 ms early.
        self._stream = (
            None if from_rate == to_rate else soxr.ResampleStream(from_rate, to_rate, 1, "float32", "MQ", vr=True)
        )

    def push(self, samples: FloatArray) -> FloatArray:
        """Take the next float32 mono samples, give what is ready (at times nothing)."""
        if self._stream is None:
            return samples
        converted: FloatArray = self._stream.resample_chunk(np.ascontiguousarray(samples, np.float32))
        return converted

    def flush(self) -> FloatArray:
        """Give the rest at the end of the stream; nothing may be pushed after it."""
        if self._stream is None:
            return np.zeros(0, np.float32)
        rest: FloatArray = self._stream.resample_chunk(np.zeros(0, np.float32), last=True)
        return rest


class Reblocker:
    """Cuts blocks of any size into windows of one size: 10 ms for the echo canceller, 512 samples for Silero."""

    def __init__(self, window_samples: int) -> None:
        if window_samples < 1:
            raise ValueError(f"window_samples must be at least 1, not {window_samples}")
        self._window_samples = window_samples
        self._rest = np.zeros(0, np.float32)

    @property
    def pending(self) -> int:
        """Samples that wait for a full window; always fewer than one window."""
        return self._rest.size

    def push(self, samples: FloatArray) -> list[FloatArray]:
        """Take the next samples.

        Args:
            samples: float32 mono, any length.

        Returns:
            The windows that are full now, each with shape (window_samples,) and memory of its own.
        """
        joined = np.concatenate((self._rest, samples))
        full = joined.size - joined.size % self._window_samples
        self._rest = joined[full:].copy()
        return [w.copy() for w in joined[:full].reshape(-1, self._window_samples)]

    def clear(self) -> None:
        """Forget the samples that wait."""
        self._rest = np.zeros(0, np.float32)
