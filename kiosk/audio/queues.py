"""The bounded queue between a sound device and the rest: never blocks the device."""

from __future__ import annotations

import threading
from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class DropOldestQueue(Generic[T]):
    """First in, first out; when full, the oldest item is dropped and counted."""

    def __init__(self, capacity: int) -> None:
        self._items: deque[T] = deque()
        self._capacity = capacity
        self._changed = threading.Condition()
        self._closed = False
        self._dropped = 0

    @property
    def dropped(self) -> int:
        """Items lost so far because nobody took them in time."""
        return self._dropped

    def put(self, item: T) -> None:
        """Add an item; never waits. Ignored after `close`."""
        with self._changed:
            if self._closed:
                return
            if len(self._items) >= self._capacity:
                self._items.popleft()
                self._dropped += 1
            self._items.append(item)
            self._changed.notify()

    def get(self, timeout_s: float | None = None) -> T | None:
        """Take the oldest item; None when the time is over or the queue is closed."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._items) or self._closed, timeout_s)
            return self._items.popleft() if self._items and not self._closed else None

    def clear(self) -> None:
        """Drop what waits, uncounted: nobody wants it."""
        with self._changed:
            self._items.clear()

    @property
    def is_closed(self) -> bool:
        """True after `close`."""
        return self._closed

    def close(self) -> None:
        """Drop everything and wake whoever waits."""
        with self._changed:
            self._closed = True
            self._items.clear()
            self._changed.notify_all()
