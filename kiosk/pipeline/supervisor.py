"""Keeps one stage alive: owns its thread, and puts another in its place when it is stuck or has died.

All in the window's thread. Towards the pipeline a supervisor looks like the thread it owns: the same start, stop,
wait and signals, whatever thread runs behind. When to restart is decided by `kiosk.pipeline.watchdog`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import psutil
from PySide6.QtCore import QObject, Signal, Slot

from kiosk.events import Event, StageError
from kiosk.pipeline.inbox import Inbox
from kiosk.pipeline.progress import Progress, StageReport, StageState, Turns, WatchedTurns
from kiosk.pipeline.stage import Stage, StageThread, WatchedThread

log = logging.getLogger("watchdog")

SPARE_BYTES = 256 << 20
"""Memory that is left to the rest of the machine when a second copy of a model is loaded."""
ABANDONED_WAIT_MS = 200
"""For an abandoned thread at the end of the program: enough for one that only has to notice it."""

_left_behind: set[WatchedThread] = set()
"""Abandoned threads that still run. Qt ends the program when the object of a running thread is destroyed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The machine's memory."""

    resident_bytes: Callable[[], int] = lambda: int(psutil.Process().memory_info().rss)
    """What this process holds."""
    available_bytes: Callable[[], int] = lambda: int(psutil.virtual_memory().available)
    """What can be had without swapping."""


class ThreadSupervisor(QObject):
    """Owns the thread of one stage.

    Signals: `loaded(name)` once, for the first thread that gets so far; `errored(StageError)`, also for the turn that
    was in a stuck thread; `stage_state_changed(name, StageState)` with LOADING, IDLE, RESTARTING or GIVEN_UP.
    It does not know what the stage does, nor how long is too long.
    """

    loaded = Signal(str)
    errored = Signal(object)
    stage_state_changed = Signal(str, object)

    def __init__(
        self,
        name: str,
        make: Callable[[Progress], WatchedThread],
        scope: Turns,
        memory: Memory | None = None,
        now_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """Make the first thread; `start()` loads its model.

        Args:
            name: Of the stage.
            make: Makes a thread, not started, that reports to the given progress. Called again for each restart.
            scope: Tells which turn an error belongs to when the stage had none.
            memory: Tells whether a second copy of the model fits.
            now_ns: The clock of its signs of life.
        """
        super().__init__()
        self.setObjectName(name)
        self._make = make
        self._scope = scope
        self._memory = memory or Memory()
        self._now_ns = now_ns
        self._resident_before = 0
        self._model_bytes = 0
        self._was_loaded = self._is_stopping = self._has_given_up = False
        self._waits_for_memory = False
        self._restarts = 0
        self._restarted_at_s: float | None = None
        self._restart_ns = 0
        self._slowest_ns = 0
        self._abandoned: list[WatchedThread] = []
        self._thread = self._made()

    @property
    def name(self) -> str:
        """Of the stage."""
        return self.objectName()

    @property
    def thread_now(self) -> WatchedThread:
        """The thread that has the stage now."""
        return self._thread

    def start(self) -> None:
        """Load the model and begin to work."""
        self._resident_before = self._memory.resident_bytes()
        self._thread.start()
        self.stage_state_changed.emit(self.name, StageState.LOADING)

    def stop(self) -> None:
        """Ask all threads of this stage to end."""
        self._is_stopping = True
        self._waits_for_memory = False
        for thread in (self._thread, *self._abandoned):
            thread.stop()

    def wait(self, timeout_ms: int) -> bool:
        """Wait for the end after `stop`.

        Returns:
            False when a thread still runs, such as an abandoned one: the process must then end without destroying it.
        """
        has_ended = self._thread.wait(timeout_ms)
        return all([thread.wait(ABANDONED_WAIT_MS) for thread in self._abandoned]) and has_ended

    # For the watchdog

    def report(self) -> StageReport:
        """The stage now."""
        report = self._thread.progress.report()
        state, since_ns = report.state, report.since_ns
        if self._has_given_up or (state is StageState.FAILED and not self._was_loaded):
            state = StageState.GIVEN_UP
        elif self._waits_for_memory:
            state, since_ns = StageState.RESTARTING, self._restart_ns
        return replace(
            report,
            state=state,
            since_ns=since_ns,
            slowest_ns=max(report.slowest_ns, self._slowest_ns),
            restarts=self._restarts,
            restarted_at_s=self._restarted_at_s,
        )

    def restart(self, report: StageReport, reason: str) -> bool:
        """Put a fresh thread in the place of one that is stuck or dead.

        The turn that was in it gets a `StageError`. What waits in the inbox waits for the new thread.

        Args:
            report: As it was when the decision fell.
            reason: For the log.

        Returns:
            False when the thread has moved on since the report; then nothing was done.
        """
        if self._is_stopping or not self._leave(report):
            return False
        log.error("%s is restarted: %s", self.name, reason)
        self._restarts += 1
        self._restarted_at_s = time.time()
        self._restart_ns = self._now_ns()
        self._thread = self._made()
        self._waits_for_memory = True
        if report.turn_id is not None:
            self._tell(report.turn_id, f"{self.name}: {reason}; it is started again", is_permanent=False)
        if not self.proceed():
            log.warning("%s: no memory for a second copy of its model; waiting for the first to end", self.name)
            self.stage_state_changed.emit(self.name, StageState.RESTARTING)
        return True

    def proceed(self) -> bool:
        """Start the new thread if it waits for memory and there is enough by now.

        Returns:
            True when it no longer waits.
        """
        if self._waits_for_memory and self._has_room():
            self._waits_for_memory = False
            self._thread.start()
            self.stage_state_changed.emit(self.name, StageState.LOADING)
        return not self._waits_for_memory

    def give_up(self, report: StageReport, reason: str) -> bool:
        """Do not start it again.

        Args:
            report: As it was when the decision fell.
            reason: One line for the operator.

        Returns:
            False when the thread has moved on since the report; then nothing was done.
        """
        if self._is_stopping or not (self._waits_for_memory or self._leave(report)):
            return False
        log.error("%s is given up: %s", self.name, reason)
        self._has_given_up = True
        self._waits_for_memory = False
        turn_id = self._scope.current if report.turn_id is None else report.turn_id
        self._tell(turn_id, f"{self.name}: {reason}", is_permanent=True)
        self.stage_state_changed.emit(self.name, StageState.GIVEN_UP)
        return True

    def _made(self) -> WatchedThread:
        thread = self._make(Progress(self.name, is_reload=self._was_loaded, now_ns=self._now_ns))
        thread.loaded.connect(self._on_loaded)
        thread.errored.connect(self.errored)
        thread.finished.connect(self._on_finished)
        return thread

    def _leave(self, report: StageReport) -> bool:
        """Part with the present thread; false when it moves."""
        thread = self._thread
        if report.state is not StageState.FAILED and not thread.progress.abandon(report.heartbeat_ns):
            return False
        if not thread.isFinished():
            thread.requestInterruption()
            self._abandoned.append(thread)
            _left_behind.add(thread)
        return True

    def _has_room(self) -> bool:
        """One thread may be left with its model, or its model is freed."""
        if all(thread.isFinished() for thread in self._abandoned):
            return True
        return self._memory.available_bytes() >= self._model_bytes + SPARE_BYTES

    def _tell(self, turn_id: int, message: str, *, is_permanent: bool) -> None:
        self.errored.emit(StageError(turn_id=turn_id, stage=self.name, message=message, is_permanent=is_permanent))

    @Slot(str)
    def _on_loaded(self, _name: str) -> None:
        if self.sender() is not self._thread:
            return  # it was abandoned while the news was under way
        if not self._was_loaded:
            self._was_loaded = True
            self._model_bytes = max(0, self._memory.resident_bytes() - self._resident_before)
            self.loaded.emit(self.name)
        self.stage_state_changed.emit(self.name, StageState.IDLE)

    @Slot()
    def _on_finished(self) -> None:
        for thread in [thread for thread in self._abandoned if thread.isFinished()]:
            thread.wait()  # its last instructions, after the signal
            self._slowest_ns = max(self._slowest_ns, thread.progress.report().slowest_ns)
            self._abandoned.remove(thread)
            _left_behind.discard(thread)
            log.info("%s: an abandoned thread has ended, its model is freed", self.name)
        if not self._is_stopping:
            self.proceed()


class StageSupervisor(ThreadSupervisor):
    """Keeps a `Stage` alive: each restart loads a fresh one, for the same inbox and sinks.

    Signals: as its base; `produced(event)` for each event, after the sinks have it.
    """

    produced = Signal(object)

    def __init__(
        self,
        name: str,
        make_stage: Callable[[Turns], Stage],
        inbox: Inbox,
        scope: Turns,
        sinks: Sequence[Callable[[Event], object]] = (),
        niceness: int = 0,
        memory: Memory | None = None,
        now_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """Make the first stage and its thread; `start()` loads the model.

        Args:
            name: Of the stage.
            make_stage: Makes a stage that asks the given turns; loads nothing yet.
            inbox: Where its events come from.
            scope: Tells which turns are over.
            sinks: Called with each produced event in the stage's thread, in order; may block.
            niceness: As in `StageThread`.
            memory: As in `ThreadSupervisor`.
            now_ns: As in `ThreadSupervisor`.
        """

        def make(progress: Progress) -> WatchedThread:
            turns = WatchedTurns(scope, progress)
            thread = StageThread(make_stage(turns), inbox, turns, sinks, niceness, progress)
            thread.produced.connect(self.produced)
            return thread

        super().__init__(name, make, scope, memory, now_ns)
