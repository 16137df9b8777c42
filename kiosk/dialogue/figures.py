"""Lets no invented figure pass: each number of an answer must stand in the text that the answer is made from."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_NUMBER = re.compile(r"\d+(?:[.,:\-]\d+)*")
_CLAUSE_END = re.compile(r"[，。！？；、\n]|[,;!?.:](?=\s)")
MAX_HELD_CHARACTERS = 40
"""A clause without punctuation is judged there: longer ones are cut for the voice anyway."""


def figures_of(text: str) -> set[str]:
    """All numbers in a text, written alike: 1,000 as 1000, 9:00 as 9, full-width digits as ASCII."""
    return {_plain(found) for found in _NUMBER.findall(unicodedata.normalize("NFKC", text))}


class FigureGuard:
    """Passes an answer on; holds a clause back from its first digit until its end, and stops at an unknown number."""

    def __init__(self, sources: Iterable[str]) -> None:
        """Take the texts whose numbers may be said: facts, question, earlier turns."""
        self._known = set().union(*(figures_of(source) for source in sources))
        # An afternoon hour may be said on the 24-hour clock.
        self._known |= {str(int(hour) + 12) for hour in self._known if hour.isdecimal() and 1 <= int(hour) <= 11}
        self._held = ""
        self.has_stopped = False
        """True once a number came that is in none of the texts; the clause with it and all after it are dropped."""

    def push(self, delta: str) -> str:
        """Add a delta; return the text that may be passed on, possibly none."""
        if self.has_stopped:
            return ""
        text = self._held + delta
        passed = ""
        while text:
            digit = next((i for i, character in enumerate(text) if character.isdecimal()), None)
            if digit is None:
                passed, text = passed + text, ""
                break
            passed, text = passed + text[:digit], text[digit:]
            end = _CLAUSE_END.search(text)
            if end is None and len(text) <= MAX_HELD_CHARACTERS:
                break
            cut = end.end() if end else _last_break(text)
            if not self._is_known(text[:cut]):
                return passed
            passed, text = passed + text[:cut], text[cut:]
        self._held = text
        return passed

    def finish(self) -> str:
        """End of the answer: the last clause, if its numbers are known."""
        rest, self._held = self._held, ""
        return rest if not self.has_stopped and self._is_known(rest) else ""

    def _is_known(self, clause: str) -> bool:
        self.has_stopped = not figures_of(clause) <= self._known
        return not self.has_stopped


def _plain(number: str) -> str:
    number = number.replace(",", "").removesuffix(":00")
    return number.rstrip("0").rstrip(".") if re.fullmatch(r"\d+\.\d+", number) else number


def _last_break(text: str) -> int:
    """Where a long clause can be cut without cutting a number."""
    cut = len(text)
    while cut > 1 and not text[cut - 1].isalpha():
        cut -= 1
    return cut if cut > 1 else len(text)
