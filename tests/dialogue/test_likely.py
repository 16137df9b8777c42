"""Which lines of a profile may answer a question."""

from __future__ import annotations

import pytest

from kiosk.dialogue.likely import MAX_LIKELY, LikelyAnswers
from kiosk.profile import load_profile
from models.types import LANGUAGES, Language

BANK = load_profile("bank")


@pytest.mark.parametrize(
    ("question", "language", "holds"),
    [
        ("周六几点关门？", "zh", "下午3点关门"),
        ("请问厕所在哪里？", "zh", "大厅左边"),
        ("停车要钱吗？", "zh", "免费停2小时"),
        ("Where is the toilet?", "en", "left"),
        ("DO I NEED MY PASSPORT FOR OPENING AN ACCOUNT", "en", "passport"),
        ("Will it rain tomorrow?", "en", "colleague"),
    ],
)
def test_the_line_about_it_comes_first(question: str, language: Language, holds: str) -> None:
    assert holds in LikelyAnswers(BANK.text(language), language).rank(question)[0]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("question", ["", "？！", "😀", "ßßß", "x" * 400])
def test_nothing_in_common_gives_nothing(question: str, language: Language) -> None:
    assert LikelyAnswers(BANK.text(language), language).rank(question) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_few_lines_and_only_own_ones(language: Language) -> None:
    text = BANK.text(language)
    lines = {*text.facts, *(example.answer for example in text.examples)}
    ranked = LikelyAnswers(text, language).rank(" ".join(text.facts))
    assert len(ranked) == len(set(ranked)) == MAX_LIKELY
    assert set(ranked) <= lines
