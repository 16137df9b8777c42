"""The smallest parts of an answer: what is shown and what is said of each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the answer that is never divided: mostly one character, but also a table or the address of a link."""

    written: str
    """For the captions."""
    speakable: str
    """For the voice, before normalisation; may be empty."""


def plain(text: str) -> list[Piece]:
    """Text without markup as pieces, one per character."""
    return [Piece(char, char) for char in text]


class PieceWriter:
    """Collects pieces, remembers the end of the text and puts the pause between two lines where one is due."""

    _TAIL = 240  # characters remembered: more than an address or a label that a decision depends on

    def __init__(self) -> None:
        self._pieces: list[Piece] = []
        self._pause = ""
        self._space = False
        self.tail = ""
        """The last characters shown or, for a block, said."""

    def show(self, piece: Piece) -> None:
        """Append a piece. Spaces at either end of a line and second spaces are left out."""
        if piece.written == " ":
            self._space = bool(self.tail)
            return
        for mark in self._pause or " " * self._space:
            self._append(Piece(mark, mark))
        self._pause, self._space = "", False
        self._append(piece)

    def pause(self, marks: str) -> None:
        """Write these marks before the next piece, if there is one."""
        self._pause = marks

    def take(self) -> list[Piece]:
        """Hand over what has been collected."""
        taken, self._pieces = self._pieces, []
        return taken

    def _append(self, piece: Piece) -> None:
        self._pieces.append(piece)
        self.tail = (self.tail + (piece.speakable or piece.written))[-self._TAIL :]
