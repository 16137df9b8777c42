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
from models.llm.onnx_engine import OnnxChatModel
from models.types import Language

NAME = "qwen2.5-coder-1.5b-instruct"
FOLDER: Path = checkpoints_dir() / NAME / "onnx"

pytestmark = [
    pytest.mark.weights,
    pytest.mark.skipif(not (FOLDER / "weights.bin").is_file(), reason=f"{NAME} is not fetched"),
]


@pytest.fixture(scope="module")
def warmed() -> Iterator[tuple[OnnxChatModel, float]]:
    """Loaded and warmed up once, which takes most of the time of these tests, and the seconds of the warm-up."""
    model = OnnxChatModel.load(FOLDER, threads=2, context_tokens=2048)
    began = time.perf_counter()
    Answerer(model, load_profile("bank"), max_new_tokens=64).warm_up()
    yield model, time.perf_counter() - began
    model.close()


@pytest.fixture
def model(warmed: tuple[OnnxChatModel, float]) -> OnnxChatModel:
    return warmed[0]


def test_answers_from_the_facts_and_follows_up(model: OnnxChatModel) -> None:
    profile = load_profile("bank")
    answerer = Answerer(model, profile, max_new_tokens=64)

    def ask(question: str, language: Language) -> str:
        return "".join(answerer.answer(question, language))

    assert "9点" in ask("几点开门？", "zh")
    assert "不开门" in ask("周日呢？", "zh")
    assert ask("今天天气怎么样？", "zh") == profile.zh.unknown
    answerer.clear()
    assert "1.35%" in ask("What is the one year deposit rate?", "en")
    assert "1.75%" in ask("And for three years?", "en")
    assert not any("<|" in turn.answer for turn in answerer.turns())


def test_guessing_changes_no_answer(model: OnnxChatModel) -> None:
    profile = load_profile("bank")
    model._network()._read.clear()
    plain = OnnxChatModel(
        model._network(),
        model._chat,
        name="plain",
        context_tokens=model.context_tokens,
        stops=sorted(model._stops),
        guessed_tokens=0,
    )
    questions: list[tuple[str, Language]] = [
        ("开户需要带什么证件？", "zh"),
        ("可以换外币吗？", "zh"),
        ("What time do you open?", "en"),
        ("Is there a cash machine?", "en"),
    ]
    prompts = [
        [*opening_messages(profile, language), ChatMessage(role="user", content=question)]
        for question, language in questions
    ]
    # The same network, but no guess has been read when it answers without any.
    one_by_one = ["".join(plain.stream(prompt, max_new_tokens=40)) for prompt in prompts]
    assert ["".join(model.stream(prompt, max_new_tokens=40)) for prompt in prompts] == one_by_one


def test_kept_system_prompts_shorten_the_wait(warmed: tuple[OnnxChatModel, float]) -> None:
    """The warm-up has read the openings of both languages, each with a question of one character."""
    model, reading_s = warmed
    network = model._network()

    def first_words_s(language: Language, question: str) -> float:
        network._read.clear()  # else the last prompt serves as well
        prompt = [*opening_messages(load_profile("bank"), language), ChatMessage(role="user", content=question)]
        begin = time.perf_counter()
        for _ in model.stream(prompt, max_new_tokens=1):
            pass
        return time.perf_counter() - begin

    kept_s = [first_words_s("zh", "厕所在哪里？") + first_words_s("en", "Where is the toilet?") for _ in range(3)]
    assert min(kept_s) < reading_s / 2  # measured: a tenth
