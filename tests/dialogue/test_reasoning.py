from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiosk.dialogue.reasoning import ReasoningFilter


def run(deltas: list[str], *, hold: bool = False) -> str:
    reasoning = ReasoningFilter(hold_until_closed=hold)
    return "".join([*(reasoning.push(delta) for delta in deltas), reasoning.finish()])


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("<think>用户在问好。</think>您好！", "您好！"),
        ("<think>\n\n</think>\n\n您好！", "您好！"),
        ("<Thinking>hm</Thinking> Hello. <think>more</think> Bye.", "Hello. Bye."),
        ("<think>never closed", ""),
        ("1 < 2 and <b>bold</b> <thin>", "1 < 2 and <b>bold</b> <thin>"),
        ("ends with <thi", "ends with <thi"),
        ("", ""),
    ],
)
def test_reasoning_is_removed_however_it_is_cut(text: str, spoken: str) -> None:
    for size in range(1, len(text) + 2):
        deltas = [text[start : start + size] for start in range(0, len(text), size)]
        assert run(deltas).replace("  ", " ") == spoken


def test_ST_07_closing_tag_alone() -> None:
    reasoning = ReasoningFilter()
    assert reasoning.push("用户在问好，我应礼貌。</think>您好！") == "您好！"
    assert reasoning.was_opened_by_prompt


def test_known_to_be_open_holds_everything_back_until_the_closing_tag() -> None:
    assert run(list("用户在问好，我应礼貌。</think>您好！"), hold=True) == "您好！"
    assert run(list("cut in the middle of reasoning"), hold=True) == ""


def test_plain_text_is_not_delayed() -> None:
    reasoning = ReasoningFilter()
    for character in "几点开门？9点 > 8点。":
        assert reasoning.push(character) == character


@given(st.lists(st.text(alphabet="ab <>/think好\n")))
def test_text_without_tags_passes_unchanged(deltas: list[str]) -> None:
    text = "".join(deltas)
    if not any(tag in text for tag in ("<think>", "</think>", "<thinking>", "</thinking>")):
        assert run(deltas) == text.lstrip()
