"""A visitor asks for their own account: through all threads and queues, with the real desk and demo bank."""

from __future__ import annotations

import datetime
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from kiosk.pipeline.phase import Phase
from kiosk.tools.bank.desk import open_bank_desk
from kiosk.tools.desk import Desk
from tests.pipeline.scripted_hall import PROFILE, Hall


@pytest.fixture
def bank_file(tmp_path: Path) -> Path:
    return tmp_path / "bank.db"


@pytest.fixture
def hall(qtbot: QtBot, bank_file: Path) -> Iterator[Hall]:
    def desk() -> Desk:
        return open_bank_desk(PROFILE, datetime.date.today(), bank_file)

    made = Hall(qtbot, desk)
    yield made
    assert made.close() == []


def told(hall: Hall, text: str) -> str:
    """What the kiosk answers, heard to its end."""
    before = hall.visit.turn_id
    hall.say(text)
    hall.until(lambda: hall.visit.turn_id > before and hall.visit.phase is Phase.SPEAKING)
    for _ in range(100):
        hall.play(0.5)
        hall.settle_shortly()
        if hall.visit.phase is Phase.LISTENING:
            return hall.visit.reply_caption
    raise AssertionError(f"still {hall.visit.phase}")


def spent_last_month(path: Path, account: int) -> str:
    first = datetime.date.today().replace(day=1)
    last_month = (first - datetime.timedelta(days=1)).strftime("%Y-%m")
    with sqlite3.connect(path) as database:
        query = "SELECT -sum(cents) FROM entry WHERE account = ? AND cents < 0 AND day LIKE ?"
        (cents,) = database.execute(query, (account, f"{last_month}-%")).fetchone()
    return f"{cents / 100:,.2f}"


def test_spending_is_told_after_card_and_code_and_not_to_the_next_visitor(hall: Hall, bank_file: Path) -> None:
    assert "后四位" in told(hall, "我上个月花了多少钱？")
    assert "密码" in told(hall, "四八二一")
    assert spent_last_month(bank_file, 1) in told(hall, "一三五七九零")
    assert hall.visit.visitor_caption == "••••九零"
    assert hall.mind.asked == []
    assert hall.remembered == []  # nothing of an account reaches the language model
    hall.visit.goodbye(hall.now)
    told_farewell = hall.visit.reply_caption
    hall.until(lambda: hall.has_ended(Phase.ATTRACT))
    assert told_farewell
    assert "后四位" in told(hall, "我上个月花了多少钱？")


def test_a_ticket_is_drawn_once_although_the_visitor_pauses(hall: Hall, bank_file: Path) -> None:
    assert "号" in told(hall, "我要取号")
    hall.begin()
    hall.pause("是的")
    hall.settle()
    hall.go_on()
    hall.end(hall.pause("是的"))
    hall.until(lambda: hall.visit.phase is Phase.SPEAKING)
    hall.settle()
    with sqlite3.connect(bank_file) as database:
        assert database.execute("SELECT number FROM ticket").fetchall() == [(1,)]
