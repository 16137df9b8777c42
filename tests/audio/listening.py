"""Helpers of the tests that listen to a real (virtual) sound card."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from models.types import FloatArray
from tests.audio.virtual_card import RATE, Recorder

TRIES = 4
"""What a starved test machine spoils is tried again; a fault of ours spoils every try."""


def wait_until(is_true: Callable[[], bool], timeout_s: float) -> float:
    """Wait and give the seconds that it took."""
    started = time.monotonic()
    while not is_true():
        assert time.monotonic() - started < timeout_s, f"not within {timeout_s} s"
        time.sleep(0.01)
    return time.monotonic() - started


def heard(recorder: Recorder, after_ns: int, seconds: float) -> FloatArray:
    """Wait for the time to pass and give all that was recorded."""
    wait_until(lambda: time.monotonic_ns() > after_ns + seconds * 1e9, seconds + 1)
    return recorder.samples


def measure_tone(recording: FloatArray, expected_hz: float) -> tuple[float, float]:
    """Frequency in Hz, and the largest departure from a pure tone in dB of its amplitude."""
    sounding = np.flatnonzero(np.abs(recording) > 0.1)
    middle = recording[sounding[0] + 2_000 : sounding[-1] - 2_000].astype(np.float64)
    seconds = np.arange(middle.size) / RATE
    carrier = middle * np.exp(-2j * np.pi * expected_hz * seconds)
    first, second = carrier[: middle.size // 2].mean(), carrier[middle.size // 2 :].mean()
    frequency = expected_hz + float(np.angle(second / first)) / (np.pi * middle.size / RATE)
    basis = np.stack((np.sin(2 * np.pi * frequency * seconds), np.cos(2 * np.pi * frequency * seconds)), axis=1)
    fit = basis @ np.linalg.lstsq(basis, middle, rcond=None)[0]
    return frequency, float(20 * np.log10(np.abs(middle - fit).max() / np.abs(fit).max()))
