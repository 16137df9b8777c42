"""How much silence ends a turn: by the voice, by the words, and by how this visitor pauses. Pure logic.

The words come later than the voice's verdict, because recognition takes its time. So: a voice that falls
for certain ends the turn at once; else the words are waited for; if they do not come, silence decides.
"""

from __future__ import annotations

import statistics
from collections import deque
from dataclasses import dataclass

from kiosk.config import HearingConfig
from kiosk.events import EndedBy
from kiosk.hearing.unfinished import Ending, ending

SURE = 0.988
"""Completeness at which the voice alone ends the turn. Smart Turn never says more than 0.99: of the ends of spoken
sentences it gives half of the Chinese and an eighth of the English ones this much, of pauses inside a thirtieth."""
LEVEL = 0.1
"""Completeness below which the voice is certain that more will come, whatever the words: recognisers finish sentences
that were not finished ("an appointment with me")."""
DOUBTFUL_VOICE_MS = 500
"""Silence after a complete sentence whose voice sounds unfinished."""
UNSURE_MS = 750
"""Silence after words that may stand for themselves or not, and where words are missing."""
HABIT_PAUSES = 6
"""Pauses of a visitor that are remembered."""
HABIT_FACTOR = 1.2
"""Patience with a visitor, in parts of the middle one of the remembered pauses."""
GOES_ON_MS = 1500
"""Who speaks again within this time after a turn was closed had only paused."""


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
        self._pauses_ms: deque[int] = deque(maxlen=HABIT_PAUSES)
        self._cut_ins = 0

    def verdict(self, completeness: float, text: str | None, *, is_fluent: bool) -> Verdict:
        """How long to wait in a pause.

        Args:
            completeness: What the end-of-turn model heard, 0..1.
            text: What was recognised up to the pause; None as long as it is not known.
            is_fluent: More than a few words were spoken since the last pause, and no number is being dictated.
        """
        config = self._config
        falls = completeness >= config.end_of_turn_threshold
        if text is None:
            if completeness >= SURE and is_fluent and not self._cut_ins:
                return Verdict(silence_ms=0, ended_by="model")
            return self._silence(UNSURE_MS if falls else config.max_silence_ms)
        words = ending(text)
        if words is Ending.COMPLETE:
            if falls:
                return Verdict(silence_ms=0, ended_by="model")
            least_ms = config.max_silence_ms if completeness < LEVEL else DOUBTFUL_VOICE_MS
            return Verdict(silence_ms=min(least_ms, config.max_silence_ms), ended_by="silence")
        if words is Ending.UNSURE:
            return self._silence(UNSURE_MS if falls else config.max_silence_ms)
        return self._silence(config.max_silence_ms if words is Ending.FRAGMENT else config.unfinished_silence_ms)

    def learn(self, pause_ms: int, *, was_closed: bool = False) -> None:
        """The visitor went on after this much silence.

        Args:
            pause_ms: From the last voiced sample to the next.
            was_closed: The turn had been closed meanwhile: the visitor was cut in on.
        """
        if pause_ms <= GOES_ON_MS or not was_closed:
            self._pauses_ms.append(pause_ms)
            self._cut_ins += was_closed

    def forget(self) -> None:
        """Another visitor."""
        self._pauses_ms.clear()
        self._cut_ins = 0

    def _silence(self, least_ms: int) -> Verdict:
        """This much, or more for somebody who pauses for longer; never more than is given to an open sentence."""
        habit_ms = round(HABIT_FACTOR * statistics.median(self._pauses_ms or [0]))
        silence_ms = max(least_ms, min(habit_ms, self._config.max_silence_ms))
        return Verdict(silence_ms=min(silence_ms, self._config.unfinished_silence_ms), ended_by="silence")
