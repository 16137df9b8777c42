"""Cutting a reply into clauses: the first one short, so that the voice begins early."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kiosk.dialogue.boundaries import Boundaries, outline
from kiosk.dialogue.pieces import Piece
from kiosk.normalize import is_speakable, normalize
from models.types import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A stretch of the reply that is synthesised at once."""

    index: int
    """From 0 within the reply."""
    written: str
    """For the captions: without markdown, with figures and addresses."""
    spoken: str
    """For the synthesiser, normalised; empty when there is only something to show."""
    is_last: bool = False
    """No clause follows. Set by whoever knows that the reply is over."""


class ClauseCutter:
    """Collects pieces and gives clauses as soon as their end is certain.

    Pieces are looked at one by one, so that the clauses do not depend on how the pieces came in. A clause ends only
    where the numbers on either side keep their reading.
    """

    def __init__(self, language: Language) -> None:
        self._language: Language = language
        self._boundaries = Boundaries(language)
        self._pieces: list[Piece] = []
        self._outline = ""  # one character for each piece
        self._count = 0

    def push(self, pieces: Iterable[Piece]) -> list[Clause]:
        """Take the next pieces, give the clauses that are complete."""
        clauses: list[Clause] = []
        waiting = list(pieces)[::-1]
        while waiting:
            piece = waiting.pop()
            self._pieces.append(piece)
            self._outline += outline(piece)
            end = self._boundaries.find(self._outline, is_first=self._count == 0)
            if end:
                waiting.extend(reversed(self._pieces[end:]))
                clauses += self._clause(self._pieces[:end])
                self._pieces, self._outline = [], ""
        return clauses

    def finish(self) -> list[Clause]:
        """The reply is over: give the rest."""
        pieces, self._pieces, self._outline = self._pieces, [], ""
        return self._clause(pieces)

    def _clause(self, pieces: list[Piece]) -> list[Clause]:
        """The pieces as one clause, or none when they hold only marks and spaces. Tables keep their line breaks."""
        written = "".join(
            piece.written if len(piece.written) > 1 else piece.written.replace("\n", " ") for piece in pieces
        )
        spoken = normalize("".join(piece.speakable for piece in pieces), self._language).lstrip(
            "，。、；：！？,.;:!?… "
        )
        if not is_speakable(spoken):
            spoken = ""
        if not spoken and not is_speakable(written):
            return []
        self._count += 1
        return [Clause(index=self._count - 1, written=written.strip(" \t"), spoken=spoken)]
