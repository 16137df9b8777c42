"""Approved answers come before the language model: the two stages alone, with a scripted model."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from kiosk.answers.approved import ApprovedAnswer
from kiosk.dialogue.answer import Answerer
from kiosk.dialogue.history import History
from kiosk.events import Event, PrepareAnswer, PrepareSpeech, Question, ReplyClause
from kiosk.pipeline.answering import AnswerStage, RehearsedAnswers
from kiosk.pipeline.scope import TurnScope
from kiosk.pipeline.stages import ThinkingStage
from models.types import Language, ShouldStop
from tests.pipeline.scripted_hall import PROFILE, Mind

HOURS = ApprovedAnswer(
    id="hours",
    questions={"zh": ("几点开门？",), "en": ("When do you open?",)},
    answer={"zh": "我们9点开门，17点关门。", "en": "We open at 9."},
)


class OneAnswer:
    """Knows one question in each language, by its letters."""

    def __init__(self) -> None:
        self.is_closed = False

    def find(self, question: str, language: Language, day: datetime.date) -> ApprovedAnswer | None:
        assert day == datetime.date.today()
        return HOURS if question in HOURS.questions[language] else None

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def mind() -> Mind:
    return Mind()


@pytest.fixture
def history() -> History:
    return History()


@pytest.fixture
def approved() -> OneAnswer:
    return OneAnswer()


@dataclass
class TwoStages:
    """As the pipeline joins them."""

    answers: AnswerStage
    thinking: ThinkingStage

    def process(self, event: Event) -> Iterator[Event]:
        for output in self.answers.process(event):
            if isinstance(output, Question | PrepareAnswer):
                yield from self.thinking.process(output)
            else:
                yield output


@pytest.fixture
def stages(mind: Mind, history: History, approved: OneAnswer) -> Iterator[TwoStages]:
    def load(should_stop: ShouldStop) -> OneAnswer:
        assert not should_stop()
        return approved

    rehearsed: RehearsedAnswers = {}
    both = TwoStages(
        AnswerStage(history, "when_needed", rehearsed, load),
        ThinkingStage(
            lambda: mind,
            lambda model, history: Answerer(model, PROFILE, max_new_tokens=50, history=history),
            TurnScope(),
            history,
            rehearsed,
        ),
    )
    both.answers.load()
    both.thinking.load()
    yield both
    both.answers.close()
    both.thinking.close()
    assert approved.is_closed


def ask(stages: TwoStages, text: str, language: Language = "zh") -> list[ReplyClause]:
    events = list(stages.process(Question(turn_id=0, text=text, language=language)))
    return [event for event in events if isinstance(event, ReplyClause)]


def test_an_approved_answer_is_given_word_for_word_and_no_model_is_asked(stages: TwoStages, mind: Mind) -> None:
    clauses = ask(stages, "几点开门？")
    assert "".join(clause.written for clause in clauses) == HOURS.answer["zh"]
    assert {clause.source for clause in clauses} == {"approved"}
    assert [clause.written for clause in ask(stages, "When do you open?", "en")] == ["We open at 9."]
    assert mind.asked == []


def test_words_that_break_in_are_no_part_of_the_question(stages: TwoStages) -> None:
    assert ask(stages, "等一下，几点开门？")[0].source == "approved"


def test_what_is_not_approved_is_left_to_the_model(stages: TwoStages, mind: Mind) -> None:
    assert {clause.source for clause in ask(stages, "你们银行有多少员工？")} == {"model"}
    assert mind.asked == ["你们银行有多少员工？"]


def test_a_follow_up_knows_the_approved_answer(stages: TwoStages, mind: Mind, history: History) -> None:
    ask(stages, "几点开门？")
    assert [(turn.question, turn.answer) for turn in history.turns()] == [("几点开门？", HOURS.answer["zh"])]
    assert {clause.source for clause in ask(stages, "那周日呢？")} == {"model"}
    assert mind.asked == ["那周日呢？"]


def test_the_sound_of_an_approved_answer_is_asked_for_without_thinking(stages: TwoStages, mind: Mind) -> None:
    prepared = list(stages.process(PrepareAnswer(turn_id=0, text="几点开门？", language="zh")))
    assert all(isinstance(event, PrepareSpeech) for event in prepared)
    spoken = [event.spoken for event in prepared if isinstance(event, PrepareSpeech)]
    assert spoken == [clause.spoken for clause in ask(stages, "几点开门？")]
    assert [event.completes for event in prepared if isinstance(event, PrepareSpeech)][-1] == "几点开门？"
    assert mind.asked == []


def test_what_was_rehearsed_is_answered_without_thinking_again(stages: TwoStages, mind: Mind) -> None:
    prepared = list(stages.process(PrepareAnswer(turn_id=0, text="有多少员工？", language="zh")))
    assert prepared
    assert all(isinstance(event, PrepareSpeech) for event in prepared)
    assert len(mind.asked) == 1
    assert {clause.source for clause in ask(stages, "有多少员工")} == {"model"}
    assert len(mind.asked) == 1


def test_while_the_model_does_not_work_approved_answers_go_on_and_a_person_is_called(history: History) -> None:
    unknown = PROFILE.text("zh").unknown
    stage = AnswerStage(history, "when_needed", None, lambda _: OneAnswer(), lambda language: unknown)
    stage.load()
    for text, words, source in (("几点开门？", HOURS.answer["zh"], "approved"), ("有多少员工？", unknown, "refusal")):
        events = list(stage.process(Question(turn_id=0, text=text, language="zh")))
        clauses = [event for event in events if isinstance(event, ReplyClause)]
        assert "".join(clause.written for clause in clauses) == words
        assert {clause.source for clause in clauses} == {source}
    preparing = PrepareAnswer(turn_id=0, text="有多少员工？", language="zh")
    assert list(stage.process(preparing)) == [preparing]  # nothing is kept as an answer that is none
