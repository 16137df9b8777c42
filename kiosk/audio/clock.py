"""From frame numbers of a stream to `time.monotonic_ns` and back. Written by one thread, read by any."""

from __future__ import annotations

from collections import deque

NS_PER_S = 1_000_000_000


class StreamClock:
    """Which frame of a stream passes the loudspeaker, or passed the microphone, at which moment.

    Sound servers report the time of a block with some milliseconds of jitter. The clock follows them slowly, so that
    a mouth moved by it does not tremble, and jumps at once when the stream has really skipped.
    """

    _FOLLOW = 0.05
    """Share of the difference that is taken over at each block: 0.2 s to follow at 100 blocks per second."""
    _JUMP_NS = 30_000_000
    """A difference above this is no jitter: the stream stopped or skipped."""

    def __init__(self, sample_rate: int) -> None:
        self._sample_rate = sample_rate
        self._anchor: tuple[int, int] | None = None  # replaced as one object, hence safe to read in any thread

    def observe(self, frame: int, at_ns: int) -> None:
        """Take the report that a frame passes at this moment of `time.monotonic_ns`."""
        if self._anchor is not None:
            expected_ns = self.time_of(frame)
            error_ns = at_ns - expected_ns
            if abs(error_ns) < self._JUMP_NS:
                at_ns = expected_ns + round(error_ns * self._FOLLOW)
        self._anchor = (frame, at_ns)

    def frame_at(self, now_ns: int) -> int | None:
        """The frame that passes at this moment; None before the first report."""
        anchor = self._anchor
        if anchor is None:
            return None
        return anchor[0] + (now_ns - anchor[1]) * self._sample_rate // NS_PER_S

    def time_of(self, frame: int) -> int:
        """The moment at which this frame passes; needs at least one report."""
        if self._anchor is None:
            raise ValueError("the clock has not been set yet")
        return self._anchor[1] + (frame - self._anchor[0]) * NS_PER_S // self._sample_rate


class HostTime:
    """Turns a sound host's own time into `time.monotonic_ns`.

    The host notes its time and then calls us; we note ours when Python lets us run, always a little later. The
    smallest of the recent differences is the truest.
    """

    _RECENT = 100
    """Blocks; one second."""
    _STEP_S = 0.25
    """A difference that grew by more means that the host's clock was set, as with wall-clock time."""

    def __init__(self) -> None:
        self._differences: deque[float] = deque(maxlen=self._RECENT)

    def to_monotonic_ns(self, moment_s: float, host_now_s: float, now_ns: int) -> int:
        """Convert `moment_s`, given that the host's time was `host_now_s` just before `now_ns`."""
        difference = now_ns / NS_PER_S - host_now_s
        if self._differences and difference > min(self._differences) + self._STEP_S:
            self._differences.clear()
        self._differences.append(difference)
        return round((moment_s + min(self._differences)) * NS_PER_S)
