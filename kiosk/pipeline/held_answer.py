"""An answer that waits because somebody speaks over it: since when, and when it goes on without their words."""

from __future__ import annotations

MAX_HELD_S = 25.0
"""An answer is held no longer than one utterance may last; then it goes on, whatever became of the words."""
BRIEF_S = 1.0
"""A sound over an answer that is no longer than this is mostly a sign of listening, a cough or a laugh."""
BRIEF_HELD_S = 0.8
"""After so long a silence the answer goes on over a brief sound, even if a slow recogniser still reads it."""


class HeldAnswer:
    """Pure: it is told when the voice comes and goes, in seconds of one clock."""

    def __init__(self) -> None:
        """Nothing is held."""
        self.is_held = False
        self.awaits_words = False
        """The answer went on before the words that were said over it were known."""
        self._held_s = 0.0
        self._voice_began_s = 0.0
        self._voice_paused_s: float | None = None

    def voice_began(self, now_s: float) -> None:
        """Somebody begins to speak."""
        self._voice_began_s = now_s
        self._voice_paused_s = None
        self.awaits_words = False

    def voice_paused(self, now_s: float) -> None:
        """They have paused: it may be the end."""
        self._voice_paused_s = now_s

    def voice_resumed(self) -> None:
        """They went on after a pause."""
        self._voice_paused_s = None

    def hold(self, now_s: float) -> bool:
        """Let the answer wait from now on; whether it did not wait before."""
        was_held, self.is_held, self._held_s = self.is_held, True, now_s
        return not was_held

    def let_go(self) -> bool:
        """The answer goes on; whether it waited."""
        was_held, self.is_held = self.is_held, False
        return was_held

    def end(self) -> None:
        """There is no answer any more that could wait."""
        self.is_held = self.awaits_words = False

    def was_brief(self, now_s: float) -> bool:
        """Whether a brief sound held it, and silence since: go on, and let the words decide when they come."""
        paused_s = self._voice_paused_s
        if not self.is_held or paused_s is None:
            return False
        return paused_s - self._voice_began_s <= BRIEF_S and now_s - paused_s >= BRIEF_HELD_S

    def is_overdue(self, now_s: float) -> bool:
        """Whether it has waited for as long as it may."""
        return self.is_held and now_s - self._held_s > MAX_HELD_S
