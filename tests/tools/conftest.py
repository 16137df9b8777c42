"""One demo bank for all tests, copied where a test writes to it."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kiosk.profile import Profile, load_profile
from kiosk.tools.bank.database import BankDatabase
from kiosk.tools.bank.desk import open_bank_desk
from kiosk.tools.desk import Desk

TODAY = datetime.date(2026, 5, 14)
NOW = datetime.datetime(2026, 5, 14, 10, 0)


@pytest.fixture(scope="session")
def profile() -> Profile:
    return load_profile("bank")


@pytest.fixture(scope="session")
def made_bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bank") / "bank.db"
    BankDatabase(TODAY, path).close()
    return path


@pytest.fixture
def bank_file(made_bank: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made_bank, tmp_path / "bank.db"))


@pytest.fixture
def desk(profile: Profile, bank_file: Path) -> Iterator[Desk]:
    desk = open_bank_desk(profile, TODAY, bank_file)
    yield desk
    desk.close()
