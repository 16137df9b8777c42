"""Has somebody begun to speak? Pure; belongs to one segmenter. Times are samples of its stream.

Three voiced windows say so. While the kiosk itself speaks that is late: a visitor expects it to fall silent at the
first sound. Then one window is enough, if something stands out of the kiosk's own voice and may be speech. What began
so is in doubt until voiced windows confirm it; without them it is taken back.
"""

from __future__ import annotations

from collections import deque

from models.vad.base import SAMPLE_RATE, WINDOW_SAMPLES

ONSET_WINDOWS = 3
"""Voiced windows (96 ms) that make a beginning: a 0.4 s "no" has five and more, a click one or two …"""
ONSET_SPAN_WINDOWS = 6
"""… within this many (192 ms)."""
DOUBT_EVIDENCE = 1.6
"""So clearly something must stand out of the kiosk's own voice, 1 being just enough for it not to be the kiosk …"""
DOUBT_PROBABILITY = 0.15
"""… and so likely the newest window must be speech: Silero is slow to trust a soft first sound."""
CONFIRMING_WINDOWS = 2
"""Voiced windows that confirm it …"""
DOUBT_SPAN_WINDOWS = 7
"""… within this many (224 ms)."""
DOUBT_REST_SAMPLES = 2 * SAMPLE_RATE
"""After a doubt that was taken back only voiced windows count for 2 s: a lasting noise must not make it stutter."""


class Onset:
    """Takes one window after the other while nobody is known to speak, or while that is in doubt."""

    def __init__(self) -> None:
        self._recent: deque[bool] = deque(maxlen=ONSET_SPAN_WINDOWS)
        self._end = 0
        self._probability = 0.0
        self._doubt_ends: int | None = None
        self._next_doubt = 0

    @property
    def is_doubtful(self) -> bool:
        """Something began that is neither confirmed nor taken back."""
        return self._doubt_ends is not None

    @property
    def voiced_windows(self) -> int:
        """Of the last `ONSET_SPAN_WINDOWS`."""
        return sum(self._recent)

    def push(self, end: int, probability: float, is_voiced: bool) -> None:
        """Take a window.

        Args:
            end: The sample after it.
            probability: That it holds speech, the kiosk's own included.
            is_voiced: It holds speech of somebody else.
        """
        self._end = end
        self._probability = probability
        self._recent.append(is_voiced)

    def voice_start(self) -> int | None:
        """First sample of a beginning that is beyond doubt; None while there is none."""
        if self.voiced_windows < ONSET_WINDOWS:
            return None
        return self._end - (len(self._recent) - self._recent.index(True)) * WINDOW_SAMPLES

    def doubt(self, evidence: float) -> int | None:
        """Take what stands out of the kiosk's own voice for a beginning, for now.

        Args:
            evidence: How clearly, at this moment, something does; 1 is just enough, 0 while the kiosk is silent.

        Returns:
            First sample of the newest window if that may be a visitor's; else None.
        """
        if evidence < DOUBT_EVIDENCE or self._probability < DOUBT_PROBABILITY or self._end < self._next_doubt:
            return None
        self._doubt_ends = self._end + DOUBT_SPAN_WINDOWS * WINDOW_SAMPLES
        return self._end - WINDOW_SAMPLES

    def settle(self) -> bool | None:
        """Whether the doubtful beginning was one; None while that is open."""
        if self._doubt_ends is None:
            return None
        if self.voiced_windows >= CONFIRMING_WINDOWS:
            self._doubt_ends = None
            return True
        if self._end < self._doubt_ends:
            return None
        self._doubt_ends = None
        self._next_doubt = self._end + DOUBT_REST_SAMPLES
        return False

    def end_doubt(self) -> None:
        """It is known by other means that somebody speaks."""
        self._doubt_ends = None

    def reset(self) -> None:
        """Nobody speaks: count anew."""
        self._recent.clear()
        self._probability = 0.0
        self._doubt_ends = None
