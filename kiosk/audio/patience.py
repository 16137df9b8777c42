"""Calls into a sound system that may never return: each in a thread of its own, waited for only so long."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from kiosk.errors import AudioError

log = logging.getLogger("audio")

T = TypeVar("T")


class PatientCaller:
    """Waits for a call for so long, then leaves it behind and remembers it."""

    def __init__(self) -> None:
        self._late: list[threading.Thread] = []

    def refuse_if_hanging(self) -> None:
        """Begin nothing new while an earlier call has not returned.

        Raises:
            AudioError: One has not.
        """
        self._late = [thread for thread in self._late if thread.is_alive()]
        if self._late:
            raise AudioError("sound-system-hangs", "the sound system hangs; restart it or the machine")

    def call(self, work: Callable[[], T], timeout_s: float, discard: Callable[[T], object] | None = None) -> T:
        """Give what `work` gives.

        Args:
            work: The call; its `AudioError` is passed on.
            timeout_s: How long to wait.
            discard: Takes a result that came too late.

        Raises:
            AudioError: It did not return in time.
        """
        job = _Job(work, discard)
        thread = threading.Thread(target=job.run, name="audio-call", daemon=True)
        thread.start()
        if not job.wait(timeout_s):
            self._late.append(thread)
            raise AudioError("sound-system-hangs", "the sound system does not answer; restart it or the machine")
        thread.join()
        return job.result()


class _Job(Generic[T]):
    """One call and who wants its result."""

    def __init__(self, work: Callable[[], T], discard: Callable[[T], object] | None) -> None:
        self._work = work
        self._discard = discard
        self._results: list[T] = []
        self._error: AudioError | None = None
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._is_abandoned = False

    def run(self) -> None:
        try:
            self._results.append(self._work())
        except AudioError as error:
            self._error = error
        with self._lock:
            self._done.set()
            is_late = self._is_abandoned
        if is_late and self._error is not None:
            log.debug("too late: %s", self._error.message)
        elif is_late and self._discard is not None:
            self._discard(self._results[0])

    def wait(self, timeout_s: float) -> bool:
        """True: done. False: given up, once and for all."""
        if self._done.wait(timeout_s):
            return True
        with self._lock:
            self._is_abandoned = not self._done.is_set()
            return not self._is_abandoned

    def result(self) -> T:
        if self._error is not None:
            raise self._error
        return self._results[0]
