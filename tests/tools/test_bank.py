"""The demo bank: always the same, always up to yesterday, its codes hashed, its figures reckoned rightly."""

from __future__ import annotations

import datetime
import sqlite3
from decimal import Decimal
from pathlib import Path

import pytest

from kiosk.errors import ConfigError
from kiosk.profile import Profile
from kiosk.tools.bank.database import BankDatabase
from kiosk.tools.bank.house import House
from kiosk.tools.bank.seed import entries, read_seed
from kiosk.tools.bank.sums import annuity, simple_interest
from kiosk.tools.desk import Desk
from tests.tools.conftest import TODAY


def test_transactions_are_the_same_on_another_day_and_end_yesterday() -> None:
    seed = read_seed()
    customer = seed.customers[0]
    early = list(entries(seed, customer, TODAY))
    late = list(entries(seed, customer, TODAY + datetime.timedelta(20)))
    april = [entry for entry in early if (entry.day.year, entry.day.month) == (2026, 4)]
    assert april == [entry for entry in late if (entry.day.year, entry.day.month) == (2026, 4)]
    assert max(entry.day for entry in late) < TODAY + datetime.timedelta(20)
    assert min(entry.day for entry in early) < TODAY - datetime.timedelta(17 * 30)
    assert len(april) > 20


def test_every_month_has_spending_for_every_customer(bank_file: Path) -> None:
    bank = BankDatabase(TODAY, bank_file)
    database = sqlite3.connect(bank_file)
    rows = database.execute("SELECT account, substr(day, 1, 7), count(*) FROM entry GROUP BY 1, 2").fetchall()
    database.close()
    bank.close()
    assert len(rows) == 3 * 19
    assert all(count for _, month, count in rows if month != "2026-05")


def test_codes_are_hashed_and_cards_invented(bank_file: Path) -> None:
    database = sqlite3.connect(bank_file)
    rows = database.execute("SELECT number, code_hash FROM card").fetchall()
    database.close()
    codes = [customer.code.encode() for customer in read_seed().customers]
    assert len(rows) >= 2
    assert all(number.startswith("0000") and code.startswith("$argon2id$") for number, code in rows)
    assert not any(code in bank_file.read_bytes() for code in codes if code != b"000088")


def test_a_new_day_brings_new_transactions_and_keeps_locks_and_tickets(bank_file: Path) -> None:
    now = datetime.datetime(2026, 5, 14, 10)
    bank = BankDatabase(TODAY, bank_file)
    assert [bank.draw_ticket(TODAY) for _ in range(2)] == [1, 2]
    for _ in range(3):
        bank.check_code("4821", "000000", now)
    bank.close()
    again = BankDatabase(TODAY + datetime.timedelta(7), bank_file)
    assert again.draw_ticket(TODAY) == 3
    assert again.draw_ticket(TODAY + datetime.timedelta(7)) == 1
    assert again.check_code("4821", "135790", now).locked_until is not None
    assert again.latest(1, 1)[0][0] > TODAY
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        again._reading.execute("DELETE FROM entry")
    again.close()


def test_a_broken_file_is_said_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "bank.db"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(ConfigError, match="move it away"):
        BankDatabase(TODAY, path)
    seed = tmp_path / "seed.toml"
    seed.write_text("generator = 1\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="restore the shipped file"):
        BankDatabase(TODAY, tmp_path / "other.db", seed)


def test_the_houses_figures_come_from_its_profile(profile: Profile) -> None:
    house = House.from_profile(profile)
    assert house.rates == {12: Decimal("1.35"), 36: Decimal("1.75")}
    assert sorted(house.hours) == [0, 1, 2, 3, 4, 5]
    assert house.hours[5] == (datetime.time(10), datetime.time(15))
    assert "2元" in house.transfer["zh"]
    assert "2 yuan" in house.transfer["en"]


def test_sums() -> None:
    loan = annuity(Decimal(12000), 12, Decimal(0))
    assert (loan.payment, loan.interest) == (1000, 0)
    loan = annuity(Decimal(100000), 12, Decimal(12))
    assert loan.payment == Decimal("8884.88")
    assert loan.total == loan.payment * 12
    balance = Decimal(100000)
    for _ in range(12):
        balance = balance * Decimal("1.01") - loan.payment
    assert abs(balance) < Decimal("0.10")
    assert simple_interest(Decimal(50000), 36, Decimal("1.75")) == Decimal("2625.00")
    assert simple_interest(Decimal("0.40"), 12, Decimal("1.25")) == Decimal("0.01")  # half a cent goes up


@pytest.mark.parametrize(
    ("day", "hour", "question", "said"),
    [
        (14, 10, "现在还开门吗", "现在开着"),
        (14, 17, "现在还开门吗", "现在不营业"),
        (16, 9, "今天几点关门", "15:00"),
        (16, 9, "明天开门吗", "周日我们不开门"),
    ],
)
def test_hours(desk: Desk, day: int, hour: int, question: str, said: str) -> None:
    reply = desk.take(question, "zh", datetime.datetime(2026, 5, day, hour))
    assert reply is not None
    assert said in reply.text
