"""English sentences: the order of the rules."""

from __future__ import annotations

import re

from kiosk.normalize import chinese
from kiosk.normalize.addresses import address_rules
from kiosk.normalize.calendar_en import DATES, TIMES, YEARS
from kiosk.normalize.formulas import FORMULAS
from kiosk.normalize.letters_en import ABBREVIATIONS, LETTERS
from kiosk.normalize.quantities_en import MONEY, QUANTITIES, REST
from kiosk.normalize.rules import Rule, apply
from kiosk.normalize.strings_en import STRINGS, VERSIONS
from kiosk.normalize.width import fold

RULES: list[Rule] = [
    *address_rules("en"),
    *FORMULAS["en"],
    *VERSIONS,
    *DATES,
    *MONEY,
    *STRINGS,
    *YEARS,
    *QUANTITIES,
    *TIMES,
    *REST,
    *ABBREVIATIONS,
    *LETTERS,
]
"""Addresses protect their digits first; a range is opened before its ends are read; words come last."""

_CHINESE = re.compile(
    r"(?:[¥$]?(?<!\d)\d[\d,.:%/~-]{0,40})?[\u3400-\u9fff](?:[^A-Za-z\n]*[\u3400-\u9fff](?:[\d,.:%/~°-]{0,40}\d%?)?)?"
)
"""A stretch of Chinese with the figures that touch it."""


def read(text: str) -> str:
    """Read a folded English text. Chinese words in it keep their own numbers."""
    text = _CHINESE.sub(lambda match: fold(chinese.read(match.group()), "en"), text)
    text = apply(RULES, text)
    text = re.sub(r",(?:\s*,)+", ",", text)
    text = re.sub(r"\s+([,.!?;:])(?=\s|$)", r"\1", text)
    return re.sub(r"(?<! ) {2,}", " ", text).strip()
