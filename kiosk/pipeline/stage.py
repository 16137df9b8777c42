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
from kiosk.pipeline.scope import TurnScope
from models.errors import ModelError
from models.types import ShouldStop

log = logging.getLogger("stage")


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


class StageThread(QThread):
    """Runs one stage for the life of the program.

    Signals: `loaded(name)` once; `produced(event)` for each event, after the sinks have it; `errored(StageError)`.
    It knows neither the window nor the other stages.
    """

    loaded = Signal(str)
    produced = Signal(object)
    errored = Signal(object)

    def __init__(
        self,
        stage: Stage,
        inbox: Inbox,
        scope: TurnScope,
        sinks: Sequence[Callable[[Event], object]] = (),
        niceness: int = 0,
    ) -> None:
        """Make the thread; `start()` loads the model.

        Args:
            stage: What to run.
            inbox: Where its events come from.
            scope: Tells which turns are over.
            sinks: Called with each produced event in this thread, in order; may block.
            niceness: 0 (as the window) to 19 (whatever is left over), on Linux.
        """
        super().__init__()
        self.setObjectName(stage.name)
        self._stage = stage
        self._inbox = inbox
        self._scope = scope
        self._sinks = tuple(sinks)
        self._niceness = niceness

    def stop(self) -> None:
        """Ask the thread to end; it does so after the step it is in."""
        self.requestInterruption()
        self._inbox.close()

    def run(self) -> None:
        """Load, then work until stopped."""
        threading.current_thread().name = self._stage.name  # for the log
        set_niceness(self._niceness)
        if self._guarded(self._scope.current, self._load, is_permanent=True):
            if not self.isInterruptionRequested():
                self.loaded.emit(self._stage.name)
            while (event := self._inbox.get()) is not None:
                self._guarded(event.turn_id, lambda event=event: self._handle(event), is_permanent=False)  # type: ignore[misc]
        self._guarded(self._scope.current, self._stage.close, is_permanent=False)

    def _load(self) -> None:
        self._stage.load(self.isInterruptionRequested)

    def _handle(self, event: Event) -> None:
        outputs = self._stage.process(event)
        for output in outputs:
            if self.isInterruptionRequested() or self._scope.is_over(output.turn_id):
                break
            for sink in self._sinks:
                sink(output)
            self.produced.emit(output)

    def _guarded(self, turn_id: int, work: Callable[[], None], *, is_permanent: bool) -> bool:
        try:
            work()
        except KioskError as error:
            self._report(turn_id, error.message, is_permanent or error.is_permanent)
        except ModelError as error:
            self._report(turn_id, str(error), is_permanent)
        except Exception:  # thread border: PySide6 would lose it and the stage would die unseen
            log.exception("%s failed", self._stage.name)
            self._report(turn_id, f"{self._stage.name}: an internal error; see the log file", is_permanent)
        else:
            return True
        return False

    def _report(self, turn_id: int, message: str, is_permanent: bool) -> None:
        log.error("%s: %s", self._stage.name, message)
        self.errored.emit(
            StageError(turn_id=turn_id, stage=self._stage.name, message=message, is_permanent=is_permanent)
        )
