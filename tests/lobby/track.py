"""A recording that knows when each of its samples passed; written by one thread, read by any."""

from __future__ import annotations

import threading

import numpy as np

from tests.lobby.tape import AUDIBLE, Sound

NS = 1_000_000_000
KEEP_S = 900.0


class Track:
    """Mono sound at a steady rate on the monotonic clock. What is older than `keep_s` is forgotten."""

    def __init__(self, rate: float, keep_s: float = KEEP_S) -> None:
        """Begin empty.

        Args:
            rate: True samples per second of `time.monotonic`, not the nominal ones.
            keep_s: Seconds kept.
        """
        self.rate = rate
        self._keep = round(keep_s * rate)
        self._data = bytearray()
        self._first = 0  # number of the oldest sample kept
        self._anchor = (0, 0)  # a sample and its time, ns
        self._lock = threading.Lock()

    @property
    def length(self) -> int:
        """Samples so far, the forgotten ones too."""
        return self._first + len(self._data) // 2

    def append(self, sound: Sound) -> None:
        """Add what passed, float32, full scale 1."""
        samples = np.clip(np.round(sound * 32768), -32768, 32767).astype("<i2").tobytes()
        with self._lock:
            self._data += samples
            surplus = len(self._data) // 2 - self._keep
            if surplus > self._keep // 8:  # not at every block: it moves everything
                del self._data[: 2 * surplus]
                self._first += surplus

    def set_time(self, index: int, at_ns: int) -> None:
        """Say when a sample passed; all others follow from the rate."""
        self._anchor = (index, at_ns)

    def time_of(self, index: int) -> int:
        """time.monotonic_ns() at which a sample passed."""
        first, at_ns = self._anchor
        return at_ns + round((index - first) * NS / self.rate)

    def index_at(self, at_ns: int) -> int:
        """The sample that passed at this time."""
        first, anchor_ns = self._anchor
        return first + round((at_ns - anchor_ns) * self.rate / NS)

    def sound(self, start_ns: int | None = None, end_ns: int | None = None) -> Sound:
        """What passed between two times, as far as it is kept; float32."""
        return self._part(start_ns, end_ns)[1]

    def first_audible_ns(self, start_ns: int, end_ns: int | None = None) -> int | None:
        """When something could be heard for the first time between two times."""
        return self._audible_ns(start_ns, end_ns, 0)

    def last_audible_ns(self, start_ns: int, end_ns: int | None = None) -> int | None:
        """When something could be heard for the last time between two times."""
        return self._audible_ns(start_ns, end_ns, -1)

    def _audible_ns(self, start_ns: int, end_ns: int | None, which: int) -> int | None:
        first, sound = self._part(start_ns, end_ns)
        loud = np.flatnonzero(np.abs(sound) > AUDIBLE)
        return self.time_of(first + int(loud[which])) if len(loud) else None

    def _part(self, start_ns: int | None, end_ns: int | None) -> tuple[int, Sound]:
        with self._lock:
            length = self._first + len(self._data) // 2
            start = self._first if start_ns is None else min(max(self.index_at(start_ns), self._first), length)
            end = length if end_ns is None else min(max(self.index_at(end_ns), start), length)
            data = bytes(self._data[2 * (start - self._first) : 2 * (end - self._first)])
        return start, np.frombuffer(data, "<i2").astype(np.float32) / 32768
