"""While the recogniser reads, the other stages stand still; a recogniser that hangs stops nobody."""

from __future__ import annotations

import threading
import time

from kiosk.pipeline.ear_first import EarFirst
from kiosk.pipeline.scope import TurnScope


def test_work_goes_on_once_the_recogniser_has_finished() -> None:
    ear_first, scope = EarFirst(60), TurnScope()
    turn_id = scope.advance()
    stops = ear_first.turns(scope).stop_test(turn_id)
    assert not stops()
    answers: list[bool] = []
    work = threading.Thread(target=lambda: answers.append(stops()))
    with ear_first:
        work.start()
        work.join(0.2)
        assert work.is_alive()
    work.join(10)
    assert answers == [False]


def test_a_turn_that_is_over_waits_for_nobody_and_one_that_ends_meanwhile_stops() -> None:
    ear_first, scope = EarFirst(60), TurnScope()
    turn_id = scope.advance()
    turns = ear_first.turns(scope)
    stops = turns.stop_test(turn_id)
    with ear_first:
        scope.advance()
        assert stops()
    assert turns.is_over(turn_id)
    assert turns.current == scope.current


def test_a_recogniser_that_hangs_is_waited_for_once() -> None:
    ear_first, scope = EarFirst(0.2), TurnScope()
    stops = ear_first.turns(scope).stop_test(scope.advance())
    ear_first.__enter__()
    begin = time.monotonic()
    assert not any(stops() for _ in range(1000))
    assert 0.15 < time.monotonic() - begin < 20
