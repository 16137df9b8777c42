"""From the stream of a language model to clauses that are ready to be shown and spoken."""

from __future__ import annotations

from kiosk.dialogue.clauses import Clause, ClauseCutter
from kiosk.dialogue.markup import SpeechFilter
from models.types import Language

__all__ = ["Clause", "ReplyBuilder", "clauses_of"]


class ReplyBuilder:
    """Markup filter and clause cutter in a row, for one reply. The clauses do not depend on how the reply came in."""

    def __init__(self, language: Language) -> None:
        self._filter = SpeechFilter(language)
        self._cutter = ClauseCutter(language)

    def push(self, delta: str) -> list[Clause]:
        """Take the next part of the reply, give the clauses that are complete."""
        return self._cutter.push(self._filter.push(delta))

    def finish(self) -> list[Clause]:
        """The reply is over: give the rest."""
        return self._cutter.push(self._filter.finish()) + self._cutter.finish()


def clauses_of(text: str, language: Language) -> list[Clause]:
    """A finished text (an approved answer, a line to render) as clauses."""
    builder = ReplyBuilder(language)
    return builder.push(text) + builder.finish()
