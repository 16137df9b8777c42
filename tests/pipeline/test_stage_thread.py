"""The thread of one stage: what goes through, what it tells about itself, how it ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from kiosk.events import Event, Question, ReplyClause, StageError
from kiosk.pipeline.inbox import Inbox
from kiosk.pipeline.progress import Progress, StageState, WatchedTurns
from kiosk.pipeline.scope import TurnScope
from kiosk.pipeline.stage import SURPRISES_IN_A_ROW, StageThread
from tests.pipeline.scripted_stage import NS_PER_S, HandClock, Script


class Bench:
    """One real stage thread with everything around it."""

    def __init__(self, capacity: int = 8) -> None:
        self.script = Script()
        self.clock = HandClock()
        self.scope = TurnScope()
        self.scope.advance()
        self.inbox = Inbox(8, self.scope)
        self.outbox = Inbox(capacity, self.scope)
        self.progress = Progress("voice", now_ns=self.clock)
        turns = WatchedTurns(self.scope, self.progress)
        self.stage = self.script.make(turns)
        self.thread = StageThread(self.stage, self.inbox, turns, [self.outbox.put], 0, self.progress)
        self.errors: list[StageError] = []
        self.thread.errored.connect(self.errors.append)

    def ask(self, text: str) -> int:
        turn_id = self.scope.current
        self.inbox.put(Question(turn_id=turn_id, text=text, language="en"))
        return turn_id

    def heard(self) -> str:
        event = self.outbox.get()
        assert isinstance(event, ReplyClause)
        return event.written

    @property
    def state(self) -> StageState:
        return self.progress.report().state


@pytest.fixture
def bench(qtbot: QtBot) -> Iterator[Bench]:
    made = Bench()
    yield made
    made.scope.advance()
    made.script.gate.set()
    made.script.load_gate.set()
    made.thread.stop()
    made.outbox.close()
    assert made.thread.wait(5000)


def test_it_tells_what_it_is_doing(bench: Bench, qtbot: QtBot) -> None:
    assert bench.state is StageState.PENDING
    bench.script.load_gate.clear()
    bench.thread.start()
    assert bench.script.loading.wait(5)
    assert bench.state is StageState.LOADING
    with qtbot.waitSignal(bench.thread.loaded, timeout=5000):
        bench.script.load_gate.set()
    qtbot.waitUntil(lambda: bench.state is StageState.IDLE)
    began_ns = bench.clock.advance(5)
    turn_id = bench.ask("hang")
    assert bench.script.taken.wait(5)
    bench.clock.advance(7)
    report = bench.progress.report()
    assert (report.state, report.turn_id) == (StageState.WORKING, turn_id)
    assert (report.since_ns, report.heartbeat_ns) == (began_ns, began_ns)
    bench.script.gate.set()
    qtbot.waitUntil(lambda: bench.state is StageState.IDLE)
    assert bench.progress.report().slowest_ns == 7 * NS_PER_S


def test_a_long_decode_that_asks_whether_to_stop_is_progress(bench: Bench, qtbot: QtBot) -> None:
    bench.thread.start()
    bench.ask("decode")
    assert bench.script.taken.wait(5)
    now_ns = bench.clock.advance(60)
    qtbot.waitUntil(lambda: bench.progress.report().heartbeat_ns == now_ns)
    assert bench.state is StageState.WORKING
    bench.scope.advance()
    qtbot.waitUntil(lambda: bench.state is StageState.IDLE)


def test_waiting_for_the_next_stage_is_not_working(qtbot: QtBot) -> None:
    bench = Bench(capacity=1)
    bench.thread.start()
    bench.ask("one")
    bench.ask("two")
    qtbot.waitUntil(lambda: bench.state is StageState.WAITING)
    bench.clock.advance(100)
    assert not bench.progress.abandon(bench.progress.report().heartbeat_ns)
    assert (bench.heard(), bench.heard()) == ("0 one", "0 two")
    bench.thread.stop()
    assert bench.thread.wait(5000)
    assert bench.state is StageState.ENDED


def test_errors_that_were_foreseen_leave_the_thread_alive(bench: Bench, qtbot: QtBot) -> None:
    bench.thread.start()
    for _ in range(2 * SURPRISES_IN_A_ROW):
        bench.ask("fail")
    bench.ask("still here")
    assert bench.heard() == "0 still here"
    qtbot.waitUntil(lambda: len(bench.errors) == 2 * SURPRISES_IN_A_ROW)
    assert not any(error.is_permanent for error in bench.errors)


def test_surprises_at_one_event_after_the_other_end_the_thread(bench: Bench, qtbot: QtBot) -> None:
    bench.thread.start()
    nearly = ["crash"] * (SURPRISES_IN_A_ROW - 1)
    for text in [*nearly, "fine", *nearly, "again fine", *nearly, "crash"]:
        bench.ask(text)
    assert (bench.heard(), bench.heard()) == ("0 fine", "0 again fine")
    assert bench.thread.wait(5000)
    assert bench.state is StageState.FAILED
    assert bench.stage.is_closed


def test_a_first_load_that_fails_is_for_the_operator(bench: Bench, qtbot: QtBot) -> None:
    bench.script.refuses_to_load = True
    with qtbot.waitSignal(bench.thread.errored, timeout=5000):
        bench.thread.start()
    assert bench.errors[0].is_permanent
    assert bench.thread.wait(5000)
    assert bench.state is StageState.FAILED


def test_an_abandoned_thread_hands_over_nothing_and_takes_no_event(bench: Bench, qtbot: QtBot) -> None:
    news: list[Event] = []
    bench.thread.produced.connect(news.append)
    bench.thread.start()
    bench.ask("hang")
    assert bench.script.taken.wait(5)
    assert bench.heard() == "0 before"
    assert bench.progress.abandon(bench.progress.report().heartbeat_ns)
    bench.ask("next")
    bench.script.gate.set()
    assert bench.thread.wait(5000)
    qtbot.wait(20)
    assert [event.written for event in news if isinstance(event, ReplyClause)] == ["0 before"]
    assert bench.outbox.offer(Question(turn_id=bench.scope.current, text="", language="en")), "nothing lies there"
    waiting = bench.inbox.get()
    assert isinstance(waiting, Question)
    assert waiting.text == "next"
    assert bench.stage.is_closed
    assert bench.errors == []


def test_errors_of_an_abandoned_thread_are_nobodys_news(bench: Bench, qtbot: QtBot) -> None:
    bench.thread.start()
    bench.ask("hang and crash")
    assert bench.script.taken.wait(5)
    assert bench.progress.abandon(bench.progress.report().heartbeat_ns)
    bench.script.gate.set()
    assert bench.thread.wait(5000)
    qtbot.wait(20)
    assert bench.errors == []


def test_nothing_gets_out_even_of_a_stage_that_asks_nobody(qtbot: QtBot) -> None:
    bench = Bench()
    thread = StageThread(bench.stage, bench.inbox, bench.scope, [bench.outbox.put], 0, bench.progress)
    thread.start()
    bench.ask("hang")
    assert bench.script.taken.wait(5)
    assert bench.heard() == "0 before"
    assert bench.progress.abandon(bench.progress.report().heartbeat_ns)
    bench.script.gate.set()
    assert thread.wait(5000)
    assert bench.outbox.offer(Question(turn_id=bench.scope.current, text="", language="en")), "nothing lies there"


def test_every_turn_is_over_for_an_abandoned_stage() -> None:
    progress, scope = Progress("voice", now_ns=HandClock()), TurnScope()
    turns = WatchedTurns(scope, progress)
    progress.enter(StageState.WORKING, scope.current)
    should_stop = turns.stop_test(scope.current)
    assert not should_stop()
    assert progress.abandon(progress.report().heartbeat_ns)
    assert should_stop()
    assert not scope.is_over(scope.current)


def test_a_thread_that_moved_on_is_not_abandoned() -> None:
    clock = HandClock()
    progress = Progress("voice", now_ns=clock)
    progress.enter(StageState.WORKING, 1)
    seen = progress.report()
    clock.advance(11)
    progress.beat()
    assert not progress.abandon(seen.heartbeat_ns)
    assert progress.enter(StageState.IDLE)
    assert not progress.abandon(progress.report().heartbeat_ns), "it can be reached through its inbox"
