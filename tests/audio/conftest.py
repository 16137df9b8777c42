"""Fixtures of the sound tests: a fake sound system for unit tests, a virtual card for the real one."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

import pytest

from kiosk.audio.host import PortAudioHost
from kiosk.audio.sound import Sound
from kiosk.config import SoundConfig
from tests.audio.fake_host import FakeHost, FakeTime
from tests.audio.listening import wait_until
from tests.audio.virtual_card import VirtualCard, is_installed


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """A test of sound must end every thread that it started; on a busy machine the last may take a moment to go."""
    before = set(threading.enumerate())
    yield

    def left() -> list[str]:
        return [
            t.name for t in threading.enumerate() if t not in before and not isinstance(t, threading._DummyThread)
        ]

    with contextlib.suppress(AssertionError):
        wait_until(lambda: not left(), 1.0)
    assert not left(), f"threads left over: {left()}"


@pytest.fixture
def fake_time() -> FakeTime:
    """A clock that stands still until it is told."""
    return FakeTime()


@pytest.fixture
def fake_host(fake_time: FakeTime) -> FakeHost:
    """A sound system with one microphone and one loudspeaker, driven by the test."""
    return FakeHost(fake_time)


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VirtualCard]:
    """A virtual sound card that PortAudio sees as the only one."""
    if not is_installed():
        pytest.skip("needs pulseaudio and pulseaudio-utils")
    with pytest.MonkeyPatch.context() as patch, VirtualCard(tmp_path_factory.mktemp("pulse")) as card:
        for name in ("XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"):
            patch.setenv(name, card.env[name])
        host = PortAudioHost()
        host.refresh()
        if not host.devices():
            pytest.skip("needs libasound2-plugins: PortAudio does not see PulseAudio")
        yield card


@pytest.fixture(scope="module")
def sound(card: VirtualCard) -> Iterator[Sound]:
    """The kiosk's sound on the virtual card, at work."""
    sound = Sound(SoundConfig(volume=1.0))
    sound.open()
    try:
        wait_until(lambda: sound.capture.read(0.1) is not None and sound.playback.played() > 4_000, 4)
        yield sound
    finally:
        started = time.monotonic()
        sound.close()
        assert time.monotonic() - started < 1.0
