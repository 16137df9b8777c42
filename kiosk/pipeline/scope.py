"""Cancelling by generation number: a reply is over as soon as a newer turn has begun."""

from __future__ import annotations

import threading
from collections.abc import Callable

from models.types import ShouldStop


class TurnScope:
    """The number of the running turn. Every stage asks it before work, between steps and before each output."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._current = 0
        self._listeners: list[Callable[[], None]] = []

    @property
    def current(self) -> int:
        """The running turn."""
        return self._current

    def advance(self) -> int:
        """Begin a new turn, which ends the one before everywhere, and return its number."""
        with self._lock:
            self._current += 1
            turn_id = self._current
        for wake in self._listeners:
            wake()
        return turn_id

    def is_over(self, turn_id: int) -> bool:
        """Whether a newer turn has begun."""
        return turn_id != self._current

    def stop_test(self, turn_id: int) -> ShouldStop:
        """The `ShouldStop` for computations that belong to a turn."""
        return lambda: self.is_over(turn_id)

    def on_advance(self, wake: Callable[[], None]) -> None:
        """Call `wake` after each advance, in the advancing thread; it must be quick."""
        self._listeners.append(wake)
