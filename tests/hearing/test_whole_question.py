"""Questions that can be answered as they stand."""

from __future__ import annotations

import pytest

from kiosk.hearing.whole_question import is_whole_question


@pytest.mark.parametrize(
    "text",
    [
        "你们周六开门吗？",
        "你们周六开门吗",
        "厕所在哪里",
        "贷款找谁办理",
        "Where is the toilet?",
        "where is the toilet",
    ],
)
def test_a_question_that_can_be_answered_is_whole(text: str) -> None:
    assert is_whole_question(text)


@pytest.mark.parametrize("text", ["你们周六", "我想办理", "电话是138", "I would like to", "what is the", "一年定期"])
def test_the_beginning_of_one_is_not(text: str) -> None:
    assert not is_whole_question(text)
