"""How much silence ends a turn: by the voice, by the words, and by how this visitor pauses. Pure logic."""

from __future__ import annotations

from dataclasses import dataclass

from kiosk.config import HearingConfig
from kiosk.events import EndedBy
from kiosk.hearing.unfinished import sounds_unfinished


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """When the pause under way ends the turn."""

    silence_ms: int
    """Silence from the last voiced sample on that closes the turn."""
    ended_by: EndedBy
    """What it will have been closed by."""


class Patience:
    """Weighs voice and words at a pause, and learns the visitor's pauses. Knows no sound and no clock."""

    def __init__(self, config: HearingConfig) -> None:
        """Start with nobody's habits."""
        self._config = config

    def verdict(self, completeness: float, text: str | None) -> Verdict:
        """How long to wait in a pause.

        Args:
            completeness: What the end-of-turn model heard, 0..1.
            text: What was recognised up to the pause; None as long as it is not known.
        """
        if text is not None and sounds_unfinished(text):
            return Verdict(silence_ms=self._config.unfinished_silence_ms, ended_by="silence")
        if completeness >= self._config.end_of_turn_threshold:
            return Verdict(silence_ms=0, ended_by="model")
        return Verdict(silence_ms=self._config.max_silence_ms, ended_by="silence")

    def learn(self, pause_ms: int) -> None:
        """The visitor went on within a turn after this much silence."""

    def forget(self) -> None:
        """Another visitor."""
