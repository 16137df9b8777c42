"""Chinese sentences: the order of the rules."""

from __future__ import annotations

import re

from kiosk.normalize.addresses import address_rules
from kiosk.normalize.formulas import FORMULAS
from kiosk.normalize.letters_zh import LETTERS
from kiosk.normalize.money_zh import MONEY
from kiosk.normalize.quantities_zh import DATES, QUANTITIES
from kiosk.normalize.rules import Rule, apply
from kiosk.normalize.strings_zh import STRINGS, VERSIONS

RULES: list[Rule] = [
    *address_rules("zh"),
    *FORMULAS["zh"],
    *VERSIONS,
    *DATES,
    *MONEY,
    *STRINGS,
    *QUANTITIES,
    *LETTERS,
]
"""Addresses protect their digits first; what looks like a date or money is none of the strings; words come last."""


def read(text: str) -> str:
    """Read a folded Chinese text."""
    text = apply(RULES, text.replace("〇", "零"))
    text = re.sub(r"，(?:\s*，)+", "，", text)
    return re.sub(r"(?<! ) {2,}", " ", text).strip()
