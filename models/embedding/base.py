"""What every sentence encoder offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from models.types import FloatArray


class SentenceEncoder(Protocol):
    """Text → vector. All calls come from one thread."""

    @property
    def identity(self) -> str:
        """Network and version, fit for a file name: vectors of one identity can be compared."""
        ...

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """One vector of length 1 for each text; the scalar product of two says how near their meanings are.

        Args:
            texts: In any of the encoder's languages.

        Returns:
            Shape (number of texts, width), float32.
        """
        ...

    def close(self) -> None:
        """Free the network."""
        ...
