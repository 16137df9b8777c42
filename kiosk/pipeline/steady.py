"""Evens out the position that the picture follows: it never leaps ahead of what a picture's time allows."""

from __future__ import annotations

MAX_PACE = 1.1
"""Of real time: a picture that came late is caught up with over the next ones, not in one leap of the mouth."""
SHORTEST_S = 0.034
"""A picture at 30 a second; pictures that come sooner may use all of it."""
MAX_LAG_S = 0.030
"""Never further behind the sound than this: about the length of a picture, less than anybody sees."""


class SteadyPosition:
    """Follows the samples played, picture by picture. One thread."""

    def __init__(self) -> None:
        self._last: int | None = None
        self._last_s = 0.0

    def follow(self, played: int, sample_rate: int, now_s: float) -> int:
        """The position to be drawn.

        Args:
            played: Frames heard so far.
            sample_rate: Of the frames in Hz.
            now_s: time.monotonic().

        Returns:
            At most `played`, at most `MAX_LAG_S` behind it, and mostly no further from the last one than a picture
            lasts.
        """
        last = played if self._last is None or self._last > played else self._last
        step = MAX_PACE * max(SHORTEST_S, min(now_s - self._last_s, 2 * SHORTEST_S) / 2)
        position = min(played, max(last + int(step * sample_rate), played - int(MAX_LAG_S * sample_rate)))
        self._last, self._last_s = position, now_s
        return position
