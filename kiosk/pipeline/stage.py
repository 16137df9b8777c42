"""A resident stage: what it does (`Stage`, no thread) and the thread that runs it (`StageThread`).

A stage loads its model in the thread that will use it, so that pools and caches belong to that thread and inherit its
priority. Errors end at one border: expected ones become a `StageError` with their own line, anything else is logged
with its traceback and becomes a general line.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from PySide6.QtCore import QThread, Signal

from kiosk.errors import KioskError
from kiosk.events import Event, StageError
from kiosk.pipeline.inbox import Inbox
from kiosk.pipeline.progress import Progress, StageState, Turns
from models.errors import ModelError
from models.types import ShouldStop

log = logging.getLogger("stage")

SURPRISES_IN_A_ROW = 3
"""Errors that nobody foresaw, at events one after the other, after which the model itself is taken to be broken."""


class Stage(Protocol):
    """One step of a turn."""

    name: str
    """Short, stable: for logs, the loading screen and thread names."""

    def load(self, should_stop: ShouldStop) -> None:
        """Load and warm up the model in the calling thread.

        Args:
            should_stop: Asked between the steps; when it says true, the stage is closed next and never used.

        Raises:
            ModelError: The weights are missing or damaged.
        """
        ...

    def process(self, event: Event) -> Iterator[Event]:
        """Turn one event into others. Lazy: the work happens as the caller iterates."""
        ...

    def close(self) -> None:
        """Free the model."""
        ...


def set_niceness(niceness: int) -> None:
    """Lower the priority of the calling thread and of the pools that it will start (Linux only)."""
    if sys.platform == "linux" and niceness:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)


class WatchedThread(QThread):
    """A thread that gives signs of life, so that a supervisor can put another in its place.

    Signals: `loaded(name)` once; `errored(StageError)`. Neither comes once the thread is abandoned.
    """

    loaded = Signal(str)
    errored = Signal(object)

    def __init__(self, progress: Progress) -> None:
        """Make the thread; it reports to `progress` from its start to its end."""
        super().__init__()
        self.progress = progress
        self.setObjectName(progress.name)

    def is_told_to_stop(self) -> bool:
        """Whether to end after the step that runs; asked while loading, which is a sign of life."""
        self.progress.beat()
        return self.progress.is_abandoned or self.isInterruptionRequested()

    def stop(self) -> None:
        """Ask the thread to end; it does so after the step it is in."""
        self.requestInterruption()

    def report_error(self, turn_id: int, message: str, *, is_permanent: bool) -> None:
        """Log an error and tell it to the window, unless nobody counts on this thread any more."""
        log.error("%s: %s", self.objectName(), message)
        if not self.progress.is_abandoned:
            self.errored.emit(
                StageError(turn_id=turn_id, stage=self.objectName(), message=message, is_permanent=is_permanent)
            )


class StageThread(WatchedThread):
    """Runs one stage for the life of the program, or until it is stuck and another thread takes its place.

    Signals: `loaded(name)` once; `produced(event)` for each event, after the sinks have it; `errored(StageError)`.
    It knows neither the window nor the other stages.
    """

    produced = Signal(object)

    def __init__(
        self,
        stage: Stage,
        inbox: Inbox,
        scope: Turns,
        sinks: Sequence[Callable[[Event], object]] = (),
        niceness: int = 0,
        progress: Progress | None = None,
    ) -> None:
        """Make the thread; `start()` loads the model.

        Args:
            stage: What to run.
            inbox: Where its events come from.
            scope: Tells which turns are over.
            sinks: Called with each produced event in this thread, in order; may block.
            niceness: 0 (as the window) to 19 (whatever is left over), on Linux.
            progress: Where it shows signs of life, if anybody watches.
        """
        super().__init__(progress or Progress(stage.name))
        self._stage = stage
        self._inbox = inbox
        self._scope = scope
        self._sinks = tuple(sinks)
        self._niceness = niceness
        self._surprises = 0
        self._is_inbox_closed = False

    def stop(self) -> None:
        """Ask the thread to end; it does so after the step it is in."""
        super().stop()
        self._inbox.close()

    def run(self) -> None:
        """Load, then work until stopped, abandoned or broken."""
        threading.current_thread().name = self._stage.name  # for the log
        set_niceness(self._niceness)
        try:
            self._work()
        finally:
            is_told = self.isInterruptionRequested() or self._is_inbox_closed
            self.progress.enter(StageState.ENDED if is_told else StageState.FAILED)
            self._guarded(self._scope.current, self._stage.close, is_permanent=False)

    def _work(self) -> None:
        self.progress.enter(StageState.LOADING)
        # A stage that has worked before is tried again by its supervisor.
        if not self._guarded(self._scope.current, self._load, is_permanent=not self.progress.is_reload):
            return
        if self.progress.enter(StageState.IDLE) and not self.isInterruptionRequested():
            self.loaded.emit(self._stage.name)
        while self.progress.enter(StageState.IDLE) and self._surprises < SURPRISES_IN_A_ROW:
            event = self._inbox.get()
            if event is None:
                self._is_inbox_closed = True
                break
            self.progress.enter(StageState.WORKING, event.turn_id)
            if self._guarded(event.turn_id, lambda event=event: self._handle(event), is_permanent=False):  # type: ignore[misc]
                self._surprises = 0

    def _load(self) -> None:
        self._stage.load(self.is_told_to_stop)

    def _handle(self, event: Event) -> None:
        outputs = self._stage.process(event)
        for output in outputs:
            if self.isInterruptionRequested() or self._scope.is_over(output.turn_id):
                break
            if not self.progress.enter(StageState.WAITING, event.turn_id):
                break  # abandoned: another thread has this stage now
            for sink in self._sinks:
                sink(output)
            self.produced.emit(output)
            self.progress.enter(StageState.WORKING, event.turn_id)

    def _guarded(self, turn_id: int, work: Callable[[], None], *, is_permanent: bool) -> bool:
        try:
            work()
        except KioskError as error:
            self.report_error(turn_id, error.message, is_permanent=is_permanent or error.is_permanent)
        except ModelError as error:
            self.report_error(turn_id, str(error), is_permanent=is_permanent)
        except Exception:  # thread border: PySide6 would lose it and the stage would die unseen
            log.exception("%s failed", self._stage.name)
            self._surprises += 1
            message = f"{self._stage.name}: an internal error; see the log file"
            self.report_error(turn_id, message, is_permanent=is_permanent)
        else:
            return True
        return False
