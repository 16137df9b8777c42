"""How long an answer may keep a visitor waiting before a person is called: by what the model usually needs here.

Pure: time comes in as an argument. A question waits for the first words of its answer; an answer that has begun is
silent when nothing of it is heard and the voice has nothing to do. A slow voice is no silence.
"""

from __future__ import annotations

from collections import deque

UNKNOWN_S = 8.0
"""Limit while it is not known how fast the model is."""
ENOUGH = 5
"""Answers after which it is known."""
KEPT = 20
"""Answers that are looked back on."""
SHARE, FACTOR = 0.9, 1.5
"""Limit: so many times what so many of the answers needed at most, …"""
LEAST_S = 2.5
"""… but never less than this, …"""
LEAST_GAP_S = 2.2
"""… nor than this for a silence within an answer."""
FAILED_SILENCE_S = 1.0
"""An answer that has failed is not waited for longer than this, though the voice still makes a sentence of it."""
PREPARED_S = 0.4
"""A shorter wait tells nothing about the model: the answer was ready."""


class AnswerPace:
    """Told when a question begins to wait, when there are words for it and when its answer falls silent."""

    def __init__(self, deadline_s: float) -> None:
        """Nothing is known of this machine yet.

        Args:
            deadline_s: The longest wait, whatever this machine usually needs.
        """
        self._deadline_s = deadline_s
        self._waits = deque[float](maxlen=KEPT)
        self._gaps = deque[float](maxlen=KEPT)
        self._since_s = 0.0
        self.is_asked = False
        """The question of this turn is known."""
        self._is_worded = self._is_given_up = self._is_failed = False
        self._silent_since_s: float | None = None
        self._longest_gap_s = 0.0

    @property
    def wait_limit_s(self) -> float:
        """For the first words of an answer, from the moment its question is known."""
        return min(self._deadline_s, _limit(self._waits, LEAST_S))

    @property
    def gap_limit_s(self) -> float:
        """For a silence within an answer."""
        return min(self._deadline_s, _limit(self._gaps, LEAST_GAP_S))

    def began(self, now_s: float) -> None:
        """A turn begins; its question is not known yet, or there will be none."""
        if self.is_asked and self._is_worded:
            self._gaps.append(self._longest_gap_s)
        self._since_s = now_s
        self.is_asked = self._is_worded = self._is_given_up = self._is_failed = False
        self._silent_since_s, self._longest_gap_s = None, 0.0

    def asked(self, now_s: float) -> None:
        """The question is known: from now on its answer is waited for."""
        self.began(now_s)
        self.is_asked = True

    def went_on(self, now_s: float) -> None:
        """The answer was held meanwhile: the wait begins anew."""
        self._since_s = now_s
        self._silent_since_s = None

    def nothing_more_comes(self) -> None:
        """The rest of the answer has failed: overdue as soon as what there is was heard or takes too long."""
        self._is_failed = True

    def worded(self, now_s: float) -> None:
        """Words of the answer are known."""
        wait_s = now_s - self._since_s
        if self.is_asked and not self._is_worded and wait_s > PREPARED_S:
            self._waits.append(wait_s)
        self._is_worded = True

    def is_overdue(self, now_s: float, is_audible: bool, is_voice_busy: bool = False) -> bool:
        """Whether the visitor has waited too long; true once a turn. Call often, while more is to come.

        Args:
            now_s: Time.
            is_audible: The answer is being heard just now.
            is_voice_busy: More sound of it is being made.
        """
        if self._is_given_up:
            return False
        if not self._is_worded:
            waited_s = now_s - self._since_s
            self._is_given_up = waited_s > (self.wait_limit_s if self.is_asked else self._deadline_s)
            if self._is_given_up and self.is_asked:
                self._waits.append(waited_s)  # a machine that has become slower gets more time
        elif self.is_asked:
            self._is_given_up = self._is_silent_too_long(now_s, is_audible, is_voice_busy)
        return self._is_given_up

    def _is_silent_too_long(self, now_s: float, is_audible: bool, is_voice_busy: bool) -> bool:
        if is_audible or (is_voice_busy and not self._is_failed):
            self._silent_since_s = None
            return False
        if self._silent_since_s is None:
            self._silent_since_s = now_s
        silence_s = now_s - self._silent_since_s
        if self._is_failed:
            return silence_s > FAILED_SILENCE_S or not is_voice_busy
        self._longest_gap_s = max(self._longest_gap_s, silence_s)
        return silence_s > self.gap_limit_s


def _limit(known: deque[float], least_s: float) -> float:
    if len(known) < ENOUGH:
        return UNKNOWN_S
    return max(least_s, FACTOR * sorted(known)[round(SHARE * (len(known) - 1))])
