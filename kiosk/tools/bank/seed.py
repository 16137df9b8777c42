"""The demo bank's seed file and its fixed generator: the same month always holds the same transactions."""

from __future__ import annotations

import calendar
import datetime
import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kiosk.errors import ConfigError
from kiosk.paths import RESOURCES

SEED_FILE = RESOURCES / "tools" / "bank_demo.toml"
SALARY_DAY = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedCustomer:
    """An invented customer."""

    name: str
    """As printed on the card."""
    card: str
    """Sixteen digits that begin with 0000."""
    code: str
    """Six digits."""
    is_demo_card: bool
    """The card's number alone identifies."""
    current: int
    """Yuan on the current account before the first transaction."""
    savings: int
    """Yuan on the savings account."""
    salary: int
    """Yuan a month."""
    employer: str
    """Who pays it."""

    def __post_init__(self) -> None:
        if len(self.card) != 16 or not self.card.startswith("0000") or not self.card.isdecimal():
            raise ValueError(f"the card of {self.name} must have 16 digits and begin with 0000")
        if len(self.code) != 6 or not self.code.isdecimal():
            raise ValueError(f"the code of {self.name} must have 6 digits")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedCategory:
    """What money is spent on."""

    name: str
    """As in the tools' choices."""
    times: tuple[int, int]
    """Transactions a month, least and most."""
    yuan: tuple[int, int]
    """Of one transaction, least and most."""
    payees: tuple[str, ...]
    """Who gets it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """All that the demo bank is made from."""

    generator: int
    """Any number; another one makes other transactions."""
    months: int
    """How far back the transactions reach."""
    customers: tuple[SeedCustomer, ...]
    """Two or more."""
    categories: tuple[SeedCategory, ...]
    """One or more."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One transaction."""

    day: datetime.date
    """When."""
    cents: int
    """Below 0: spent."""
    category: str
    """A category's name, or income."""
    payee: str
    """Who got it or gave it."""


def read_seed(path: Path = SEED_FILE) -> Seed:
    """Read the seed file.

    Raises:
        ConfigError: It is absent, no TOML, or holds something else.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        customers = tuple(SeedCustomer(**row) for row in table.pop("customers"))
        categories = tuple(
            SeedCategory(
                name=row["name"], times=tuple(row["times"]), yuan=tuple(row["yuan"]), payees=tuple(row["payees"])
            )
            for row in table.pop("categories")
        )
        return Seed(customers=customers, categories=categories, **table)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ConfigError(
            "bad-seed", f"{path}: is no seed of a demo bank ({error}); restore the shipped file"
        ) from error


def entries(seed: Seed, customer: SeedCustomer, today: datetime.date) -> Iterator[Entry]:
    """The transactions of the past months up to yesterday, in no order.

    Args:
        seed: With the generator's number.
        customer: Whose.
        today: The first day without transactions.
    """
    number = today.year * 12 + today.month - 1
    for month in range(number - seed.months, number + 1):
        for entry in _month(seed, customer, month // 12, month % 12 + 1):
            if entry.day < today:
                yield entry


def _month(seed: Seed, customer: SeedCustomer, year: int, month: int) -> Iterator[Entry]:
    chance = random.Random(f"{seed.generator} {customer.card} {year}-{month}")
    last_day = calendar.monthrange(year, month)[1]
    yield Entry(datetime.date(year, month, SALARY_DAY), customer.salary * 100, "income", customer.employer)
    for category in seed.categories:
        for _ in range(chance.randint(*category.times)):
            day = datetime.date(year, month, chance.randint(1, last_day))
            cents = chance.randint(category.yuan[0] * 100, category.yuan[1] * 100)
            yield Entry(day, -cents, category.name, chance.choice(category.payees))
