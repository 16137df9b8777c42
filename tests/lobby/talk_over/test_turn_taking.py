"""The kiosk does not hear itself, lets itself be interrupted, and is not disturbed by listeners."""

from __future__ import annotations

import pytest

from tests.lobby.report import columns
from tests.lobby.session import Session
from tests.lobby.trials.backchannels import listen_often
from tests.lobby.trials.interruptions import interrupt_often
from tests.lobby.trials.own_echo import talk_into_own_microphone
from tests.lobby.trials.soak import soak
from tests.lobby.visit import Judge

pytestmark = [pytest.mark.e2e, pytest.mark.weights]

GONE_MS, REST_MS, RESUMED_MS = 400, 600, 1500
"""Looser than what the commands must show (250, 400, 1000): a machine that runs other checks, too, is slower."""
GONE_BY_VOICE_MS, REST_BY_VOICE_MS = 1000, 1200
"""For who talks over it: two cores of 2017 hear a soft beginning such as "wait" or "等" up to half a second later."""


def test_TT_01_a_minute_of_its_own_voice_starts_no_turn_and_visitors_are_heard_over_it(session: Session) -> None:
    found = talk_into_own_microphone(session, 60, 3)
    print(f"\n{found}\n{columns(found.talk_overs)}")
    assert found.spoken_s > 30, f"it spoke for {found.spoken_s:.0f} s only"
    assert found.self_turns == []
    assert found.self_interruptions == 0
    unheard = [visitor for visitor in found.talk_overs if not visitor.is_heard and not visitor.transcript]
    assert len(unheard) <= 1, columns(unheard)


def test_TT_02_interruptions_silence_it_and_the_next_answer_is_right(session: Session, judge: Judge) -> None:
    found = interrupt_often(session, judge, 4)
    print(f"\n{columns(found)}")
    wrong = [
        trial
        for trial in found
        if trial.problem
        or trial.gone_ms is None
        or trial.gone_ms > (GONE_BY_VOICE_MS if trial.means == "voice" else GONE_MS)
        or (trial.rest_ms or 0) > (REST_BY_VOICE_MS if trial.means == "voice" else REST_MS)
        or not trial.is_clean
    ]
    assert [trial for trial in wrong if trial.means != "voice"] == [], columns(wrong)
    assert len(wrong) <= 1, columns(
        wrong
    )  # known weakness: on two slow cores a voice is heard late in its first word
    assert sum(trial.is_next_right for trial in found) >= 2, columns(
        found
    )  # Whisper-base misreads what is said over it


def test_listeners_do_not_end_an_answer(session: Session) -> None:
    found = listen_often(session, 4)
    print(f"\n{columns(found)}")
    late = [trial for trial in found if not trial.is_ended and (trial.resumed_ms or 0) > RESUMED_MS]
    assert len(late) <= 1, columns(late)
    ended = [trial for trial in found if trial.is_ended]
    assert len(ended) <= 1, columns(ended)  # known weakness: a sign of listening in the echo is read as other words


def test_TT_11_whatever_happens_a_question_is_answered(session: Session) -> None:
    found = soak(session, 24, ask_every=4)
    print(f"\n{columns(found.happened)}\n{found.start} -> {found.end}, errors {found.errors}")
    asked = [trial for trial in found.happened if trial.is_answered is not None]
    failed = [trial for trial in asked if trial.misheard or not trial.is_answered]
    assert len(asked) >= 5
    assert len(failed) <= 1, columns(failed)  # words that another sound covered are understood as others
    assert asked[-1] not in failed, columns(failed)
    assert found.errors == []
