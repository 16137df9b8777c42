from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from kiosk.dialogue.answer import MAX_QUESTION_CHARACTERS, Answerer
from kiosk.dialogue.follow_up import HistoryUse
from kiosk.dialogue.history import History, Turn
from kiosk.dialogue.prompt import system_prompt
from kiosk.profile import load_profile
from models.errors import ModelError
from models.llm.base import ChatMessage
from models.types import LANGUAGES, ShouldStop, never_stop

PROFILE = load_profile("bank")


class ScriptedModel:
    """Says what it was told to, piece by piece, and remembers what it was asked."""

    name = "scripted"
    context_tokens = 4096

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.prompts: list[Sequence[ChatMessage]] = []
        self.likely: list[list[str]] = []
        self.kept: list[str] = []
        self.num_closed = 0

    def warm_up(self, systems: Sequence[str] = ()) -> None:
        self.kept += systems

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        return sum(len(message.content) for message in messages)

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_new_tokens: int,
        likely: Sequence[str] = (),
        should_stop: ShouldStop = never_stop,
    ) -> Iterator[str]:
        self.prompts.append(messages)
        self.likely.append(list(likely))
        try:
            for piece in self.answers.pop(0):
                if should_stop():
                    return
                if piece == "!":
                    raise ModelError("the language model failed")
                yield piece
        finally:
            self.num_closed += 1

    def close(self) -> None:
        pass


def make(
    *answers: Sequence[str], history_use: HistoryUse = "when_needed", history: History | None = None
) -> tuple[Answerer, ScriptedModel]:
    model = ScriptedModel(*answers)
    return Answerer(model, PROFILE, max_new_tokens=96, history_use=history_use, history=history), model


def ask(answerer: Answerer, question: str, should_stop: ShouldStop = never_stop) -> str:
    return "".join(answerer.answer(question, "zh", should_stop))


def contents(prompt: Sequence[ChatMessage]) -> list[str]:
    return [message.content for message in prompt[1:]]


def test_the_prompt_begins_with_one_that_the_model_keeps() -> None:
    answerer, model = make(["好。"])
    answerer.warm_up()
    ask(answerer, "几点开门？")
    assert model.kept == [system_prompt(PROFILE, language) for language in LANGUAGES]
    assert model.prompts[0][0] == ChatMessage(role="system", content=model.kept[0])
    assert contents(model.prompts[0]) == ["几点开门？"]


def test_the_prompt_holds_persona_facts_and_examples() -> None:
    for language in LANGUAGES:
        text, prompt = PROFILE.text(language), system_prompt(PROFILE, language)
        for line in (text.persona, text.unknown, *text.facts, *(example.answer for example in text.examples)):
            assert line in prompt


def test_the_model_is_told_which_lines_may_answer() -> None:
    answerer, model = make(["好。"], ["好。"], ["Yes."])
    ask(answerer, "你们周六开门吗？")
    ask(answerer, "嗯。")
    "".join(answerer.answer("Are you open on Saturday?", "en"))
    zh, nothing, en = model.likely
    assert zh[0] == "周六上午10点开门，下午3点关门。"
    assert nothing == []
    assert en[0] == "On Saturday we are open too, from 10 am to 3 pm."


def test_pieces_are_passed_on_as_they_come() -> None:
    answerer, _ = make(["我们", "9点", "开门", "，周日", "不开门。"])
    # A figure is held until all of it is there and can be checked.
    assert list(answerer.answer("几点开门？", "zh")) == ["我们", "9点", "开门", "，周日", "不开门。"]


def test_a_follow_up_is_shown_what_was_said() -> None:
    answerer, model = make(["9点。"], ["不开门。"], ["左边。"])
    ask(answerer, "几点开门？")
    ask(answerer, "周日呢？")
    ask(answerer, "厕所在哪里？")
    assert contents(model.prompts[1]) == ["几点开门？", "9点。", "周日呢？"]
    assert contents(model.prompts[2]) == ["厕所在哪里？"]


def test_history_always() -> None:
    answerer, model = make(["9点。"], ["左边。"], history_use="always")
    ask(answerer, "几点开门？")
    ask(answerer, "厕所在哪里？")
    assert contents(model.prompts[1]) == ["几点开门？", "9点。", "厕所在哪里？"]


def test_answers_given_elsewhere_can_be_leaned_on() -> None:
    history = History()
    answerer, model = make(["1.75%。"], history=history)
    history.note("一年利率？", "一年定期存款利率是1.35%。", 1, history.visitor)
    ask(answerer, "三年的呢？")
    assert contents(model.prompts[0]) == ["一年利率？", "一年定期存款利率是1.35%。", "三年的呢？"]


def test_a_rehearsed_answer_leaves_no_trace() -> None:
    history = History()
    answerer, model = make(["9点。"], ["9点。"], history=history)
    history.note("我叫王芳", "您好。", 1, history.visitor)
    assert "".join(answerer.rehearse("几点开门？", "zh")) == "9点。"
    assert contents(model.prompts[0]) == ["几点开门？"]
    assert [turn.question for turn in answerer.turns()] == ["我叫王芳"]


def test_ST_07_reasoning_is_neither_said_nor_remembered() -> None:
    answerer, _ = make(["<think>用户", "在问好</think>", "您好！"], ["用户在问好，我应礼貌。</think>您好！"])
    assert ask(answerer, "你好吗？") == "您好！"
    assert ask(answerer, "你好吗？") == "您好！"
    assert {turn.answer for turn in answerer.turns()} == {"您好！"}


def test_a_model_that_opens_its_reasoning_unseen_is_known_after_the_first_time() -> None:
    answerer, _ = make(["想", "</think>", "一。"], list("再想想</think>二。"), list("想不完"))
    ask(answerer, "你好吗？")
    assert ask(answerer, "你好吗？") == "二。"
    assert ask(answerer, "你好吗？") == PROFILE.zh.unknown


def test_an_empty_answer_becomes_the_profiles_line() -> None:
    answerer, _ = make([])
    assert ask(answerer, "几点开门？") == PROFILE.zh.unknown


def test_at_most_two_sentences() -> None:
    answerer, model = make(["第一句。第二", "句！第三", "句。", "更多"], ["One. Two", ".", " Three.", " Four."])
    assert ask(answerer, "几点开门？") == "第一句。第二句！"
    assert ask(answerer, "几点开门？") == "One. Two."
    assert model.num_closed == 2


def test_figures_do_not_end_a_sentence() -> None:
    answerer, _ = make(["The rate is 1", ".", "35", "%", ". It is 1", ".75 for three."])
    assert ask(answerer, "几点开门？") == "The rate is 1.35%. It is 1.75 for three."


def test_an_answer_that_is_cut_short_is_remembered_as_far_as_it_went() -> None:
    answerer, model = make(["我们", "9点", "开门。"])
    stream = answerer.answer("几点开门？", "zh")
    assert next(stream) == "我们"
    stream.close()  # type: ignore[attr-defined]
    assert answerer.turns() == (Turn(question="几点开门？", answer="我们"),)
    assert model.num_closed == 1
    answerer.keep_only_said(0, " ")
    assert answerer.turns() == ()


def test_an_invented_figure_is_never_said() -> None:
    answerer, model = make(["汇率是", "6.", "88", "元。", "更多"], ["您有", "5000", "元。"])
    assert ask(answerer, "汇率是多少？") == "汇率是…… " + PROFILE.zh.unknown
    assert model.num_closed == 1
    assert ask(answerer, "我有5000元") == "您有5000元。"  # the visitor's own figure


def test_a_stopped_answer_gets_no_line_of_its_own() -> None:
    answerer, _ = make(["我们"])
    assert ask(answerer, "几点开门？", should_stop=lambda: True) == ""
    assert answerer.turns() == ()


def test_a_failed_turn_is_not_remembered() -> None:
    answerer, _ = make(["我们", "!"])
    with pytest.raises(ModelError):
        ask(answerer, "几点开门？")
    assert answerer.turns() == ()


def test_the_next_visitor_learns_nothing() -> None:  # LR-13
    answerer, model = make(["好的，王芳。"], ["半句", "话"], ["我不知道。"])
    ask(answerer, "我叫王芳，取5000元")
    late = answerer.answer("那手续费呢？", "zh")
    next(late)
    answerer.clear()
    late.close()  # type: ignore[attr-defined]
    ask(answerer, "我刚才说了什么？")
    assert contents(model.prompts[2]) == ["我刚才说了什么？"]


def test_an_endless_question_is_cut() -> None:
    answerer, model = make(["好。"])
    ask(answerer, "长" * 5000)
    assert len(model.prompts[0][-1].content) == MAX_QUESTION_CHARACTERS
