"""What was heard of an answer that was cut."""

from __future__ import annotations

import pytest

from kiosk.dialogue.heard import PlayedClause, text_heard
from models.types import Language


def clause(written: str, share: float, language: Language = "zh") -> PlayedClause:
    return PlayedClause(written, language, 2.0, 2.0 * share)


def test_whole_clauses_are_kept_as_they_are_written() -> None:
    assert text_heard([clause("我们周六也开门，", 1.0), clause("上午10点到下午3点。", 0.97)]) == (
        "我们周六也开门，上午10点到下午3点。"
    )


@pytest.mark.parametrize(
    ("share", "heard"),
    [(0.0, ""), (0.1, ""), (0.35, "开户"), (0.6, "开户请带"), (0.94, "开户请带身份证")],
)
def test_a_chinese_clause_is_cut_at_a_word(share: float, heard: str) -> None:
    assert text_heard([clause("开户请带身份证，", share)]) == heard


@pytest.mark.parametrize(
    ("share", "heard"),
    [(0.05, ""), (0.3, "On"), (0.6, "On Saturday we"), (0.9, "On Saturday we are open")],
)
def test_an_english_clause_is_cut_at_a_word(share: float, heard: str) -> None:
    assert text_heard([clause("On Saturday we are open too,", share, "en")]) == heard


def test_nothing_after_the_cut_is_kept() -> None:
    assert text_heard([clause("One two,", 0.5, "en"), clause("three.", 0.0, "en")]) == "One"
    assert text_heard([]) == ""
