"""The microphone on a fake device."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest

from kiosk.audio.capture import BLOCK_QUEUE_BLOCKS, AudioBlock, Capture, MicStatus
from kiosk.audio.conversion import StreamConverter
from kiosk.audio.health import MicHealth
from kiosk.audio.manager import DeviceManager
from kiosk.config import SoundConfig
from models.types import FloatArray
from tests.audio.fake_host import MICROPHONE, FakeHost, FakeTime

MS = 1_000_000


class StillDevices(DeviceManager):
    """Without its thread: the test calls `check`."""

    def _watch(self) -> None:
        pass


class Listener:
    """A capture whose checks happen only when the test says so."""

    def __init__(self, host: FakeHost) -> None:
        self.host = host
        self.devices = StillDevices(host, host.time)
        self.loudspeaker_quiet = True
        self.capture = Capture(self.devices, None, lambda: self.loudspeaker_quiet, host.time)

    def hear(self, samples: FloatArray) -> None:
        """Bring sound in blocks of 10 ms and let it be converted."""
        stream = self.host.stream("input")
        frames = stream.sample_rate // 100
        for number, i in enumerate(range(0, samples.shape[0], frames), 1):
            stream.record(samples[i : i + frames])
            if number % 100 == 0:
                self._let_convert()
        self._let_convert()

    def _let_convert(self) -> None:
        deadline = time.monotonic() + 5
        while self.capture._raw._items and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(0.005)  # the last block is being converted

    def wait(self, seconds: float) -> None:
        """Let time pass with the manager looking on."""
        for _ in range(round(seconds / 0.2)):
            self.host.time.advance(0.2)
            self.devices.check()


@pytest.fixture
def listener(fake_host: FakeHost) -> Iterator[Listener]:
    listener = Listener(fake_host)
    listener.capture.open(SoundConfig())
    yield listener
    listener.capture.close()
    assert all(stream.is_closed for stream in fake_host.streams)


def noise(seconds: float, amplitude: float = 2**-15) -> FloatArray:
    rng = np.random.default_rng(0)
    return (rng.integers(-1, 2, (round(44_100 * seconds), 1)) * amplitude).astype(np.float32)


@pytest.mark.parametrize(("rate", "channels"), [(44_100, 1), (44_100, 2), (48_000, 2), (16_000, 1), (8_000, 1)])
def test_any_device_gives_10_ms_at_16_khz_with_the_right_time(rate: int, channels: int) -> None:
    """AD-05, AS-09."""
    converter = StreamConverter(rate)
    frames = rate // 80  # blocks of 12.5 ms
    seconds = np.arange(rate) / rate
    sound = np.repeat(np.sin(2 * np.pi * 440 * seconds).astype(np.float32)[:, np.newaxis], channels, axis=1)
    blocks: list[AudioBlock] = []
    for i in range(0, rate - frames, frames):
        blocks += converter.push(sound[i : i + frames], round(i / rate * 1e9))
    assert len(blocks) > 80
    assert all(block.samples.shape == (160,) and block.samples.dtype == np.float32 for block in blocks)
    ends_ms = np.array([block.captured_ns for block in blocks]) / MS
    np.testing.assert_allclose(ends_ms, 10 * np.arange(1, len(blocks) + 1), atol=0.2)
    joined = np.concatenate([block.samples for block in blocks])
    expected = np.sin(2 * np.pi * 440 * np.arange(joined.size) / 16_000)
    np.testing.assert_allclose(joined[800:-800], expected[800:-800], atol=0.3)  # 0.1 ms of the resampler
    assert np.std(joined[800:-800]) == pytest.approx(np.std(expected[800:-800]), rel=1e-3)


def test_blocks_arrive_with_their_time(listener: Listener, fake_time: FakeTime) -> None:
    listener.hear(noise(0.5))
    blocks = []
    while (block := listener.capture.read(0.0)) is not None:
        blocks.append(block)
    assert 45 <= len(blocks) <= 50
    assert 0 <= fake_time() - blocks[-1].captured_ns <= 30 * MS
    assert listener.capture.status is MicStatus.OK
    assert "USB microphone" in listener.capture.message


def test_AD_05_a_refused_rate_is_replaced(fake_host: FakeHost) -> None:
    fake_host.refused_rates = {44_100}
    listener = Listener(fake_host)
    listener.capture.open(SoundConfig())
    assert fake_host.stream("input").sample_rate == 48_000
    listener.capture.close()


def test_unread_sound_is_dropped_and_counted(listener: Listener) -> None:
    listener.hear(noise(BLOCK_QUEUE_BLOCKS / 100 + 1))
    assert 90 <= listener.capture.dropped <= 101
    listener.capture.clear()
    assert listener.capture.read(0.0) is None


def test_AD_01_a_pulled_plug_is_noticed_and_the_replugged_microphone_taken_back(listener: Listener) -> None:
    """The stream stays open and silent, without any error."""
    news: list[MicStatus] = []
    listener.capture.on_status = news.append
    listener.hear(noise(0.2))
    listener.host.plugged.remove(MICROPHONE)  # but the stream says that it is running
    listener.wait(3)
    assert listener.capture.status is MicStatus.ABSENT
    listener.wait(20)
    assert listener.capture.status is MicStatus.ABSENT
    listener.host.plugged.append(MICROPHONE)
    listener.wait(2.4)
    listener.hear(noise(0.1))
    assert listener.capture.status is MicStatus.OK
    assert news == [MicStatus.ABSENT, MicStatus.OK]


def test_a_stream_that_ends_is_noticed_at_once(listener: Listener) -> None:
    listener.hear(noise(0.2))
    listener.host.pull(MICROPHONE)
    listener.wait(0.2)
    assert listener.capture.status is MicStatus.ABSENT


def test_AD_04_exact_zeros_are_a_fault_after_at_most_3_s(listener: Listener) -> None:
    listener.hear(noise(0.2))
    listener.hear(np.zeros((44_100 * 2, 1), np.float32))
    assert listener.capture.status is MicStatus.OK
    listener.hear(np.zeros((44_100, 1), np.float32))
    assert listener.capture.status is MicStatus.SILENT_DEVICE
    listener.hear(noise(0.1))
    assert listener.capture.status is MicStatus.OK


def test_AD_04_one_bit_of_noise_is_no_fault(listener: Listener) -> None:
    listener.hear(noise(5))
    assert listener.capture.status is MicStatus.OK


def test_the_loudspeakers_own_signal_does_not_pass_for_a_microphone(fake_time: FakeTime) -> None:
    health = MicHealth(fake_time())
    for _ in range(30):
        fake_time.advance(0.1)
        health.note_block(fake_time(), True, True)
    assert health.status is MicStatus.SILENT_DEVICE
    health.note_block(fake_time(), False, False)
    assert health.status is MicStatus.SILENT_DEVICE
    health.note_block(fake_time(), False, True)
    assert health.status is MicStatus.OK


def test_an_absent_microphone_is_awaited_from_the_start(fake_host: FakeHost) -> None:
    fake_host.plugged.remove(MICROPHONE)
    fake_host.refresh()
    listener = Listener(fake_host)
    listener.capture.open(SoundConfig())
    assert listener.capture.status is MicStatus.ABSENT
    assert "no microphone found" in listener.capture.message
    fake_host.plugged.append(MICROPHONE)
    listener.wait(2.4)
    listener.hear(noise(0.1))
    assert listener.capture.status is MicStatus.OK
    listener.capture.close()
    assert listener.capture.status is MicStatus.CLOSED


def test_close_wakes_the_reader_and_may_be_called_twice(listener: Listener) -> None:
    listener.capture.close()
    assert listener.capture.read(5) is None
    listener.capture.close()
    listener.capture.open(SoundConfig())
    listener.hear(noise(0.1))
    assert listener.capture.read(1) is not None
