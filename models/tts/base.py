"""The interface of speech synthesis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from models.types import FloatArray, Language, PhonemeTime, ShouldStop, never_stop


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthesisedSpeech:
    """One clause as sound, with the times of its phonemes."""

    samples: FloatArray
    """float32 mono in [-1, 1], shape (n,)."""
    sample_rate: int
    """Hz."""
    phonemes: tuple[PhonemeTime, ...]
    """In order, covering the sound; times in seconds from the first sample."""

    @property
    def duration_s(self) -> float:
        """Length of the sound in seconds."""
        return len(self.samples) / self.sample_rate


class Synthesiser(Protocol):
    """Text to speech, one clause at a time."""

    sample_rate: int
    """Hz, of all speech it makes."""

    def warm_up(self) -> None:
        """Run once in the calling thread."""
        ...

    def synthesise(self, text: str, language: Language, should_stop: ShouldStop = never_stop) -> SynthesisedSpeech:
        """Speak one clause.

        Args:
            text: In spoken form (the normaliser's output): no digits, no symbols. May mix Chinese and English.
            language: Of the sentence; decides the voice and how neutral parts are read.
            should_stop: See `ShouldStop`; when it says true an empty sound may be returned.

        Returns:
            The sound, silence trimmed at both ends; empty for a text without anything to speak.
        """
        ...

    def stream(
        self, text: str, language: Language, should_stop: ShouldStop = never_stop
    ) -> Iterator[SynthesisedSpeech]:
        """Speak one clause in parts, the first of them early.

        The parts follow each other without a gap or a click; each has its own clock, and a phoneme that is cut goes
        on in the next part. A synthesiser that cannot do this yields the whole clause.

        Args:
            text: As for `synthesise`.
            language: As for `synthesise`.
            should_stop: Asked after each part; when it says true no more parts follow.

        Yields:
            Sound that is never empty; nothing at all for a text without anything to speak.
        """
        ...

    def close(self) -> None:
        """Free the network."""
        ...
