"""Counting of drawn frames: rate, lateness and gaps. Pure; time is given, in seconds."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

_LATE = 1.5
"""A frame that comes later than this many intervals after the last is late: one refresh was missed."""
_WINDOW = 240
"""Frames over which the rate is measured: 8 s at 30 fps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameStats:
    """Figures since the start."""

    drawn: int
    """Frames drawn."""
    late: int
    """Frames that came late."""
    fps: float
    """Frames per second over the last seconds; 0 before the second frame."""
    longest_gap_ms: float
    """The longest time between two frames while the view was to be seen."""
    mean_draw_ms: float
    """Mean time to draw one frame, over the last seconds."""


class FrameCounter:
    """Takes the time of each frame."""

    def __init__(self, fps: float) -> None:
        self._interval_s = 1.0 / fps
        self._times: deque[float] = deque(maxlen=_WINDOW)
        self._costs: deque[float] = deque(maxlen=_WINDOW)
        self._drawn = 0
        self._late = 0
        self._longest_s = 0.0

    def set_rate(self, fps: float) -> None:
        """Frames per second expected from now on; the window of the rate begins anew."""
        self._interval_s = 1.0 / fps
        self.pause()

    def pause(self) -> None:
        """The view is hidden or changes its rate: the time until the next frame is no gap."""
        self._times.clear()

    def count(self, begin_s: float, end_s: float) -> None:
        """A frame was drawn from `begin_s` to `end_s` on a monotonic clock."""
        if self._times:
            gap = begin_s - self._times[-1]
            self._longest_s = max(self._longest_s, gap)
            self._late += gap > _LATE * self._interval_s
        self._times.append(begin_s)
        self._costs.append(end_s - begin_s)
        self._drawn += 1

    def stats(self) -> FrameStats:
        """The figures now."""
        spans = len(self._times) - 1
        fps = spans / (self._times[-1] - self._times[0]) if spans > 0 and self._times[-1] > self._times[0] else 0.0
        mean = sum(self._costs) / len(self._costs) if self._costs else 0.0
        return FrameStats(
            drawn=self._drawn,
            late=self._late,
            fps=fps,
            longest_gap_ms=self._longest_s * 1000,
            mean_draw_ms=mean * 1000,
        )
