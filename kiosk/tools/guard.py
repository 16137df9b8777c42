"""How a visitor is identified, as the desk sees it; the house's data stand behind it."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Identified:
    """What came of an attempt. A card that is not there looks like a wrong code."""

    customer: int | None = None
    """Who it is; None: the card and the code do not belong together."""
    locked_until: datetime.datetime | None = None
    """The card takes no code before; None: it does."""


class Guard(Protocol):
    """Knows cards and codes."""

    def check_code(self, last_four: str, code: str, now: datetime.datetime) -> Identified:
        """Compare a code; wrong ones are counted and lock the card."""
        ...

    def close(self) -> None:
        """Close the data."""
        ...

    def demo_customer(self, card_number: str) -> int | None:
        """Whose demo card it is: its number alone identifies."""
        ...
