"""How long an answer may keep a visitor waiting before a person is called: by what this machine usually needs.

Pure: time comes in as an argument. A question waits for its first sound, an answer that has begun for its next one.
"""

from __future__ import annotations

from collections import deque

UNKNOWN_S = 8.0
"""Limit for the first sound while it is not known how fast this machine is."""
ENOUGH = 5
"""Answers after which it is known."""
KEPT = 20
"""Answers that are looked back on."""
SHARE, FACTOR = 0.9, 1.5
"""Limit: so many times what so many of the answers needed at most, …"""
LEAST_S = 2.5
"""… but never less than this, …"""
LEAST_GAP_S = 2.0
"""… nor than this for a silence within an answer."""
PREPARED_S = 0.4
"""A shorter wait tells nothing about this machine: the sound was ready."""


class AnswerPace:
    """Told when a question begins to wait, when its answer is heard and when it falls silent."""

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
        self._is_heard = self._is_given_up = self._is_failed = False
        self._silent_since_s: float | None = None
        self._longest_gap_s = 0.0

    @property
    def wait_limit_s(self) -> float:
        """For the first sound of an answer, from the moment its question is known."""
        return min(self._deadline_s, _limit(self._waits, LEAST_S))

    @property
    def gap_limit_s(self) -> float:
        """For a silence within an answer."""
        return min(self._deadline_s, _limit(self._gaps, LEAST_GAP_S))

    def began(self, now_s: float) -> None:
        """A turn begins; its question is not known yet, or there will be none."""
        if self.is_asked and self._is_heard:
            self._gaps.append(self._longest_gap_s)
        self._since_s = now_s
        self.is_asked = self._is_heard = self._is_given_up = self._is_failed = False
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
        """The rest of the answer has failed: it is overdue as soon as what there is was heard."""
        self._is_failed = True

    def heard(self, now_s: float) -> None:
        """Sound of the answer."""
        wait_s = now_s - self._since_s
        if self.is_asked and not self._is_heard and wait_s > PREPARED_S:
            self._waits.append(wait_s)
        self._is_heard = True

    def is_overdue(self, now_s: float, is_audible: bool) -> bool:
        """Whether the visitor has waited too long; true once a turn. Call often, while more is to come.

        Args:
            now_s: Time.
            is_audible: The answer is being heard just now.
        """
        if self._is_given_up:
            return False
        if not self._is_heard:
            waited_s = now_s - self._since_s
            self._is_given_up = waited_s > (self.wait_limit_s if self.is_asked else self._deadline_s)
            if self._is_given_up and self.is_asked:
                self._waits.append(waited_s)  # a machine that has become slower gets more time
        elif self.is_asked:
            self._is_given_up = self._is_silent_too_long(now_s, is_audible)
        return self._is_given_up

    def _is_silent_too_long(self, now_s: float, is_audible: bool) -> bool:
        if is_audible:
            self._silent_since_s = None
            return False
        if self._silent_since_s is None:
            self._silent_since_s = now_s
        silence_s = now_s - self._silent_since_s
        self._longest_gap_s = max(self._longest_gap_s, silence_s)
        return self._is_failed or silence_s > self.gap_limit_s


def _limit(known: deque[float], least_s: float) -> float:
    if len(known) < ENOUGH:
        return UNKNOWN_S
    return max(least_s, FACTOR * sorted(known)[round(SHARE * (len(known) - 1))])
