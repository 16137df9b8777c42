"""The recogniser goes first: while it reads, language model and voice stand still between their steps.

Whoever speaks over an answer waits for the words to be known, and so does the answer that is held meanwhile. On few
cores priorities alone do not give the recogniser the processor: its steps wait for the slowest of its threads.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType

from kiosk.pipeline.progress import Turns
from models.types import ShouldStop

AT_MOST_S = 3.0
"""Longer than a question takes on a slow machine; a recogniser that hangs stops nobody else."""


class EarFirst:
    """A context manager for the recogniser; the others ask through `turns`. Safe from any thread."""

    def __init__(self, at_most_s: float = AT_MOST_S) -> None:
        self._at_most_s = at_most_s
        self._is_free = threading.Event()
        self._is_free.set()
        self._until_s = 0.0

    def __enter__(self) -> None:
        self._until_s = time.monotonic() + self._at_most_s
        self._is_free.clear()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_free.set()

    def wait(self) -> None:
        """Stand still while the recogniser reads."""
        if not self._is_free.is_set():
            self._is_free.wait(max(0.0, self._until_s - time.monotonic()))

    def turns(self, turns: Turns) -> Turns:
        """The same turns for a stage that stands still meanwhile: its `stop_test` waits."""
        return _PatientTurns(turns, self.wait)


class _PatientTurns:
    def __init__(self, turns: Turns, wait: Callable[[], None]) -> None:
        self._turns = turns
        self._wait = wait

    @property
    def current(self) -> int:
        return self._turns.current

    def is_over(self, turn_id: int) -> bool:
        return self._turns.is_over(turn_id)

    def stop_test(self, turn_id: int) -> ShouldStop:
        is_over = self._turns.stop_test(turn_id)

        def stops() -> bool:
            if is_over():
                return True
            self._wait()
            return is_over()

        return stops
