"""A few words that bridge a long wait for an answer: when, and which, never the same twice in a row. Pure."""

from __future__ import annotations

from collections.abc import Sequence


class Bridge:
    """One for all turns; each turn is bridged once at most."""

    def __init__(self, after_s: float) -> None:
        """Nothing waits.

        Args:
            after_s: From the end of a question.
        """
        self._after_s = after_s
        self._at_s: float | None = None
        self._used = 0
        self.words = ""
        """Said in this turn."""

    def begin(self) -> None:
        """A turn begins."""
        self.words = ""

    def plan(self, now_s: float, waited_s: float) -> None:
        """A question is known, and its end was so long ago."""
        self._at_s = now_s + max(0.0, self._after_s - waited_s)

    def cancel(self) -> None:
        """Nothing waits any more."""
        self._at_s = None

    def due(self, now_s: float, choice: Sequence[str]) -> str:
        """The words to say now, empty if it is not time; true once a plan."""
        if self._at_s is None or now_s < self._at_s:
            return ""
        self._at_s = None
        self.words = choice[self._used % len(choice)]
        self._used += 1
        return self.words
