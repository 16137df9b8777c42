"""The echo canceller without devices: near and far end are computed."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from kiosk.audio.echo import EchoProcessor
from kiosk.audio.playback import RenderedBlock
from kiosk.audio.resample import StreamResampler, resample
from models.types import FloatArray

MS = 1_000_000
RATE = 48_000


def speech_like(seconds: float, rate: int, seed: int = 0) -> FloatArray:
    """Noise with more power below 1 kHz and four syllables a second, 0.1 loud."""
    noise = np.random.default_rng(seed).standard_normal(round(seconds * rate))
    taps = round(rate / 1_300)
    low = np.convolve(noise, np.exp(-np.arange(taps) * 4 / taps), "same")
    syllables = 0.55 + 0.45 * np.sin(2 * np.pi * 4 * np.arange(low.size) / rate)
    return (0.1 * low / low.std() * syllables).astype(np.float32)


def run(far: FloatArray, near: FloatArray, jitter_ms: float = 0.0) -> FloatArray:
    """Process both ends block by block; the far end is known 60 ms before it is heard, as from a device."""
    echo = EchoProcessor()
    rng = np.random.default_rng(2)
    cleaned = []
    for k in range(near.size // 160):
        lead = k + 6
        if (lead + 1) * 480 <= far.size:
            heard_ns = lead * 10 * MS + int(rng.uniform(-jitter_ms, jitter_ms) * MS)
            samples = far[lead * 480 : (lead + 1) * 480]
            echo.add_reference(RenderedBlock(samples=samples, sample_rate=RATE, heard_ns=heard_ns))
        cleaned.append(echo.process(near[k * 160 : (k + 1) * 160], (k + 1) * 10 * MS))
    return np.concatenate(cleaned)


def level(samples: FloatArray) -> float:
    return float(np.sqrt(np.mean(samples.astype(np.float64) ** 2)) + 1e-9)


@pytest.mark.parametrize("delay_ms", [0, 20, 120, 250])
def test_the_echo_goes_whatever_its_way(delay_ms: int) -> None:
    """TT-01: 10 dB weaker than the loudspeaker, after a delay, with some reverberation and jitter of 5 ms."""
    far = speech_like(8, RATE)
    heard = 0.3 * resample(far, RATE, 16_000)
    room = np.zeros(800, np.float32)
    room[[0, 190, 430, 777]] = (1.0, 0.4, -0.3, 0.15)
    delay = delay_ms * 16
    near = np.convolve(np.concatenate((np.zeros(delay, np.float32), heard)), room)[: heard.size].astype(np.float32)
    near += np.random.default_rng(5).uniform(-1e-4, 1e-4, near.size).astype(np.float32)
    cleaned = run(far, near, jitter_ms=5)
    for second in range(8):
        part = slice(second * 16_000, (second + 1) * 16_000)
        print(f"{20 * np.log10(level(near[part]) / level(cleaned[part])):.0f}", end=" ")
    tail = slice(4 * 16_000, None)
    erle_db = 20 * np.log10(level(near[tail]) / level(cleaned[tail]))
    print(f"{delay_ms} ms: {erle_db:.0f} dB less echo")
    assert erle_db >= 15


def test_a_visitor_is_still_heard() -> None:
    """Speech without any playback passes with little loss."""
    near = speech_like(5, 16_000, seed=3)
    cleaned = run(np.zeros(0, np.float32), near)
    assert cleaned.shape == near.shape
    loss_db = 20 * np.log10(level(near[32_000:]) / level(cleaned[32_000:]))
    assert -3 < loss_db < 6


def test_rumble_is_taken_out() -> None:
    rumble = (0.2 * np.sin(2 * np.pi * 30 * np.arange(32_000) / 16_000)).astype(np.float32)
    assert level(run(np.zeros(0, np.float32), rumble)[16_000:]) < 0.02


@pytest.mark.parametrize(
    ("gain", "delay_ms", "visitor", "is_own"),
    [(1.0, 0, 0.0, True), (0.2, 120, 0.0, True), (1.0, -10, 0.0, True), (1.0, 50, 0.5, False), (0.0, 0, 1.0, False)],
)
def test_the_loudspeakers_own_signal_is_told_from_a_visitor(
    gain: float, delay_ms: int, visitor: float, is_own: bool
) -> None:
    far = speech_like(2, RATE)
    heard = StreamResampler(RATE, 16_000).push(far)
    heard = np.concatenate((heard, np.zeros(32_000 - heard.size, np.float32)))
    near = gain * np.roll(heard, delay_ms * 16) + visitor * speech_like(2, 16_000, seed=3)
    echo = EchoProcessor()
    found = []
    for k in range(150):
        samples = far[(k + 6) * 480 : (k + 7) * 480]
        echo.add_reference(RenderedBlock(samples=samples, sample_rate=RATE, heard_ns=(k + 6) * 10 * MS))
        echo.process(near[k * 160 : (k + 1) * 160].astype(np.float32), (k + 1) * 10 * MS)
        found.append(echo.hears_own_signal())
    assert np.mean(found[50:]) == (1.0 if is_own else 0.0)


def test_it_opens_no_network_connection_and_lets_the_program_end() -> None:
    program = """
import numpy as np, psutil
from kiosk.audio.echo import EchoProcessor
EchoProcessor().process(np.zeros(160, np.float32), 0)
assert not psutil.Process().net_connections("inet")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
