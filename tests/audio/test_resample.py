"""Rates and windows."""

from __future__ import annotations

import numpy as np
import pytest

from kiosk.audio.resample import MODEL_RATE, Reblocker, StreamResampler, resample, to_mono
from kiosk.errors import AudioError
from models.types import FloatArray


def tone(rate: int, seconds: float = 1.0, hz: float = 440.0) -> FloatArray:
    return np.sin(2 * np.pi * hz * np.arange(round(rate * seconds)) / rate).astype(np.float32)


@pytest.mark.parametrize("rate", [8_000, 22_050, 24_000, 44_100, 48_000, 96_000])
def test_a_clip_keeps_its_pitch_and_length(rate: int) -> None:
    converted = resample(tone(rate), rate, MODEL_RATE)
    assert converted.dtype == np.float32
    assert converted.size == pytest.approx(MODEL_RATE, abs=1)
    inner = slice(800, 15_000)
    np.testing.assert_allclose(converted[inner], tone(MODEL_RATE)[inner], atol=2e-3)


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100, 48_000])
@pytest.mark.parametrize("block", [1, 97, 441, 4_410])
def test_a_stream_equals_the_clip_whatever_the_blocks(rate: int, block: int) -> None:
    """AS-14, AD-09: no seams, no shift."""
    samples = tone(rate, 0.5)
    stream = StreamResampler(rate, MODEL_RATE)
    parts = [stream.push(samples[i : i + block]) for i in range(0, samples.size, block)]
    converted = np.concatenate((*parts, stream.flush()))
    inner = slice(800, 7_000)
    np.testing.assert_allclose(converted[inner], resample(samples, rate, MODEL_RATE)[inner], atol=0.35)  # 0.1 ms
    np.testing.assert_allclose(np.abs(np.fft.rfft(converted[:8_000])).argmax(), 220)
    assert converted.size == 8_000
    once = StreamResampler(rate, MODEL_RATE)
    np.testing.assert_allclose(converted, np.concatenate((once.push(samples), once.flush())), atol=1e-6)


@pytest.mark.parametrize("rate", [22_050, 44_100, 48_000])
def test_a_stream_comes_out_steadily(rate: int) -> None:
    stream = StreamResampler(rate, MODEL_RATE)
    sizes = [stream.push(tone(rate, 0.01)).size for _ in range(50)]
    assert sum(sizes) >= 0.5 * MODEL_RATE - 0.015 * MODEL_RATE
    assert all(158 <= size <= 162 for size in sizes[3:])


@pytest.mark.parametrize("rate", [0, -16_000, 10**9])
def test_an_impossible_rate_is_refused(rate: int) -> None:
    with pytest.raises(AudioError, match="sample rate"):
        resample(tone(16_000), rate, MODEL_RATE)
    with pytest.raises(AudioError, match="sample rate"):
        StreamResampler(MODEL_RATE, rate)


@pytest.mark.parametrize("block", [480, 320, 1_000, 4_410])
def test_reblocker_gives_the_same_windows_from_any_blocks(block: int) -> None:
    """AS-14."""
    samples = np.arange(10_000, dtype=np.float32)
    reblocker = Reblocker(512)
    windows = [w for i in range(0, samples.size, block) for w in reblocker.push(samples[i : i + block])]
    np.testing.assert_array_equal(windows, samples[: 19 * 512].reshape(19, 512))
    assert reblocker.pending == 10_000 - 19 * 512
    reblocker.clear()
    assert reblocker.pending == 0


def test_windows_do_not_share_memory_with_the_device() -> None:
    block = np.ones(512, np.float32)
    (window,) = Reblocker(512).push(block)
    block[:] = 0
    assert window.all()


def test_channels_are_averaged() -> None:
    stereo = np.array([[1.0, 0.0], [0.5, -0.5]], np.float32)
    np.testing.assert_array_equal(to_mono(stereo), np.array([0.5, 0.0], np.float32))
    assert to_mono(stereo).dtype == np.float32
