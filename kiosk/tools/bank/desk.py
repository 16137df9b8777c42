"""The bank's desk, ready to be asked."""

from __future__ import annotations

import datetime
from pathlib import Path

from kiosk.profile import Profile
from kiosk.tools.bank.database import BankDatabase
from kiosk.tools.bank.house import House
from kiosk.tools.bank.intents import INTENTS
from kiosk.tools.bank.tools import BankTools
from kiosk.tools.desk import Desk


def open_bank_desk(profile: Profile, today: datetime.date, path: Path | None = None) -> Desk:
    """Open the demo bank and the desk before it, which closes it.

    Args:
        profile: With the house's facts.
        today: The day before which transactions end.
        path: Of the database; None: in the data folder.

    Raises:
        ConfigError: The database or its seed cannot be used.
    """
    bank = BankDatabase(today, path)
    return Desk(BankTools(bank, House.from_profile(profile)).tools(), INTENTS, bank)
