"""How long a turn took: one record, end of speech → … → first sound."""

from __future__ import annotations

from dataclasses import dataclass

NS_PER_MS = 1_000_000


@dataclass(slots=True, kw_only=True)
class TurnLatency:
    """Moments of one turn on time.monotonic_ns(); None until they happen. Filled in by the conversation."""

    turn_id: int
    """Which turn."""
    speech_end_ns: int | None = None
    """Last voiced sample at the microphone, or the moment a typed question was sent."""
    turn_end_ns: int | None = None
    """The end of the turn was decided."""
    transcript_ns: int | None = None
    """The question is known as text."""
    first_token_ns: int | None = None
    """The language model gave its first piece."""
    first_clause_ns: int | None = None
    """The first clause was complete."""
    first_clip_ns: int | None = None
    """Its sound was ready."""
    first_sound_ns: int | None = None
    """It is heard at the loudspeaker."""

    def parts_ms(self) -> dict[str, float]:
        """Milliseconds from each moment to the next one known, and "total" from the first to the last."""
        moments = [
            ("end_of_turn", self.turn_end_ns),
            ("recogniser", self.transcript_ns),
            ("first_token", self.first_token_ns),
            ("first_clause", self.first_clause_ns),
            ("synthesis", self.first_clip_ns),
            ("output", self.first_sound_ns),
        ]
        parts: dict[str, float] = {}
        previous = start = self.speech_end_ns
        for name, moment in moments:
            if moment is None:
                continue
            if previous is not None:
                parts[name] = round((moment - previous) / NS_PER_MS, 1)
            else:
                start = moment
            previous = moment
        if start is not None and previous is not None and self.first_sound_ns is not None:
            parts["total"] = round((previous - start) / NS_PER_MS, 1)
        return parts
