"""The linear canceller without devices: near and far end are computed."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from kiosk.audio.linear_echo import LinearEchoCanceller
from kiosk.audio.resample import BLOCK_SAMPLES, MODEL_RATE
from kiosk.errors import AudioError
from models.types import FloatArray
from tests.audio.test_echo import level, speech_like


def through(near: FloatArray, far: FloatArray) -> FloatArray:
    canceller = LinearEchoCanceller()
    starts = range(0, near.size - BLOCK_SAMPLES + 1, BLOCK_SAMPLES)
    return np.concatenate(
        [canceller.process(near[i : i + BLOCK_SAMPLES], far[i : i + BLOCK_SAMPLES]) for i in starts]
    )


def delayed(samples: FloatArray, ms: int) -> FloatArray:
    lag = ms * MODEL_RATE // 1000
    return np.concatenate((np.zeros(lag, np.float32), samples))[: samples.size]


@pytest.mark.parametrize("delay_ms", [30, 150, 330])
def test_a_learned_echo_becomes_much_weaker(delay_ms: int) -> None:
    far = speech_like(8, MODEL_RATE)
    near = 0.3 * delayed(far, delay_ms)
    left = through(near, far)
    assert level(left[-2 * MODEL_RATE :]) < 0.2 * level(near[-2 * MODEL_RATE :])


def test_who_speaks_over_the_echo_is_left_whole_from_the_first_moment() -> None:
    """As loud as the echo; the first 0.1 s and the rest."""
    far = speech_like(10, MODEL_RATE)
    visitor = np.zeros(far.size, np.float32)
    begin = 6 * MODEL_RATE
    visitor[begin:] = 0.3 * speech_like(4, MODEL_RATE, seed=9)
    left = through(0.3 * delayed(far, 150) + visitor, far)
    for part in (slice(begin, begin + MODEL_RATE // 10), slice(begin, None)):
        assert level(left[part] - visitor[part]) < 0.4 * level(visitor[part])


def test_without_a_loudspeaker_nothing_but_rumble_is_taken_away() -> None:
    near = speech_like(2, MODEL_RATE)
    left = through(near, np.zeros_like(near))
    before, after = (np.abs(np.fft.rfft(samples))[2 * 200 :] for samples in (near, left))
    assert np.linalg.norm(after - before) < 0.05 * np.linalg.norm(before)


def test_a_missing_library_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> ctypes.CDLL:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", missing)
    with pytest.raises(AudioError) as caught:
        LinearEchoCanceller()
    assert "libspeexdsp1" in caught.value.message
    assert "\n" not in caught.value.message
