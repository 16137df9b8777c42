"""Stuck and dead stages, with real threads: replaced alone, unheard afterwards, given up in the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from kiosk.events import Question, ReplyClause, StageError
from kiosk.pipeline.inbox import Inbox
from kiosk.pipeline.progress import StageState
from kiosk.pipeline.scope import TurnScope
from kiosk.pipeline.stage import SURPRISES_IN_A_ROW
from kiosk.pipeline.supervisor import Memory, StageSupervisor
from kiosk.pipeline.watchdog import Limits, Watchdog
from tests.pipeline.scripted_stage import HandClock, Script


class Line:
    """One supervised stage: what goes in, what comes out, what it says."""

    def __init__(self, name: str, scope: TurnScope, clock: HandClock, memory: Memory | None = None) -> None:
        self.script = Script()
        self.scope = scope
        self.inbox = Inbox(8, scope)
        self.sunk: list[str] = []
        self.errors: list[StageError] = []
        self.states: list[StageState] = []
        self.loads: list[str] = []
        self.supervisor = StageSupervisor(
            name, self.script.make, self.inbox, scope, [self._sink], memory=memory, now_ns=clock
        )
        self.supervisor.errored.connect(self.errors.append)
        self.supervisor.loaded.connect(self.loads.append)
        self.supervisor.stage_state_changed.connect(lambda _name, state: self.states.append(state))

    def _sink(self, event: object) -> None:
        assert isinstance(event, ReplyClause)
        self.sunk.append(event.written)

    def ask(self, text: str) -> int:
        turn_id = self.scope.advance()
        self.inbox.put(Question(turn_id=turn_id, text=text, language="en"))
        return turn_id

    @property
    def state(self) -> StageState:
        return self.supervisor.report().state

    def end(self) -> None:
        self.script.gate.set()
        self.script.load_gate.set()
        self.supervisor.stop()
        deadline = time.monotonic() + 5
        while not self.supervisor.wait(1000):
            assert time.monotonic() < deadline


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def make_line(qtbot: QtBot, clock: HandClock) -> Iterator[Callable[..., Line]]:
    made: list[Line] = []

    def make(name: str = "voice", memory: Memory | None = None) -> Line:
        made.append(Line(name, TurnScope(), clock, memory))
        line = made[-1]
        line.supervisor.start()
        qtbot.waitUntil(lambda: line.loads == [name])
        return line

    yield make
    for line in made:
        line.end()


def pass_time(watchdog: Watchdog, clock: HandClock, seconds: float) -> None:
    """A check each second, as the window's timer does."""
    for _ in range(round(seconds)):
        watchdog.check(clock.advance(1))


def hang(line: Line, qtbot: QtBot) -> int:
    line.script.taken.clear()
    turn_id = line.ask("hang")
    assert line.script.taken.wait(5)
    qtbot.waitUntil(lambda: line.state is StageState.WORKING)
    return turn_id


def test_a_stuck_stage_is_replaced_alone_and_never_heard_again(
    make_line: Callable[..., Line], clock: HandClock, qtbot: QtBot
) -> None:
    line, other = make_line(), make_line("recogniser")
    watchdog = Watchdog([line.supervisor, other.supervisor])
    turn_id = hang(line, qtbot)
    pass_time(watchdog, clock, 10)
    assert line.errors == []
    pass_time(watchdog, clock, 1)
    (error,) = line.errors
    assert (error.turn_id, error.stage, error.is_permanent) == (turn_id, "voice", False)
    assert line.states[-1] is StageState.LOADING

    line.ask("next")
    qtbot.waitUntil(lambda: line.sunk == ["0 before", "1 next"])
    other.ask("as ever")
    qtbot.waitUntil(lambda: other.sunk == ["0 as ever"])
    assert (line.supervisor.report().restarts, other.supervisor.report().restarts) == (1, 0)
    assert line.loads == ["voice"], "the pipeline hears of the first load only"
    qtbot.waitUntil(lambda: line.states[-1] is StageState.IDLE)

    assert line.script.closed() == []
    line.script.gate.set()
    qtbot.waitUntil(lambda: line.script.closed() == [0])
    line.ask("after")
    qtbot.waitUntil(lambda: line.sunk == ["0 before", "1 next", "1 after"])


def test_one_that_comes_back_was_slow_and_gets_more_time(
    make_line: Callable[..., Line], clock: HandClock, qtbot: QtBot
) -> None:
    line = make_line()
    watchdog = Watchdog([line.supervisor])
    hang(line, qtbot)
    pass_time(watchdog, clock, 12)
    assert len(line.errors) == 1
    line.script.gate.set()
    qtbot.waitUntil(lambda: line.supervisor.report().slowest_ns >= 12e9)
    qtbot.waitUntil(lambda: line.state is StageState.IDLE)
    line.script.gate.clear()
    hang(line, qtbot)
    pass_time(watchdog, clock, 20)
    assert len(line.errors) == 1
    pass_time(watchdog, clock, 10)
    assert len(line.errors) == 2


def test_late_news_of_an_abandoned_thread_is_dropped(
    make_line: Callable[..., Line], clock: HandClock, qtbot: QtBot
) -> None:
    line = make_line()
    old = line.supervisor.thread_now
    hang(line, qtbot)
    line.script.load_gate.clear()
    pass_time(Watchdog([line.supervisor]), clock, 11)
    old.loaded.emit("voice")
    assert line.states[-1] is StageState.LOADING


def test_a_dead_stage_is_replaced(make_line: Callable[..., Line], clock: HandClock, qtbot: QtBot) -> None:
    line = make_line()
    watchdog = Watchdog([line.supervisor])
    for _ in range(SURPRISES_IN_A_ROW):
        line.inbox.put(Question(turn_id=line.scope.current, text="crash", language="en"))
    qtbot.waitUntil(lambda: line.state is StageState.FAILED)
    qtbot.waitUntil(lambda: len(line.errors) == SURPRISES_IN_A_ROW)
    pass_time(watchdog, clock, 1)
    line.ask("again")
    qtbot.waitUntil(lambda: line.sunk == ["1 again"])
    assert line.script.closed() == [0]


def test_a_stage_that_cannot_be_loaded_again_is_tried_three_times_and_given_up(
    make_line: Callable[..., Line], clock: HandClock, qtbot: QtBot
) -> None:
    line = make_line()
    watchdog = Watchdog([line.supervisor])
    line.script.refuses_to_load = True
    hang(line, qtbot)
    pass_time(watchdog, clock, 11)
    for copies in (2, 3, 4):
        qtbot.waitUntil(lambda: line.state is StageState.FAILED)
        assert len(line.script.copies) == copies
        pass_time(watchdog, clock, 8)
    assert line.state is StageState.GIVEN_UP
    assert [error.is_permanent for error in line.errors] == [False, False, False, False, True]
    assert "4 times within 10 minutes" in line.errors[-1].message
    pass_time(watchdog, clock, 1000)
    assert len(line.script.copies) == 4


def test_a_stage_that_hangs_again_and_again_is_given_up_and_old_strikes_are_forgotten(
    make_line: Callable[..., Line], clock: HandClock, qtbot: QtBot
) -> None:
    line = make_line()
    watchdog = Watchdog([line.supervisor])
    for strike in range(1, 7):
        hang(line, qtbot)
        pass_time(watchdog, clock, 11)
        if strike == 2:
            qtbot.waitUntil(lambda: line.state is StageState.IDLE)
            pass_time(watchdog, clock, 620)
        if line.state is StageState.GIVEN_UP:
            break
        qtbot.waitUntil(lambda: line.state is StageState.IDLE)
    assert strike == 6, "two, then ten quiet minutes, then three more are forgiven"
    assert [error.is_permanent for error in line.errors] == [False] * 5 + [True]


def test_loading_is_given_more_time_and_is_restarted_too(clock: HandClock, qtbot: QtBot) -> None:
    line = Line("voice", TurnScope(), clock)
    line.script.load_gate.clear()
    watchdog = Watchdog([line.supervisor], Limits(loading_s=60))
    line.supervisor.start()
    assert line.script.loading.wait(5)
    pass_time(watchdog, clock, 60)
    assert len(line.script.copies) == 1
    pass_time(watchdog, clock, 1)
    assert len(line.script.copies) == 2
    line.script.load_gate.set()
    qtbot.waitUntil(lambda: line.loads == ["voice"])
    line.ask("at last")
    qtbot.waitUntil(lambda: line.sunk == ["1 at last"])
    qtbot.waitUntil(lambda: line.script.closed() == [0])
    assert line.loads == ["voice"], "the abandoned copy's news of being loaded is dropped"
    assert line.errors == []
    line.end()


def test_a_first_load_that_fails_is_not_tried_again(clock: HandClock, qtbot: QtBot) -> None:
    line = Line("voice", TurnScope(), clock)
    line.script.refuses_to_load = True
    watchdog = Watchdog([line.supervisor])
    line.supervisor.start()
    qtbot.waitUntil(lambda: len(line.errors) == 1)
    assert line.errors[0].is_permanent
    pass_time(watchdog, clock, 30)
    assert (line.state, len(line.script.copies)) == (StageState.GIVEN_UP, 1)
    line.end()


class LittleMemory:
    """A machine on which the first load takes 2 GiB and leaves 1 GiB."""

    def __init__(self) -> None:
        self.resident_gib = iter([1, 3])
        self.available_gib = 1

    def memory(self) -> Memory:
        return Memory(
            resident_bytes=lambda: next(self.resident_gib) << 30, available_bytes=lambda: self.available_gib << 30
        )


def test_without_memory_for_a_second_copy_it_waits_for_the_first_to_end(
    make_line: Callable[..., Line], clock: HandClock, qtbot: QtBot
) -> None:
    line = make_line(memory=LittleMemory().memory())
    watchdog = Watchdog([line.supervisor])
    hang(line, qtbot)
    pass_time(watchdog, clock, 30)
    assert (line.state, line.states[-1]) == (StageState.RESTARTING, StageState.RESTARTING)
    line.script.gate.set()
    qtbot.waitUntil(lambda: line.state is StageState.IDLE)
    line.ask("now")
    qtbot.waitUntil(lambda: line.sunk[-1] == "1 now")


def test_memory_that_becomes_free_elsewhere_serves_too(
    make_line: Callable[..., Line], clock: HandClock, qtbot: QtBot
) -> None:
    machine = LittleMemory()
    line = make_line(memory=machine.memory())
    watchdog = Watchdog([line.supervisor])
    hang(line, qtbot)
    pass_time(watchdog, clock, 30)
    assert line.state is StageState.RESTARTING
    machine.available_gib = 3
    pass_time(watchdog, clock, 1)
    qtbot.waitUntil(lambda: line.state is StageState.IDLE)


def test_no_memory_for_a_minute_is_for_the_operator(
    make_line: Callable[..., Line], clock: HandClock, qtbot: QtBot
) -> None:
    line = make_line(memory=LittleMemory().memory())
    watchdog = Watchdog([line.supervisor])
    hang(line, qtbot)
    pass_time(watchdog, clock, 11 + 61)
    assert line.state is StageState.GIVEN_UP
    assert line.errors[-1].is_permanent
    assert "no memory" in line.errors[-1].message
    line.script.gate.set()
    qtbot.waitUntil(lambda: line.script.closed() == [0])
    assert line.state is StageState.GIVEN_UP


def test_stopping_takes_no_time_though_an_abandoned_thread_is_blocked(
    make_line: Callable[..., Line], clock: HandClock, qtbot: QtBot
) -> None:
    line = make_line()
    watchdog = Watchdog([line.supervisor])
    hang(line, qtbot)
    pass_time(watchdog, clock, 11)
    qtbot.waitUntil(lambda: line.state is StageState.IDLE)
    began = time.monotonic()
    line.supervisor.stop()
    assert not line.supervisor.wait(4000), "the blocked thread is reported as late"
    assert time.monotonic() - began < 3


def test_nothing_is_restarted_while_the_program_ends(
    make_line: Callable[..., Line], clock: HandClock, qtbot: QtBot
) -> None:
    line = make_line()
    hang(line, qtbot)
    line.supervisor.stop()
    pass_time(Watchdog([line.supervisor]), clock, 60)
    assert (len(line.script.copies), line.errors) == (1, [])
