"""Questions that are one."""

from __future__ import annotations

import pytest

from kiosk.dialogue.same_question import question_key
from models.types import Language


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("你们几点开门？", "你们几点开门", "zh"),
        ("你们几点开门？", "你好，请问你们几点开门？", "zh"),
        ("贷款找谁办理？", "代款找谁办理？", "zh"),
        ("Where is the toilet?", "excuse me, where is the toilet please", "en"),
        ("一年定期存款利率是多少？", "1年定期存款利率是多少", "zh"),
        ("What is the one year deposit rate?", "What is the 1-year deposit rate?", "en"),
        ("What's the fee?", "what s the fee", "en"),
    ],
)
def test_manners_marks_and_homophones_do_not_matter(one: str, other: str, language: Language) -> None:
    assert question_key(one, language) == question_key(other, language)


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("你们几点开门？", "你们几点关门？", "zh"),
        ("一年定期存款利率是多少？", "三年定期存款利率是多少？", "zh"),
        ("Are you open on Saturday?", "Are you open on Sunday?", "en"),
        ("", "停", "zh"),
    ],
)
def test_other_words_are_another_question(one: str, other: str, language: Language) -> None:
    assert question_key(one, language) != question_key(other, language)
