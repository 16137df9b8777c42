"""From frame numbers of a stream to `time.monotonic_ns` and back. Written by one thread, read by any."""

from __future__ import annotations

from collections import deque

NS_PER_S = 1_000_000_000


class StreamClock:
    """Which frame of a stream passes the loudspeaker, or passed the microphone, at which moment.

    Sound servers report the time of a block with some milliseconds of jitter. The clock follows them slowly, so that
    a mouth moved by it does not tremble, and jumps when the stream has really stopped or skipped. A drift of the
    device against `time.monotonic` never adds up: each report corrects what the last 10 ms brought (1 us at 100 ppm).
    """

    _FOLLOW = 0.05
    """Share of the difference that is taken over at each block: 0.2 s to follow at 100 blocks per second."""
    _JUMP_NS = 30_000_000
    """A difference above this is no jitter: the stream stopped or skipped."""

    def __init__(self, sample_rate: int) -> None:
        self._sample_rate = sample_rate
        self._anchor: tuple[int, int] | None = None  # replaced as one object, hence safe to read in any thread
        self._other: tuple[int, int] | None = None  # where the clock would stand if the last jump were wrong

    def observe(self, frame: int, at_ns: int, may_have_stopped: bool = True) -> None:
        """Take a report; drivers give false ones, so that the next one confirms a jump or takes it back.

        Args:
            frame: Number of a frame.
            at_ns: time.monotonic_ns() at which it passes.
            may_have_stopped: A stream that is late has stopped and is followed at once. False: its blocks came as
                usual, and it is believed at the second report, like one that is early because frames were lost.
        """
        if self._anchor is None:
            self._anchor = (frame, at_ns)
            return
        expected_ns, other = self._time_by(self._anchor, frame), self._other
        self._other = None
        if abs(at_ns - expected_ns) >= self._JUMP_NS:
            if other is not None and abs(at_ns - self._time_by(other, frame)) < self._JUMP_NS:
                expected_ns = self._time_by(other, frame)
            elif at_ns > expected_ns and may_have_stopped:
                expected_ns, self._other = at_ns, self._anchor
            else:
                self._other = (frame, at_ns)
                at_ns = expected_ns
        self._anchor = (frame, expected_ns + round((at_ns - expected_ns) * self._FOLLOW))

    def restart(self, frame: int, at_ns: int) -> None:
        """Set the clock: this frame passes now, whatever was reported before."""
        self._other = None
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
        return self._time_by(self._anchor, frame)

    def _time_by(self, anchor: tuple[int, int], frame: int) -> int:
        return anchor[1] + (frame - anchor[0]) * NS_PER_S // self._sample_rate


class HostTime:
    """Turns a sound host's own time into `time.monotonic_ns`.

    The host notes its time and then calls us; we note ours when Python lets us run, always a little later. The
    smallest of the recent differences is the truest. A driver whose clock stands still is not believed.
    """

    _RECENT = 100
    """Blocks; one second."""
    _STEP_S = 0.25
    """A difference that grew by more means that the host's clock was set, as with wall-clock time."""
    _LONGEST_S = 1.0
    """A block that passes the device further away than this is a broken driver's invention."""

    def __init__(self, latency_s: float = 0.0) -> None:
        """Take the stream's stated latency in seconds, for drivers that give no times."""
        self._latency_s = latency_s
        self._differences: deque[float] = deque(maxlen=self._RECENT)
        self._last_host_s: float | None = None

    def to_monotonic_ns(self, moment_s: float, host_now_s: float, now_ns: int) -> int:
        """Convert `moment_s`, given that the host's time was `host_now_s` just before `now_ns`."""
        difference = now_ns / NS_PER_S - host_now_s
        if self._differences and difference > min(self._differences) + self._STEP_S:
            self._differences.clear()
        self._differences.append(difference)
        return round((moment_s + min(self._differences)) * NS_PER_S)

    def heard_ns(self, dac_s: float, host_now_s: float, now_ns: int) -> int:
        """When a block that the host asks for is heard.

        Args:
            dac_s: What the host says about it, in its own time; 0 or a time that is over are drivers' ways to say
                nothing.
            host_now_s: The host's time just before `now_ns`; 0 as well.
            now_ns: time.monotonic_ns() in the callback.
        """
        return self._convert(dac_s - host_now_s, 1, host_now_s, now_ns)

    def recorded_ns(self, adc_s: float, host_now_s: float, now_ns: int) -> int:
        """When a block that the host brings was recorded; see `heard_ns`."""
        return self._convert(host_now_s - adc_s, -1, host_now_s, now_ns)

    def _convert(self, distance_s: float, sign: int, host_now_s: float, now_ns: int) -> int:
        stands_still = host_now_s == self._last_host_s
        self._last_host_s = host_now_s
        if stands_still or not 0 < distance_s < self._LONGEST_S:
            distance_s = self._latency_s
        if stands_still:
            return now_ns + sign * round(distance_s * NS_PER_S)
        return self.to_monotonic_ns(host_now_s + sign * distance_s, host_now_s, now_ns)
