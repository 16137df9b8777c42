"""The demo bank in SQLite: made on first use, transactions brought up to yesterday, read by a read-only connection.

Locks of cards and the day's tickets are kept in the same file and survive a new start.
"""

from __future__ import annotations

import contextlib
import datetime
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from kiosk.errors import ConfigError
from kiosk.paths import data_dir
from kiosk.tools.bank.seed import SEED_FILE, entries, read_seed
from kiosk.tools.guard import Identified
from kiosk.tools.periods import Period

MAX_WRONG_CODES = 3
LOCKED_FOR = datetime.timedelta(minutes=10)
BUSY_S = 5.0
SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE card (number TEXT PRIMARY KEY, last_four TEXT NOT NULL UNIQUE, customer INTEGER NOT NULL,
    is_demo INTEGER NOT NULL, code_hash TEXT NOT NULL);
CREATE TABLE account (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL, kind TEXT NOT NULL,
    opening INTEGER NOT NULL);
CREATE TABLE entry (account INTEGER NOT NULL, day TEXT NOT NULL, cents INTEGER NOT NULL, category TEXT NOT NULL,
    payee TEXT NOT NULL);
CREATE INDEX entry_by_day ON entry (account, day);
CREATE TABLE lock (last_four TEXT PRIMARY KEY, wrong INTEGER NOT NULL, until TEXT NOT NULL);
CREATE TABLE ticket (day TEXT PRIMARY KEY, number INTEGER NOT NULL);
CREATE TABLE filled (until TEXT NOT NULL)
"""


class BankDatabase:
    """The demo bank. All calls come from one thread."""

    def __init__(self, today: datetime.date, path: Path | None = None, seed_file: Path = SEED_FILE) -> None:
        """Open the bank; make it where there is none, and bring its transactions up to yesterday.

        Args:
            today: The day before which transactions end.
            path: None: bank_demo.db in the data folder.
            seed_file: What it is made from.

        Raises:
            ConfigError: The file cannot be used, or the seed is wrong.
        """
        self._path = data_dir() / "bank_demo.db" if path is None else path
        self._seed = read_seed(seed_file)
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._writing = sqlite3.connect(self._path, timeout=BUSY_S, isolation_level=None)
            self._prepare()
            self.fill(today)
            self._reading = sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_S)
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(
                "bad-bank", f"{self._path}: cannot be used ({error}); free disk space, or move it away to begin anew"
            ) from error

    def close(self) -> None:
        """Close both connections."""
        self._reading.close()
        self._writing.close()

    def fill(self, today: datetime.date) -> None:
        """Make the transactions of a day, unless they are there."""
        if self._writing.execute("SELECT until FROM filled").fetchone() == (today.isoformat(),):
            return
        with self._transaction():
            self._writing.execute("DELETE FROM entry")
            for number, customer in enumerate(self._seed.customers, 1):
                self._writing.executemany(
                    "INSERT INTO entry VALUES (?, ?, ?, ?, ?)",
                    [
                        (2 * number - 1, entry.day.isoformat(), entry.cents, entry.category, entry.payee)
                        for entry in entries(self._seed, customer, today)
                    ],
                )
            self._writing.execute("DELETE FROM filled")
            self._writing.execute("INSERT INTO filled VALUES (?)", (today.isoformat(),))

    def balances(self, customer: int) -> dict[str, int]:
        """Kind of account → cents."""
        rows = self._reading.execute(
            "SELECT kind, opening + coalesce((SELECT sum(cents) FROM entry WHERE account = account.id), 0) "
            "FROM account WHERE customer = ? ORDER BY id",
            (customer,),
        )
        return {kind: cents for kind, cents in rows}

    def spending(self, customer: int, period: Period) -> dict[str, int]:
        """Category → cents spent in a period, the largest first."""
        rows = self._reading.execute(
            "SELECT category, -sum(entry.cents) AS spent FROM entry JOIN account ON account.id = entry.account "
            "WHERE customer = ? AND cents < 0 AND day BETWEEN ? AND ? GROUP BY category ORDER BY spent DESC",
            (customer, period.start.isoformat(), period.end.isoformat()),
        )
        return {category: cents for category, cents in rows}

    def latest(self, customer: int, count: int) -> list[tuple[datetime.date, int, str]]:
        """Day, cents and payee of the newest transactions, the newest first."""
        rows = self._reading.execute(
            "SELECT day, cents, payee FROM entry JOIN account ON account.id = entry.account "
            "WHERE customer = ? ORDER BY day DESC, entry.rowid DESC LIMIT ?",
            (customer, count),
        )
        return [(datetime.date.fromisoformat(day), cents, payee) for day, cents, payee in rows]

    def draw_ticket(self, day: datetime.date) -> int:
        """The day's next number in the queue, from 1."""
        with self._transaction():
            self._writing.execute(
                "INSERT INTO ticket VALUES (?, 1) ON CONFLICT (day) DO UPDATE SET number = number + 1",
                (day.isoformat(),),
            )
            row = self._writing.execute("SELECT number FROM ticket WHERE day = ?", (day.isoformat(),)).fetchone()
        return int(row[0])

    def demo_customer(self, card_number: str) -> int | None:
        """Whose demo card it is."""
        row = self._reading.execute(
            "SELECT customer FROM card WHERE number = ? AND is_demo = 1", (card_number,)
        ).fetchone()
        return None if row is None else int(row[0])

    def check_code(self, last_four: str, code: str, now: datetime.datetime) -> Identified:
        """Compare a code; three wrong ones in a row lock the card, known or not, for `LOCKED_FOR`."""
        with self._transaction():
            row = self._writing.execute("SELECT wrong, until FROM lock WHERE last_four = ?", (last_four,)).fetchone()
            wrong, until = (0, "") if row is None else row
            if until and datetime.datetime.fromisoformat(until) > now:
                return Identified(locked_until=datetime.datetime.fromisoformat(until))
            card = self._writing.execute(
                "SELECT customer, code_hash FROM card WHERE last_four = ?", (last_four,)
            ).fetchone()
            # An unknown card is compared as well: the time taken must not tell which cards there are.
            any_hash = self._writing.execute("SELECT code_hash FROM card").fetchone()[0]
            if self._is_code(any_hash if card is None else card[1], code) and card is not None:
                self._writing.execute("DELETE FROM lock WHERE last_four = ?", (last_four,))
                return Identified(customer=int(card[0]))
            wrong = (0 if until else wrong) + 1
            locked = now + LOCKED_FOR if wrong >= MAX_WRONG_CODES else None
            self._writing.execute(
                "REPLACE INTO lock VALUES (?, ?, ?)", (last_four, wrong, locked.isoformat() if locked else "")
            )
            return Identified(locked_until=locked)

    def _is_code(self, code_hash: str, code: str) -> bool:
        try:
            return self._hasher.verify(code_hash, code)
        except (Argon2Error, InvalidHashError):
            return False

    def _prepare(self) -> None:
        self._writing.execute("PRAGMA journal_mode = WAL")
        with self._transaction():
            (version,) = self._writing.execute("PRAGMA user_version").fetchone()
            if version > SCHEMA_VERSION:
                raise ConfigError(
                    "bad-bank", f"{self._path}: was written by a newer version of the kiosk; install that one"
                )
            if version == SCHEMA_VERSION:
                return
            for statement in _SCHEMA.split(";"):
                self._writing.execute(statement)
            for number, customer in enumerate(self._seed.customers, 1):
                self._writing.execute("INSERT INTO customer VALUES (?, ?)", (number, customer.name))
                self._writing.execute(
                    "INSERT INTO card VALUES (?, ?, ?, ?, ?)",
                    (
                        customer.card,
                        customer.card[-4:],
                        number,
                        customer.is_demo_card,
                        self._hasher.hash(customer.code),
                    ),
                )
                for offset, kind, yuan in ((1, "current", customer.current), (0, "savings", customer.savings)):
                    self._writing.execute(
                        "INSERT INTO account VALUES (?, ?, ?, ?)", (2 * number - offset, number, kind, yuan * 100)
                    )
            self._writing.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._writing.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._writing.execute("ROLLBACK")
            raise
        self._writing.execute("COMMIT")
