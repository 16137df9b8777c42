"""Cancelling by generation number: a turn is over as soon as a newer one has begun, or when it was abandoned.

A number is reserved when something may become a turn (a pause that may be the end, speech over an answer). Work on
such a candidate goes on like any other and reaches nobody until the turn begins; if it never does, it is abandoned.

    reserve ──► candidate ──begin──► running ──a newer one begins──► over
                    └──────────────abandon──────────────────────────► over
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from models.types import ShouldStop


class TurnScope:
    """The number of the running turn. Every stage asks it before work, between steps and before each output."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._current = 0
        self._reserved = 0
        self._abandoned: frozenset[int] = frozenset()
        self._listeners: list[Callable[[], None]] = []

    @property
    def current(self) -> int:
        """The running turn."""
        return self._current

    def reserve(self) -> int:
        """Number a turn that may begin; the running one goes on."""
        with self._lock:
            self._reserved += 1
            return self._reserved

    def begin(self, turn_id: int) -> None:
        """Let a reserved turn run: all older ones are over everywhere. Nothing happens when a newer one runs."""
        with self._lock:
            self._current = max(self._current, turn_id)
            self._abandoned = frozenset(t for t in self._abandoned if t > self._current)
        self._wake()

    def advance(self) -> int:
        """Begin a new turn, which ends the one before everywhere, and return its number."""
        turn_id = self.reserve()
        self.begin(turn_id)
        return turn_id

    def abandon(self, turn_id: int) -> None:
        """A reserved turn will never begin; one that runs already goes on."""
        with self._lock:
            if turn_id > self._current:
                self._abandoned |= {turn_id}
        self._wake()

    def is_over(self, turn_id: int) -> bool:
        """Whether a newer turn has begun or this one was abandoned."""
        return turn_id < self._current or turn_id in self._abandoned

    def stop_test(self, turn_id: int) -> ShouldStop:
        """The `ShouldStop` for computations that belong to a turn."""
        return lambda: self.is_over(turn_id)

    def on_advance(self, wake: Callable[[], None]) -> None:
        """Call `wake` after each change, in the thread that caused it; it must be quick."""
        self._listeners.append(wake)

    def _wake(self) -> None:
        for wake in self._listeners:
            wake()
