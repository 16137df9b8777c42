"""The far end's line without devices: blocks and times are computed."""

from __future__ import annotations

import numpy as np
import pytest

from kiosk.audio.playback import RenderedBlock
from kiosk.audio.reference import ReferenceLine
from models.types import FloatArray

MS = 1_000_000
RATE = 48_000


def test_the_line_is_read_without_seams_at_the_time_it_was_heard() -> None:
    line = ReferenceLine()
    far = np.sin(2 * np.pi * 300 * np.arange(RATE) / RATE).astype(np.float32)
    for k in range(100):
        line.push(RenderedBlock(samples=far[k * 480 : (k + 1) * 480], sample_rate=RATE, heard_ns=k * 10 * MS))
    got = np.concatenate([line.take(200 * MS + k * 10 * MS) for k in range(50)])
    expected = np.sin(2 * np.pi * 300 * (np.arange(8_000) + 3_200) / 16_000)
    np.testing.assert_allclose(got, expected, atol=0.2)  # 0.1 ms of the resampler
    assert np.abs(np.diff(got, 2)).max() < 1.1 * np.abs(np.diff(expected, 2)).max()


def test_the_line_follows_a_jump_and_gives_silence_for_what_it_does_not_know() -> None:
    line = ReferenceLine()
    assert not line.take(0).any()
    ones = np.ones(480, np.float32)
    for k in range(50):
        line.push(RenderedBlock(samples=ones, sample_rate=RATE, heard_ns=k * 10 * MS))
    assert line.take(250 * MS).all()
    assert not line.take(5_000 * MS).any()
    assert line.take(300 * MS).all()
    line.clear()
    assert not line.take(310 * MS).any()


def test_a_device_with_another_rate_starts_a_new_line() -> None:
    line = ReferenceLine()
    for k in range(10):
        line.push(RenderedBlock(samples=np.ones(480, np.float32), sample_rate=48_000, heard_ns=k * 10 * MS))
    for k in range(10, 40):
        line.push(RenderedBlock(samples=np.ones(441, np.float32), sample_rate=44_100, heard_ns=k * 10 * MS))
    assert line.take(250 * MS).all()


def read_tone(
    drift_ppm: float, jitter_ms: float, seconds: int, hz: float = 1000.0
) -> tuple[FloatArray, ReferenceLine]:
    """What a microphone whose clock is faster by so much reads of a tone."""
    line = ReferenceLine()
    rng = np.random.default_rng(4)
    far = np.sin(2 * np.pi * hz * np.arange((seconds + 1) * RATE) / RATE).astype(np.float32)
    read = []
    written = 0
    for k in range(seconds * 100):
        now_ns = round(k * 10 * MS / (1 + drift_ppm * 1e-6))
        while written * 10 * MS <= now_ns + 60 * MS:
            heard_ns = written * 10 * MS + round(rng.uniform(-jitter_ms, jitter_ms) * MS)
            samples = far[written * 480 : (written + 1) * 480]
            line.push(RenderedBlock(samples=samples, sample_rate=RATE, heard_ns=heard_ns))
            written += 1
        read.append(line.take(now_ns + round(rng.uniform(-jitter_ms, jitter_ms) * MS)))
    return np.concatenate(read), line


def phase_of(tone: FloatArray, hz: float) -> FloatArray:
    """Unwrapped phase in samples against a tone of that pitch, every 10 ms."""
    carrier = np.exp(-2j * np.pi * hz * np.arange(tone.size) / 16_000)
    means = (tone * carrier).reshape(-1, 160).mean(axis=1)
    return np.unwrap(np.angle(means)) / (2 * np.pi) * 16_000 / hz


@pytest.mark.parametrize("drift_ppm", [0, 1000, -1000])
def test_drift_is_followed_without_a_jump(drift_ppm: int) -> None:
    """A microphone that is faster by 0.1 % would be off by 40 ms after 40 s; times tremble by 2 ms."""
    hz = 1000.0
    read, line = read_tone(drift_ppm, 2.0, 40, hz)
    assert line.shifts == 1
    assert line.ratio == pytest.approx(1 / (1 + drift_ppm * 1e-6), abs=40e-6)
    ideal = -np.arange(read.size // 160) * 160 * drift_ppm * 1e-6
    off = (phase_of(read, hz) - ideal)[1000:]  # samples, but for a constant
    assert np.ptp(off) < 8
    assert np.abs(np.diff(off)).max() < 0.25
    step = np.abs(np.diff(read[16_000:])).max()
    assert step < 1.02 * 2 * np.sin(np.pi * hz * (1 + abs(drift_ppm) * 1e-6) / 16_000)


def test_reading_between_samples_keeps_the_sound() -> None:
    """At 0.1 % the place runs through all fractions of a sample; the level of a tone of 6 kHz stays."""
    read, _ = read_tone(1000, 0.0, 20, 6000.0)
    settled = read[8 * 16_000 :].reshape(-1, 1600)
    levels_db = 20 * np.log10(np.sqrt(2 * np.mean(settled.astype(np.float64) ** 2, axis=1)))
    assert np.ptp(levels_db) < 0.1
    assert abs(levels_db.mean()) < 0.5


@pytest.mark.parametrize(("gap_ms", "shifts"), [(100, 2), (-100, 2), (8, 1)])
def test_a_gap_of_the_loudspeaker_is_followed(gap_ms: int, shifts: int) -> None:
    """A stopped loudspeaker goes on from the right place: after a long gap at once, a short one is steered away."""
    line = ReferenceLine()
    ramp = (np.arange(20 * RATE) / (20 * RATE)).astype(np.float32)  # its value says which sample is read
    off_ms = []
    written = 0
    for k in range(1500):
        now_ms = k * 10
        while (heard_ms := written * 10 + (gap_ms if written >= 600 else 0)) <= now_ms + 60:
            samples = ramp[written * 480 : (written + 1) * 480]
            line.push(RenderedBlock(samples=samples, sample_rate=RATE, heard_ns=heard_ms * MS))
            written += 1
        read = line.take(now_ms * MS)
        off_ms.append(float(read[0]) * 20_000 - now_ms + (gap_ms if now_ms >= 6000 + gap_ms else 0))
    assert line.shifts == shifts
    assert np.abs(off_ms[200:590]).max() < 1.5  # of it 0.6 ms are the ramp's own error
    assert np.abs(off_ms[620 if shifts == 2 else 1000 :]).max() < 1.5
