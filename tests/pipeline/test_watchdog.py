"""Whom the watchdog restarts, and when: no threads, time by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kiosk.pipeline.progress import StageReport, StageState
from kiosk.pipeline.watchdog import Watchdog
from tests.pipeline.scripted_stage import NS_PER_S, HandClock


class PaperStage:
    """A stage that is only its report."""

    def __init__(self, clock: HandClock, state: StageState) -> None:
        self._clock = clock
        self.now = StageReport(name="voice", state=state, since_ns=clock(), heartbeat_ns=clock(), turn_id=7)
        self.reasons: list[str] = []
        self.given_up: list[str] = []
        self.refuses = False

    name = "voice"

    def report(self) -> StageReport:
        return self.now

    def restart(self, report: StageReport, reason: str) -> bool:
        if not self.refuses:
            self.reasons.append(reason)
            self.now = replace(self.now, heartbeat_ns=self._clock())
        return not self.refuses

    def proceed(self) -> bool:
        return False

    def give_up(self, report: StageReport, reason: str) -> bool:
        self.given_up.append(reason)
        self.now = replace(self.now, state=StageState.GIVEN_UP)
        return True


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


def run(watchdog: Watchdog, clock: HandClock, seconds: int) -> None:
    for _ in range(seconds):
        watchdog.check(clock.advance(1))


@pytest.mark.parametrize(
    ("state", "patience_s"), [(StageState.WORKING, 10), (StageState.LOADING, 120), (StageState.FAILED, 0)]
)
def test_each_state_has_its_patience(clock: HandClock, state: StageState, patience_s: int) -> None:
    stage = PaperStage(clock, state)
    watchdog = Watchdog([stage])
    watchdog.check(clock())
    stage.reasons.clear()
    stage.now = replace(stage.now, state=state, heartbeat_ns=clock())
    run(watchdog, clock, patience_s)
    assert stage.reasons == []
    run(watchdog, clock, 2)
    assert len(stage.reasons) == 1


@pytest.mark.parametrize(
    "state", [StageState.PENDING, StageState.IDLE, StageState.WAITING, StageState.GIVEN_UP, StageState.ENDED]
)
def test_whoever_waits_is_left_alone(clock: HandClock, state: StageState) -> None:
    stage = PaperStage(clock, state)
    run(Watchdog([stage]), clock, 1000)
    assert (stage.reasons, stage.given_up) == ([], [])


def test_signs_of_life_keep_it_going(clock: HandClock) -> None:
    stage = PaperStage(clock, StageState.WORKING)
    watchdog = Watchdog([stage])
    for _ in range(50):
        run(watchdog, clock, 9)
        stage.now = replace(stage.now, heartbeat_ns=clock())
    assert stage.reasons == []


@pytest.mark.parametrize(("slowest_s", "patience_s"), [(3, 10), (8, 16), (600, 30)])
def test_patience_follows_what_was_slow_before(clock: HandClock, slowest_s: int, patience_s: int) -> None:
    stage = PaperStage(clock, StageState.WORKING)
    stage.now = replace(stage.now, slowest_ns=slowest_s * NS_PER_S)
    watchdog = Watchdog([stage])
    watchdog.check(clock())
    run(watchdog, clock, patience_s)
    assert stage.reasons == []
    run(watchdog, clock, 1)
    assert stage.reasons == [f"no progress for {patience_s + 1} s"]


def test_a_machine_that_slept_is_no_stall(clock: HandClock) -> None:
    stage = PaperStage(clock, StageState.WORKING)
    watchdog = Watchdog([stage])
    run(watchdog, clock, 3)
    clock.advance(3600)
    run(watchdog, clock, 10)
    assert stage.reasons == []
    run(watchdog, clock, 2)
    assert len(stage.reasons) == 1


def test_a_stage_that_moved_on_meanwhile_gets_no_strike(clock: HandClock) -> None:
    stage = PaperStage(clock, StageState.WORKING)
    stage.refuses = True
    run(Watchdog([stage]), clock, 100)
    assert (stage.reasons, stage.given_up) == ([], [])


def test_the_fourth_failure_within_ten_minutes_is_the_last(clock: HandClock) -> None:
    stage = PaperStage(clock, StageState.WORKING)
    run(Watchdog([stage]), clock, 100)
    assert len(stage.reasons) == 3
    assert stage.given_up == ["failed 4 times within 10 minutes; restart the kiosk, see the log file"]
