from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiosk.dialogue.figures import MAX_NUMBER_CHARACTERS, FigureGuard, figures_of

FACTS = ["上午9点开门，下午5点关门。", "利率是1.35%。", "热线400-123-4567。", "up to 3000 yuan, 24 hours"]


def run(text: str, size: int = 1) -> tuple[str, bool]:
    guard = FigureGuard(FACTS)
    pieces = [guard.push(text[start : start + size]) for start in range(0, len(text), size)]
    return "".join([*pieces, guard.finish()]), guard.has_stopped


@pytest.mark.parametrize(
    "text",
    [
        "上午9点开门，下午5点关门。",
        "9:00开门，17:00关门",
        "The rate is 1.350%. Call 400-123-4567, up to 3,000 yuan.",
        "没有数字，也可以。",
        "９点",
        "24 hours a day and every day of the week without any comma in this very long sentence",
    ],
)
def test_known_figures_pass(text: str) -> None:
    for size in (1, 3, 100):
        assert run(text, size) == (text, False)


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("汇率是6.88元。", "汇率是"),
        ("上午9点开门，晚上8点关门。", "上午9点开门，晚上"),
        ("电话是400-123-4568。", "电话是"),
        ("It costs 25 yuan, I think.", "It costs "),
        ("利率是1.3", "利率是"),
        ("7" * (MAX_NUMBER_CHARACTERS + 5), ""),
    ],
)
def test_invented_figures_stop_the_answer(text: str, passed: str) -> None:
    for size in (1, 3, 100):
        assert run(text, size) == (passed, True)


def test_text_without_digits_is_not_delayed() -> None:
    guard = FigureGuard(FACTS)
    for character in "我们周一到周五上午":
        assert guard.push(character) == character
    assert guard.push("9") == ""
    assert guard.push("点开门") == "9点开门"


def test_a_number_waits_until_it_is_complete() -> None:
    guard = FigureGuard(FACTS)
    assert guard.push("利率是1.") == "利率是"
    assert guard.push("35") == ""
    assert guard.push("%。") == "1.35%。"


def test_figures_are_written_alike() -> None:
    assert figures_of("1,000元 9:00 ２４小时 2.50 10%") == {"1000", "9", "24", "2.5", "10"}


@given(st.text(alphabet="9点开门，。 1.35%a,", max_size=80), st.integers(1, 7))
def test_what_passes_is_a_beginning_and_holds_known_figures_only(text: str, size: int) -> None:
    passed, stopped = run(text, size)
    assert text.startswith(passed)
    assert stopped or passed == text
