"""How much silence ends a turn: by the voice, by the words, and by how this visitor pauses. Pure logic.

The words come later than the voice's verdict, because recognition takes its time; they are waited for, and if they do
not come, silence decides. The voice alone ends nothing: when it is sure enough, the words are nearly there.
"""

from __future__ import annotations

import statistics
from collections import deque
from dataclasses import dataclass

from kiosk.config import HearingConfig
from kiosk.events import EndedBy
from kiosk.hearing.unfinished import Ending, ending, ends_in_number, is_closing, is_question, is_single_word

LEVEL = 0.1
"""Completeness below which the voice is certain that more will come, whatever the words: recognisers finish sentences
that were not finished ("an appointment with me")."""
FALLS = 0.97
"""Completeness of a voice that has come to an end: words that may be one are believed."""
DOUBTFUL_VOICE_MS = 500
"""Silence after a complete sentence whose voice sounds unfinished."""
LEVEL_QUESTION_MS = 700
"""Silence after a complete question, or after thanks and farewells, whose voice stays up: many do."""
LEVEL_STATEMENT = 0.25
"""Completeness below which a statement gets as much: unlike a question it seldom stays up at its end."""
HUM_MS = 96
"""Voice after the onset below which a single word is none: recognisers make one of a hum ("No.")."""
UNSURE_MS = 750
"""Silence after words that may stand for themselves or not, and where words are missing."""
ENDED_MS = 800
"""Silence after such words, after a long number spoken without a pause, and after a topic that goes on with a turn
closed too early: there it is the end of a sentence."""
ENDED_HABIT_MS = 950
"""So much of the habit counts after such words."""
FLUENT_NUMBER_MS = 1500
"""A number spoken for so long without a pause is not dictated in groups."""
HABIT_PAUSES = 6
"""Pauses of a visitor that are remembered."""
HABIT_FACTOR = 1.15
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

    def verdict(self, completeness: float, text: str | None, *, fluent_ms: int, goes_on: bool = False) -> Verdict:
        """How long to wait in a pause.

        Args:
            completeness: What the end-of-turn model heard, 0..1.
            text: What was recognised up to the pause; None as long as it is not known.
            fluent_ms: Voice since the last pause.
            goes_on: The turn began soon after the visitor had been cut in on.
        """
        config = self._config
        is_falling = completeness >= config.end_of_turn_threshold
        if text is None:
            return self._silence(UNSURE_MS if is_falling else config.max_silence_ms)
        words = ending(text)
        if words is Ending.COMPLETE and fluent_ms < HUM_MS and is_single_word(text):
            words = Ending.FRAGMENT
        if words is Ending.COMPLETE:
            if is_falling:
                return Verdict(silence_ms=0, ended_by="model")
            may_stay_up = is_question(text) or is_closing(text)
            least_ms = DOUBTFUL_VOICE_MS
            if completeness < LEVEL:
                least_ms = LEVEL_QUESTION_MS if may_stay_up else config.max_silence_ms
            elif completeness < LEVEL_STATEMENT and not may_stay_up:
                least_ms = LEVEL_QUESTION_MS
            return Verdict(silence_ms=min(least_ms, config.max_silence_ms), ended_by="silence")
        if words is Ending.OPEN:
            return self._silence(config.unfinished_silence_ms)
        is_number = ends_in_number(text)
        if is_number:
            may_end = fluent_ms >= FLUENT_NUMBER_MS
        else:
            may_end = words is Ending.UNSURE or (goes_on and bool(text))
        if completeness >= FALLS and may_end:
            is_phrase = words is Ending.UNSURE and not is_number
            return self._silence(ENDED_MS, ENDED_HABIT_MS if is_phrase else 0)
        return self._silence(
            UNSURE_MS if words is Ending.UNSURE and is_falling and may_end else config.max_silence_ms
        )

    def learn(self, pause_ms: int, *, was_closed: bool = False) -> None:
        """The visitor went on after this much silence.

        Args:
            pause_ms: From the last voiced sample to the next.
            was_closed: The turn had been closed meanwhile: the visitor was cut in on.
        """
        if pause_ms <= GOES_ON_MS or not was_closed:
            self._pauses_ms.append(pause_ms)

    def forget(self) -> None:
        """Another visitor."""
        self._pauses_ms.clear()

    def _silence(self, least_ms: int, most_habit_ms: int | None = None) -> Verdict:
        """This much, or more for somebody who pauses for longer; never more than is given to an open sentence."""
        most_habit_ms = self._config.max_silence_ms if most_habit_ms is None else most_habit_ms
        habit_ms = round(HABIT_FACTOR * statistics.median(self._pauses_ms or [0]))
        silence_ms = max(least_ms, min(habit_ms, most_habit_ms, self._config.max_silence_ms))
        return Verdict(silence_ms=min(silence_ms, self._config.unfinished_silence_ms), ended_by="silence")
