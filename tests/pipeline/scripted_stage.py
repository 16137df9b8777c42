"""A stage that does what its questions say, and a clock that is turned by hand: for tests with real threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from kiosk.events import Event, Question, ReplyClause
from kiosk.pipeline.progress import Turns
from models.errors import ModelError
from models.types import ShouldStop

NS_PER_S = 1_000_000_000


class HandClock:
    """time.monotonic_ns() for the test to move."""

    def __init__(self) -> None:
        self._now_ns = 1_000 * NS_PER_S

    def __call__(self) -> int:
        return self._now_ns

    def advance(self, seconds: float) -> int:
        self._now_ns += round(seconds * NS_PER_S)
        return self._now_ns


class Script:
    """What the copies of a stage do, and what became of them."""

    def __init__(self) -> None:
        self.copies: list[ScriptedStage] = []
        self.gate = threading.Event()
        """Lets hanging copies go."""
        self.load_gate = threading.Event()
        """Lets the loading of a copy end; open unless a test closes it."""
        self.load_gate.set()
        self.taken = threading.Event()
        """A copy hangs."""
        self.loading = threading.Event()
        """A copy loads."""
        self.refuses_to_load = False

    def make(self, turns: Turns) -> ScriptedStage:
        self.copies.append(ScriptedStage(self, turns, len(self.copies)))
        return self.copies[-1]

    def closed(self) -> list[int]:
        return [copy.number for copy in self.copies if copy.is_closed]


class ScriptedStage:
    """Answers a question with its own number and the text.

    "hang" blocks as a native call does ("hang and crash": and fails when it returns), "decode" works for long but
    asks whether to stop, "crash" fails as nobody foresaw, "fail" fails as a model may.
    """

    name = "voice"

    def __init__(self, script: Script, turns: Turns, number: int) -> None:
        self._script = script
        self._turns = turns
        self.number = number
        self.is_closed = False
        self.steps = 0

    def load(self, should_stop: ShouldStop) -> None:
        self._script.loading.set()
        assert self._script.load_gate.wait(20)
        if self._script.refuses_to_load:
            raise ModelError("weights: damaged; run models fetch")

    def process(self, event: Event) -> Iterator[Event]:
        assert isinstance(event, Question)
        if event.text == "fail":
            raise ModelError("the server does not answer")
        if event.text.startswith("hang"):
            yield self._clause(event, "before")
            self._script.taken.set()
            assert self._script.gate.wait(20)
        if event.text.endswith("crash"):
            raise RuntimeError("unforeseen")
        if event.text == "decode":
            while not self._turns.is_over(event.turn_id):
                self.steps += 1
                self._script.taken.set()
        yield self._clause(event, event.text)

    def close(self) -> None:
        self.is_closed = True

    def _clause(self, event: Question, text: str) -> ReplyClause:
        written = f"{self.number} {text}"
        return ReplyClause(turn_id=event.turn_id, index=0, written=written, spoken="", language="en")
