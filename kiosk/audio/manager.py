"""Brings lost devices back: one thread ("audio-devices") that watches the streams of one sound system.

PortAudio reads its device list only at start and may be restarted only when no stream is open. So microphone and
loudspeaker share one `DeviceManager`, which pauses the healthy one for a moment to find the lost one.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

from kiosk.audio.clock import NS_PER_S
from kiosk.audio.devices import Direction, SoundDevice, find_device
from kiosk.audio.host import BlockCallback, PortAudioHost, SoundHost, SoundStream
from kiosk.errors import AudioError

log = logging.getLogger("audio")

CHECK_INTERVAL_S = 0.2
"""How often the streams are looked at."""
RETRY_NS = 2 * NS_PER_S
"""Between two attempts to open the same device; two attempts fit into the 5 s after which a device must be back."""
STOP_TIMEOUT_S = 0.5
FALLBACK_RATES = (48_000, 44_100, 16_000)
"""Hz; tried in turn when a device refuses its own rate."""


class DeviceUser(Protocol):
    """A part that keeps one stream open."""

    def check(self, now_ns: int) -> bool:
        """Look at the stream; true when it should be opened (again)."""

    def connect(self) -> None:
        """Open the stream in place of the present one, if any.

        Raises:
            AudioError: There is no such device, or it refuses.
        """

    def disconnect(self) -> None:
        """Close the stream, if any; what was queued and counted stays."""

    def note_absent(self, error: AudioError) -> None:
        """The device could not be opened."""

    @property
    def may_pause(self) -> bool:
        """Nobody notices if the stream is closed and opened again now."""

    @property
    def wants_refresh(self) -> bool:
        """The device list may be out of date; false: opening again is enough."""


class DeviceManager:
    """Opens streams and, when one is lost, refreshes the device list and opens it again."""

    def __init__(self, host: SoundHost | None = None, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._host: SoundHost = host or PortAudioHost()
        self._now_ns = now_ns
        self._lock = threading.RLock()
        self._users: dict[DeviceUser, int] = {}  # user -> time of the last attempt
        self._leaving: list[DeviceUser] = []
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def devices(self) -> tuple[SoundDevice, ...]:
        """The present device list.

        Raises:
            AudioError: The sound system cannot be used at all.
        """
        with self._lock:
            return self._host.devices()

    def open_stream(
        self, direction: Direction, name: str, on_block: BlockCallback
    ) -> tuple[SoundStream, SoundDevice, int]:
        """Open a device at its own rate, or at the nearest usual one that it takes.

        Args:
            direction: "input" or "output".
            name: "default" or part of the device's name.
            on_block: Takes or fills blocks of (frames, 1 or 2 channels) in the device's thread.

        Returns:
            The stream, not yet started, its device and its rate in Hz.

        Raises:
            AudioError: There is no such device, or it refuses every rate.
        """
        with self._lock:
            device = find_device(self._host.devices(), direction, name)
            channels = min(2, device.channels(direction))
            refusal: AudioError | None = None
            for rate in dict.fromkeys((device.sample_rate, *FALLBACK_RATES)):
                try:
                    return self._host.open_stream(direction, device, rate, channels, on_block), device, rate
                except AudioError as error:
                    refusal = refusal or error
            assert refusal is not None
            raise refusal

    def add(self, user: DeviceUser) -> None:
        """Open this user's stream and watch it from now on; a device that is absent is awaited."""
        with self._lock:
            self._users[user] = self._now_ns()
            self._connect(user)
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="audio-devices", daemon=True)
                self._thread.start()

    def remove(self, user: DeviceUser) -> None:
        """Close this user's stream; the thread ends with the last user."""
        if not self._lock.acquire(timeout=STOP_TIMEOUT_S):
            self._leaving.append(user)  # the thread is held up by the sound system and closes the stream later
            return
        try:
            if self._users.pop(user, None) is None:
                return
            user.disconnect()
            thread = None if self._users else self._thread
        finally:
            self._lock.release()
        if thread is not None:
            self._wake.set()
            thread.join(STOP_TIMEOUT_S)
            if thread.is_alive():
                log.warning("thread %s does not end yet", thread.name)

    def check(self) -> None:
        """Look at every stream once and try to bring back what is lost."""
        with self._lock:
            now_ns = self._now_ns()
            needy = [user for user in self._users if user.check(now_ns)]
            due = [user for user in needy if now_ns - self._users[user] >= RETRY_NS]
            if not due:
                return
            for user in due:
                self._users[user] = now_ns
            others_wait = all(user.may_pause for user in self._users if user not in needy)
            if others_wait and any(user.wants_refresh for user in due):
                self._refresh()
            else:
                for user in due:
                    self._connect(user)

    def _refresh(self) -> None:
        log.debug("reading the device list anew")
        for user in self._users:
            user.disconnect()
        try:
            self._host.refresh()
        except AudioError as error:
            log.warning("%s", error.message)
        for user in self._users:
            self._connect(user)

    def _connect(self, user: DeviceUser) -> None:
        try:
            user.connect()
        except AudioError as error:
            user.note_absent(error)

    def _watch(self) -> None:
        while True:
            self._wake.wait(CHECK_INTERVAL_S)
            self._wake.clear()
            with self._lock:
                while self._leaving:
                    user = self._leaving.pop()
                    self._users.pop(user, None)
                    user.disconnect()
                if not self._users:
                    self._thread = None
                    return
                try:
                    self.check()
                except Exception:  # the border of the thread: without it no device would ever come back
                    log.exception("looking after the sound devices failed; it is tried again")
