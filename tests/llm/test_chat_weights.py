"""The fetched weights answer from the bank's facts. Slower and larger checks: `evaluate.py`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kiosk.dialogue.answer import Answerer
from kiosk.dialogue.prompt import opening_messages
from kiosk.paths import checkpoints_dir
from kiosk.profile import load_profile
from models.llm.base import ChatMessage
from models.llm.onnx_engine import GUESSED_TOKENS, OnnxChatModel
from models.types import Language

NAME = "qwen2.5-coder-1.5b-instruct"
FOLDER: Path = checkpoints_dir() / NAME / "onnx"

pytestmark = [
    pytest.mark.weights,
    pytest.mark.skipif(not (FOLDER / "weights.bin").is_file(), reason=f"{NAME} is not fetched"),
]


def load(guessed_tokens: int = GUESSED_TOKENS) -> OnnxChatModel:
    return OnnxChatModel.load(FOLDER, threads=2, context_tokens=2048, guessed_tokens=guessed_tokens)


@pytest.fixture(scope="module")
def model() -> Iterator[OnnxChatModel]:
    model = load()
    yield model
    model.close()


def test_answers_from_the_facts_and_follows_up(model: OnnxChatModel) -> None:
    profile = load_profile("bank")
    answerer = Answerer(model, profile, max_new_tokens=64)
    answerer.warm_up()

    def ask(question: str, language: Language) -> str:
        return "".join(answerer.answer(question, language))

    assert "9点" in ask("几点开门？", "zh")
    assert "不开门" in ask("周日呢？", "zh")
    assert ask("今天天气怎么样？", "zh") == profile.zh.unknown
    answerer.clear()
    assert "1.35%" in ask("What is the one year deposit rate?", "en")
    assert "1.75%" in ask("And for three years?", "en")
    assert not any("<|" in turn.answer for turn in answerer.turns())


def test_a_kept_system_prompt_shortens_the_wait(model: OnnxChatModel) -> None:
    opening = opening_messages(load_profile("bank"), "zh")
    model.warm_up([opening[0].content])
    prompt = [*opening, ChatMessage(role="user", content="厕所在哪里？")]

    network = model._network()

    def first_words_s() -> float:
        network._read.clear()  # else the last prompt serves as well
        begin = time.perf_counter()
        for _ in model.stream(prompt, max_new_tokens=1):
            pass
        return time.perf_counter() - begin

    first_words_s()
    with_state = min(first_words_s() for _ in range(3))
    network._kept.clear()
    without = min(first_words_s() for _ in range(2))
    assert with_state < without / 2  # measured: a tenth


def test_guessing_changes_no_answer(model: OnnxChatModel) -> None:
    plain = load(guessed_tokens=0)
    profile = load_profile("bank")
    questions: list[tuple[str, Language]] = [
        ("开户需要带什么证件？", "zh"),
        ("可以换外币吗？", "zh"),
        ("What time do you open?", "en"),
        ("Is there a cash machine?", "en"),
    ]
    for question, language in questions:
        prompt = [*opening_messages(profile, language), ChatMessage(role="user", content=question)]
        one_by_one = "".join(plain.stream(prompt, max_new_tokens=40))
        assert "".join(model.stream(prompt, max_new_tokens=40)) == one_by_one
    plain.close()
