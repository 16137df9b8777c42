"""The interface of end-of-turn detection."""

from __future__ import annotations

from typing import Protocol

from models.types import FloatArray

SAMPLE_RATE = 16_000
MAX_SECONDS = 8.0


class EndOfTurnDetector(Protocol):
    """Says whether a speaker who just paused has finished."""

    def probability(self, samples: FloatArray) -> float:
        """Probability, 0..1, that the turn is complete.

        Args:
            samples: The turn so far with the pause at its end, float32 mono at 16 kHz in [-1, 1], any length; the
                last 8 s count.
        """
        ...

    def close(self) -> None:
        """Free the network."""
        ...
