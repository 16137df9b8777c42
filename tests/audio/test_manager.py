"""Both directions share one sound system."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from kiosk.audio.capture import Capture, MicStatus
from kiosk.audio.manager import DeviceManager
from kiosk.audio.playback import Playback, SpeakerStatus
from kiosk.config import SoundConfig
from tests.audio.fake_host import LOUDSPEAKER, MICROPHONE, FakeHost


class StillDevices(DeviceManager):
    """Without its thread: the test calls `check`."""

    def _watch(self) -> None:
        pass


class Both:
    """Microphone and loudspeaker of one fake machine."""

    def __init__(self, host: FakeHost) -> None:
        self.host = host
        self.devices = StillDevices(host, host.time)
        self.playback = Playback(self.devices, host.time)
        self.capture = Capture(self.devices, None, lambda: self.playback.is_quiet, host.time)

    def run(self, seconds: float) -> None:
        """Let the healthy devices work and the manager look on."""
        for _ in range(round(seconds / 0.1)):
            output, source = self.host.stream("output"), self.host.stream("input")
            before_ns = self.host.time()
            if output.is_running:
                output.play(output.sample_rate // 10)
            else:
                self.host.time.advance(0.1)
            if source.is_running:
                after_ns, self.host.time.now_ns = self.host.time(), before_ns
                source.record(np.full((source.sample_rate // 10, 1), 2**-15, np.float32))
                self.host.time.now_ns = after_ns
                while self.capture._raw._items:  # fake time runs on only when the converter has seen the block
                    time.sleep(0.0002)
            self.devices.check()


@pytest.fixture
def both(fake_host: FakeHost) -> Iterator[Both]:
    both = Both(fake_host)
    both.playback.open(SoundConfig())
    both.capture.open(SoundConfig())
    yield both
    both.capture.close()
    both.playback.close()


def test_healthy_devices_are_left_alone(both: Both) -> None:
    both.run(10)
    assert both.host.refreshes == 0
    assert len(both.host.streams) == 2
    assert (both.capture.status, both.playback.status) == (MicStatus.OK, SpeakerStatus.OK)


def test_the_search_for_a_microphone_never_cuts_a_reply(both: Both) -> None:
    both.run(1)
    both.host.pull(MICROPHONE)
    both.playback.enqueue(np.full(10 * 48_000, 0.5, np.float32), 48_000)
    output = both.host.stream("output")
    both.run(9)
    assert both.host.stream("output") is output
    assert both.host.refreshes == 0
    both.run(6)  # the reply is over
    assert both.host.refreshes > 0
    both.host.plugged.append(MICROPHONE)
    both.run(5)
    assert (both.capture.status, both.playback.status) == (MicStatus.OK, SpeakerStatus.OK)


def test_the_search_for_a_loudspeaker_seldom_interrupts_the_microphone(both: Both) -> None:
    both.run(1)
    both.host.pull(LOUDSPEAKER)
    both.run(120)
    assert 4 <= both.host.refreshes <= 9
    assert both.capture.status is MicStatus.OK
    both.host.plugged.append(LOUDSPEAKER)
    both.run(35)
    assert both.playback.status is SpeakerStatus.OK


def test_the_thread_ends_with_the_last_user(fake_host: FakeHost) -> None:
    devices = DeviceManager(fake_host)
    playback, capture = Playback(devices), Capture(devices)
    playback.open(SoundConfig())
    capture.open(SoundConfig())
    names = {thread.name for thread in threading.enumerate()}
    assert {"audio-devices", "capture-convert"} <= names
    capture.close()
    assert "audio-devices" in {thread.name for thread in threading.enumerate()}
    playback.close()
    playback.close()
    assert not {"audio-devices", "capture-convert"} & {thread.name for thread in threading.enumerate()}
    playback.open(SoundConfig())
    playback.close()


def test_without_a_canceller_the_echo_is_named(both: Both) -> None:
    both.run(1)
    both.playback.enqueue(np.full(48_000, 0.5, np.float32), 48_000)
    both.run(0.3)
    both.capture.clear()
    both.run(0.1)  # and no longer: the converter may still be busy, and looks whether the loudspeaker is quiet now
    block = both.capture.read(1)
    assert block is not None
    assert block.is_own_voice
