"""The interface of speech recognition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from models.types import FloatArray, Language, ShouldStop, never_stop

SAMPLE_RATE = 16_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """What was heard in one utterance."""

    text: str
    """Simplified characters or English; empty when there was no speech to understand."""
    language: Language
    """The language that was spoken, always one of the configured ones."""
    average_log_probability: float
    """Mean log probability of the tokens; about -0.3 for clear speech, 0 for an empty text."""
    no_speech_probability: float
    """0..1, the network's own doubt that anybody spoke."""


class Recogniser(Protocol):
    """Speech to text, one utterance at a time."""

    max_seconds: float
    """The longest utterance that is understood as a whole."""

    def warm_up(self) -> None:
        """Run the real shapes once in the calling thread."""
        ...

    def transcribe(
        self, samples: FloatArray, language: Language | None = None, should_stop: ShouldStop = never_stop
    ) -> Recognition:
        """Recognise one utterance.

        Args:
            samples: float32 mono at 16 kHz in [-1, 1], shape (n,).
            language: Fixed language, or None to let the network choose among the configured ones.
            should_stop: See `ShouldStop`; when it says true an empty recognition is returned.
        """
        ...

    def close(self) -> None:
        """Free the network."""
        ...
