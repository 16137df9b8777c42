"""Visitors ask the bank's kiosk aloud; what it says is read from the recording of the loudspeaker."""

from __future__ import annotations

import re

import pytest

from kiosk.normalize import normalize
from tests.lobby.program import Program
from tests.lobby.questions import QUESTIONS
from tests.lobby.report import table
from tests.lobby.stage_set import StageSet
from tests.lobby.tape import Tape
from tests.lobby.visit import Judge, Turn, ask_aloud
from tests.lobby.visitors import Question

pytestmark = [pytest.mark.e2e, pytest.mark.weights]


@pytest.fixture(scope="module")
def turns(kiosk: Program, stage_set: StageSet, tape: Tape) -> list[Turn]:
    asked = [ask_aloud(stage_set, kiosk, tape, question, voice=i) for i, question in enumerate(QUESTIONS)]
    judge = Judge()
    for turn in asked:
        turn.heard_reply = judge.read(turn.answer_sound, turn.question.language)
    print("\n" + table(asked))
    return asked


def test_nine_of_ten_questions_are_heard_right(turns: list[Turn]) -> None:
    assert sum(turn.was_heard for turn in turns) >= 9, table(turns)


def test_eight_of_ten_are_answered_with_the_right_fact(turns: list[Turn]) -> None:
    assert sum(turn.is_right for turn in turns) >= 8, table(turns)


def test_every_answer_is_heard(turns: list[Turn]) -> None:
    assert all(turn.wait_s is not None for turn in turns), table(turns)


def test_answers_keep_the_language_of_the_question(turns: list[Turn]) -> None:
    for turn in turns:
        is_chinese = bool(re.search("[\u4e00-\u9fff]", turn.reply))
        assert is_chinese == (turn.question.language == "zh"), (turn.question.text, turn.reply)


def test_a_follow_up_is_understood_and_the_next_visitor_learns_nothing(
    kiosk: Program, stage_set: StageSet, tape: Tape
) -> None:
    judge = Judge()

    def ask(text: str, fact: str) -> Turn:
        turn = ask_aloud(stage_set, kiosk, tape, Question(text, "zh", ".", fact))
        turn.heard_reply = judge.read(turn.answer_sound, "zh")
        return turn

    ask("你们周六开门吗？", "周六|星期六")
    follow_up = ask("那周日呢？", "不开门|不营业|休息|关门")
    assert follow_up.is_right, follow_up
    kiosk.wait_for("phase", 30, lambda line: line["phase"] == "idle_warning")
    kiosk.wait_for("phase", 30, lambda line: line["phase"] == "attract")
    later = ask("我刚才问了什么？", ".")
    assert not re.search("周日|周六|星期|十点|三点", normalize(later.reply, "zh")), later.reply
