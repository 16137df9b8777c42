"""Signs of life of a working thread: what it is doing, since when, and when it last got anywhere.

    pending ─► loading ─► idle ⇄ working ⇄ waiting (the next stage is full)
                  └──────────┴──► failed (the thread ended by itself) or ended (it was told to)

The thread writes, the watchdog reads. A native call that hangs cannot be killed: its thread is *abandoned* instead.
From that moment it is told to stop wherever it asks, and `enter` refuses, so that nothing of it gets out any more.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from models.types import ShouldStop

STUCK_NS = 3_000_000_000
"""A stage with an event that has shown no sign of life for so long is given no other."""


class StageState(Enum):
    """What a stage is doing."""

    PENDING = "pending"
    """Not started yet."""
    LOADING = "loading"
    """Loads and warms up its model."""
    IDLE = "idle"
    """Waits for an event."""
    WORKING = "working"
    """Has an event; only here silence is suspicious."""
    WAITING = "waiting"
    """Hands over what it made, to a stage that may be busy."""
    RESTARTING = "restarting"
    """Waits for memory before it loads again."""
    FAILED = "failed"
    """Its thread ended by itself."""
    GIVEN_UP = "given up"
    """Not started again: it could not be loaded, or failed too often."""
    ENDED = "ended"
    """Its thread was told to end."""

    @property
    def is_ready(self) -> bool:
        """The stage answers, at once or after what it is doing."""
        return self in (StageState.IDLE, StageState.WORKING, StageState.WAITING)


@dataclass(frozen=True, slots=True, kw_only=True)
class StageReport:
    """A stage at one moment. Times are time.monotonic_ns()."""

    name: str
    """Of the stage."""
    state: StageState
    """What it is doing."""
    since_ns: int
    """Since when; for working and waiting, since the event was taken."""
    heartbeat_ns: int
    """The last sign of progress."""
    turn_id: int | None = None
    """The turn it works on."""
    slowest_ns: int = 0
    """The longest silence in the middle of work after which it went on: below that it is slow, not stuck."""
    restarts: int = 0
    """How often it was started again."""
    restarted_at_s: float | None = None
    """time.time() of the last restart."""

    @property
    def is_busy(self) -> bool:
        """Whether it has an event."""
        return self.state in (StageState.WORKING, StageState.WAITING)

    def is_usable(self, now_ns: int) -> bool:
        """Whether a question may be handed to it: it works, and is not stuck."""
        is_stuck = self.state is StageState.WORKING and now_ns - self.heartbeat_ns > STUCK_NS
        return self.state.is_ready and not is_stuck


class Turns(Protocol):
    """What a stage may ask about turns; `kiosk.pipeline.scope.TurnScope` answers."""

    @property
    def current(self) -> int:
        """The running turn."""
        ...

    def is_over(self, turn_id: int) -> bool:
        """Whether nobody wants the rest of this turn."""
        ...

    def stop_test(self, turn_id: int) -> ShouldStop:
        """The `ShouldStop` for computations that belong to a turn."""
        ...


class Progress:
    """The signs of life of one thread, from its start to its end."""

    def __init__(self, name: str, *, is_reload: bool = False, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        """Begin in the pending state.

        Args:
            name: Of the stage.
            is_reload: The stage has worked before: if it cannot be loaded now, trying again may help.
            now_ns: The clock.
        """
        self.name = name
        self.is_reload = is_reload
        self._now_ns = now_ns
        self._lock = threading.Lock()
        self._state = StageState.PENDING
        self._turn_id: int | None = None
        self._since_ns = self._heartbeat_ns = now_ns()
        self._slowest_ns = 0
        self._is_abandoned = False

    @property
    def is_abandoned(self) -> bool:
        """Another thread has taken over; whatever this one still makes is dropped."""
        return self._is_abandoned

    def enter(self, state: StageState, turn_id: int | None = None) -> bool:
        """Change the state, which is a sign of life.

        Returns:
            False when the thread was abandoned: it must hand over nothing, take no event, and end.
        """
        with self._lock:
            self._beat()
            if self._is_abandoned:
                return False
            same_event = {state, self._state} == {StageState.WORKING, StageState.WAITING} and turn_id == self._turn_id
            if not same_event:
                self._since_ns = self._heartbeat_ns
            self._state, self._turn_id = state, turn_id
            return True

    def beat(self) -> None:
        """Get on with the work that was begun: a sign of life."""
        with self._lock:
            self._beat()

    def report(self) -> StageReport:
        """What is known now; from any thread."""
        with self._lock:
            return StageReport(
                name=self.name,
                state=self._state,
                since_ns=self._since_ns,
                heartbeat_ns=self._heartbeat_ns,
                turn_id=self._turn_id,
                slowest_ns=self._slowest_ns,
            )

    def abandon(self, heartbeat_ns: int) -> bool:
        """Give the thread up, unless it has moved on.

        Args:
            heartbeat_ns: The last sign of life when it was found to be stuck.

        Returns:
            False when there was a later one, or when it can be reached (idle, or handing over): it is not stuck.
        """
        with self._lock:
            can_be_stuck = self._state in (StageState.LOADING, StageState.WORKING)
            self._is_abandoned |= can_be_stuck and heartbeat_ns == self._heartbeat_ns
            return self._is_abandoned

    def _beat(self) -> None:
        now_ns = self._now_ns()
        if self._state is StageState.WORKING:
            self._slowest_ns = max(self._slowest_ns, now_ns - self._heartbeat_ns)
        self._heartbeat_ns = now_ns


class WatchedTurns:
    """The turns as one stage sees them: to ask about one is a sign of life, and all are over once it is abandoned.

    Models ask between the steps of a long computation, so an answer of a hundred tokens gives a hundred signs.
    """

    def __init__(self, turns: Turns, progress: Progress) -> None:
        self._turns = turns
        self._progress = progress

    @property
    def current(self) -> int:
        """The running turn."""
        return self._turns.current

    def is_over(self, turn_id: int) -> bool:
        """Whether nobody wants the rest of this turn."""
        self._progress.beat()
        return self._progress.is_abandoned or self._turns.is_over(turn_id)

    def stop_test(self, turn_id: int) -> ShouldStop:
        """The `ShouldStop` for computations that belong to a turn."""
        return lambda: self.is_over(turn_id)
