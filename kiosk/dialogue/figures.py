"""Lets no invented figure pass: each number of an answer must stand in the text that the answer is made from."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_NUMBER = re.compile(r"\d+(?:[.,:\-]\d+)*")
_MAY_GO_ON = re.compile(r"\d+(?:[.,:\-]\d+)*[.,:\-]?")
"""A number at the end of what has come: the next character may belong to it."""
MAX_NUMBER_CHARACTERS = 40
"""Longer runs of digits are no number of a bank; they are judged as they stand."""


def figures_of(text: str) -> set[str]:
    """All numbers in a text, written alike: 1,000 as 1000, 9:00 as 9, full-width digits as ASCII."""
    return {_plain(found) for found in _NUMBER.findall(unicodedata.normalize("NFKC", text))}


class FigureGuard:
    """Passes an answer on; holds a number back until all of it is there, and stops at an unknown one."""

    def __init__(self, sources: Iterable[str]) -> None:
        """Take the texts whose numbers may be said: facts, question, earlier turns."""
        self._known = set().union(*(figures_of(source) for source in sources))
        # An afternoon hour may be said on the 24-hour clock.
        self._known |= {str(int(hour) + 12) for hour in self._known if hour.isdecimal() and 1 <= int(hour) <= 11}
        self._held = ""
        self.has_stopped = False
        """True once a number came that is in none of the texts; it and all after it are dropped."""

    def push(self, delta: str) -> str:
        """Add a delta; return the text that may be passed on, possibly none."""
        if self.has_stopped:
            return ""
        text, self._held = self._held + delta, ""
        passed = ""
        while (number := _NUMBER.search(text)) is not None:
            passed, text = passed + text[: number.start()], text[number.start() :]
            if _MAY_GO_ON.fullmatch(text) and len(text) <= MAX_NUMBER_CHARACTERS:
                self._held = text
                return passed
            if not self._is_known(number[0]):
                return passed
            passed, text = passed + number[0], text[len(number[0]) :]
        return passed + text

    def finish(self) -> str:
        """End of the answer: the last number, if it is known."""
        rest, self._held = self._held, ""
        return rest if not self.has_stopped and self._is_known(rest) else ""

    def _is_known(self, text: str) -> bool:
        self.has_stopped = not figures_of(text) <= self._known
        return not self.has_stopped


def _plain(number: str) -> str:
    number = number.replace(",", "").removesuffix(":00")
    return number.rstrip("0").rstrip(".") if re.fullmatch(r"\d+\.\d+", number) else number
