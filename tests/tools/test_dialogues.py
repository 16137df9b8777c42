"""Whole dialogues; the figure of the last reply is reckoned by SQL of the test's own."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from kiosk.tools.desk import Desk
from tests.tools.conftest import NOW

DIALOGUES = [
    json.loads(line)
    for line in Path(__file__).with_name("data").joinpath("dialogues.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=lambda dialogue: str(dialogue["turns"][0][1]))
def test_the_last_reply_has_the_figure(desk: Desk, bank_file: Path, dialogue: dict[str, object]) -> None:
    replies = [desk.take(text, language, NOW) for language, text in dialogue["turns"]]  # type: ignore[attr-defined]
    database = sqlite3.connect(bank_file)
    (cents,) = database.execute(str(dialogue["sql"])).fetchone()
    database.close()
    assert replies[-1] is not None
    assert replies[-1].is_answer
    assert f"{cents / 100:,.2f}" in replies[-1].text, replies[-1].text
