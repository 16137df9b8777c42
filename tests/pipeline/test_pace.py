"""How long a visitor waits before a person is called follows what the machine usually needs."""

from __future__ import annotations

import pytest

from kiosk.pipeline.pace import (
    ENOUGH,
    FACTOR,
    FAILED_SILENCE_S,
    KEPT,
    LEAST_S,
    PREPARED_S,
    UNKNOWN_S,
    AnswerPace,
)

DEADLINE_S = 30.0


def answered(pace: AnswerPace, wait_s: float, now_s: float) -> None:
    pace.asked(now_s)
    pace.worded(now_s + wait_s)


def test_a_machine_that_is_not_known_gets_time() -> None:
    pace = AnswerPace(DEADLINE_S)
    assert pace.wait_limit_s == UNKNOWN_S
    for i in range(ENOUGH):
        answered(pace, 1.0, 10.0 * i)
    assert pace.wait_limit_s == LEAST_S


def test_the_limit_follows_what_was_needed() -> None:
    pace = AnswerPace(DEADLINE_S)
    for i in range(KEPT):
        answered(pace, 4.0, 10.0 * i)
    assert pace.wait_limit_s == pytest.approx(4.0 * FACTOR)
    for i in range(KEPT):
        answered(pace, 0.9, 1000 + 10.0 * i)
    assert pace.wait_limit_s == LEAST_S
    for i in range(KEPT):
        answered(pace, 29.0, 2000 + 40.0 * i)
    assert pace.wait_limit_s == DEADLINE_S


def test_prepared_sound_says_nothing_about_the_machine() -> None:
    pace = AnswerPace(DEADLINE_S)
    for i in range(KEPT):
        answered(pace, PREPARED_S / 2, 10.0 * i)
    assert pace.wait_limit_s == UNKNOWN_S


def test_a_machine_that_has_become_slower_is_not_given_up_for_good() -> None:
    pace = AnswerPace(DEADLINE_S)
    for i in range(KEPT):
        answered(pace, 1.0, 10.0 * i)
    given_up, now_s, needed_s = 0, 1000.0, 6.0
    for _ in range(20):
        pace.asked(now_s)
        while now_s % 100 < needed_s and not pace.is_overdue(now_s, False):
            now_s += 0.1
        if now_s % 100 < needed_s:
            given_up += 1
        else:
            pace.worded(now_s)
        now_s = 100 * (now_s // 100 + 1)
    assert 2 <= given_up <= 12
    assert pace.wait_limit_s > needed_s


def test_it_is_overdue_once() -> None:
    pace = AnswerPace(DEADLINE_S)
    pace.asked(0)
    assert pace.is_overdue(UNKNOWN_S + 1, False)
    assert not pace.is_overdue(UNKNOWN_S + 2, False)


def test_what_is_said_without_a_question_is_never_overdue_once_it_is_worded() -> None:
    pace = AnswerPace(DEADLINE_S)
    pace.began(0)
    pace.worded(0.1)
    assert not any(pace.is_overdue(float(second), False) for second in range(1, 100))


def test_an_answer_that_has_failed_is_not_waited_for() -> None:
    pace = AnswerPace(DEADLINE_S)
    pace.asked(0)
    pace.worded(0.5)
    pace.nothing_more_comes()
    assert not pace.is_overdue(1.0, True, True), "what there is is heard first"
    assert not pace.is_overdue(2.0, False, True), "its next sentence may be ready in a moment"
    assert pace.is_overdue(2.1 + FAILED_SILENCE_S, False, True)


def test_an_answer_that_has_failed_ends_with_its_sound() -> None:
    pace = AnswerPace(DEADLINE_S)
    pace.asked(0)
    pace.worded(0.5)
    pace.nothing_more_comes()
    assert pace.is_overdue(1.0, False, False)


def test_a_slow_voice_is_no_silence_of_the_model() -> None:
    pace = AnswerPace(DEADLINE_S)
    pace.asked(0)
    pace.worded(0.5)
    assert not any(pace.is_overdue(float(second), False, True) for second in range(1, 20))
