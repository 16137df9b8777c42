"""Preparing while nobody is here."""

from __future__ import annotations

import pytest

from kiosk.dialogue.reply import clauses_of
from kiosk.events import PrepareAnswer, PrepareSpeech
from kiosk.pipeline.inbox import Inbox
from kiosk.pipeline.preparation import Preparation
from kiosk.pipeline.scope import TurnScope


@pytest.fixture
def scope() -> TurnScope:
    return TurnScope()


@pytest.fixture
def questions(scope: TurnScope) -> Inbox:
    return Inbox(4, scope)


@pytest.fixture
def clauses(scope: TurnScope) -> Inbox:
    return Inbox(4, scope)


@pytest.fixture
def preparation(scope: TurnScope, questions: Inbox, clauses: Inbox) -> Preparation:
    return Preparation(scope, questions, clauses)


def test_fillers_come_first_and_one_thing_at_a_time(
    preparation: Preparation, questions: Inbox, clauses: Inbox
) -> None:
    preparation.add([("嗯，我看看。", "zh")], [("几点开门？", "zh")])
    for _ in clauses_of("嗯，我看看。", "zh"):
        preparation.next()
        preparation.next()  # nothing new while one is in the making
        sound = clauses.get()
        assert isinstance(sound, PrepareSpeech)
        preparation.done(sound)
    preparation.next()
    asked = questions.get()
    assert isinstance(asked, PrepareAnswer)
    assert asked.text == "几点开门？"


def test_what_a_visitor_interrupted_is_asked_for_again(
    scope: TurnScope, preparation: Preparation, questions: Inbox
) -> None:
    preparation.add([], [("几点开门？", "zh")])
    preparation.next()
    assert questions.get() is not None
    turn_id = scope.advance()
    preparation.next()
    again = questions.get()
    assert isinstance(again, PrepareAnswer)
    assert (again.text, again.turn_id) == ("几点开门？", turn_id)


def test_what_is_done_is_not_asked_for_again(scope: TurnScope, preparation: Preparation, questions: Inbox) -> None:
    preparation.add([], [("几点开门？", "zh"), ("几点关门？", "zh")])
    preparation.next()
    preparation.done(PrepareSpeech(turn_id=0, spoken="九点。", language="zh"))
    preparation.done(PrepareSpeech(turn_id=0, spoken="开门。", language="zh", completes="几点开门？"))
    assert questions.get() is not None
    preparation.next()
    asked = questions.get()
    assert isinstance(asked, PrepareAnswer)
    assert asked.text == "几点关门？"
