"""Numbers of turns: running, reserved, abandoned."""

from __future__ import annotations

from kiosk.pipeline.scope import TurnScope


def test_a_candidate_runs_beside_the_turn_until_it_begins() -> None:
    scope = TurnScope()
    old = scope.advance()
    candidate = scope.reserve()
    assert (scope.is_over(old), scope.is_over(candidate), scope.current) == (False, False, old)
    scope.begin(candidate)
    assert (scope.is_over(old), scope.is_over(candidate), scope.current) == (True, False, candidate)


def test_an_abandoned_candidate_is_over_and_the_turn_goes_on() -> None:
    scope = TurnScope()
    old, candidate = scope.advance(), scope.reserve()
    should_stop = scope.stop_test(candidate)
    scope.abandon(candidate)
    assert should_stop()
    assert not scope.is_over(old)
    assert scope.advance() == candidate + 1


def test_a_running_turn_cannot_be_abandoned() -> None:
    scope = TurnScope()
    turn = scope.advance()
    scope.abandon(turn)
    assert not scope.is_over(turn)


def test_a_late_candidate_does_not_end_a_newer_turn() -> None:
    scope = TurnScope()
    candidate = scope.reserve()
    newer = scope.advance()
    scope.begin(candidate)
    assert (scope.current, scope.is_over(candidate)) == (newer, True)


def test_who_waits_is_woken_by_each_change() -> None:
    scope = TurnScope()
    woken: list[int] = []
    scope.on_advance(lambda: woken.append(scope.current))
    scope.advance()
    scope.abandon(scope.reserve())
    assert woken == [1, 1]
