"""A change of the approved answers counts at once, also when another process made it."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import pytest

from kiosk.answers.approved import ApprovedAnswer
from kiosk.answers.live import LiveAnswers
from kiosk.answers.store import AnswerStore
from models.embedding.universal import UniversalSentenceEncoder

TODAY = datetime.date(2026, 5, 4)


def answer(name: str, question: str, said: str) -> ApprovedAnswer:
    return ApprovedAnswer(id=name, questions={"zh": (question,), "en": ()}, answer={"zh": said, "en": "Yes."})


@pytest.fixture
def operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AnswerStore]:
    monkeypatch.setenv("KIOSK_DATA", str(tmp_path))
    with AnswerStore() as store:
        yield store


def test_an_edit_an_addition_and_an_undo_count_at_the_next_question(operator: AnswerStore, tmp_path: Path) -> None:
    operator.put("bank", answer("hours", "你们几点开门？", "九点。"))
    live = LiveAnswers("bank", UniversalSentenceEncoder.load(), tmp_path / "kept.npz")

    def said(question: str) -> str | None:
        found = live.find(question, "zh", TODAY)
        return None if found is None else found.answer["zh"]

    assert said("你们几点开门") == "九点。"
    assert said("厕所在哪里") is None
    operator.put("bank", answer("toilet", "厕所在哪里？", "左边。"))
    operator.put("bank", answer("hours", "你们几点开门？", "十点。"))
    assert (said("你们几点开门"), said("厕所在哪里")) == ("十点。", "左边。")
    operator.undo("bank")
    assert said("你们几点开门") == "九点。"
    operator.put("booth", answer("toilet", "厕所在哪里？", "右边。"))
    assert said("厕所在哪里") == "左边。"
    live.close()
