"""The sound that waits for the loudspeaker, frame-exact. Pure; filled by any thread, emptied by the device's."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

import numpy as np

from models.types import FloatArray


@dataclass(frozen=True, slots=True)
class PlaybackSpan:
    """Where a clip is heard, in frames of the loudspeaker since playback was opened."""

    start: int
    """First frame."""
    stop: int
    """One past the last frame."""


@dataclass(slots=True)
class _Segment:
    start: int
    samples: FloatArray


class PlayQueue:
    """Clips one after the other on one endless line of frames, silence between them.

    The lock is held for the copying of one block or for putting a clip on the list, nothing longer.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._segments: deque[_Segment] = deque()
        self._next = 0
        self._end = 0

    @property
    def next_frame(self) -> int:
        """The frame that the device is given next; every frame before it was handed over."""
        return self._next

    @property
    def end_frame(self) -> int:
        """One past the last frame that has sound; behind `next_frame` when nothing waits."""
        return self._end

    def append(self, samples: FloatArray) -> PlaybackSpan:
        """Put a clip at the end.

        Args:
            samples: float32 mono at the device's rate, shape (n,); belongs to the queue from now on.

        Returns:
            Where exactly it is heard.
        """
        with self._lock:
            start = max(self._end, self._next)
            self._end = start + samples.size
            if samples.size:
                self._segments.append(_Segment(start, samples))
            return PlaybackSpan(start, self._end)

    def fill(self, block: FloatArray) -> int:
        """Write the next frames, silence where there is no sound.

        Args:
            block: float32, shape (n,); overwritten.

        Returns:
            The number of its first frame.
        """
        block.fill(0.0)
        with self._lock:
            first = self._next
            self._next = stop = first + block.size
            while self._segments and self._segments[0].start < stop:
                segment = self._segments[0]
                at = segment.start - first
                part = segment.samples[: block.size - at]
                block[at : at + part.size] = part
                if part.size == segment.samples.size:
                    self._segments.popleft()
                else:
                    segment.start += part.size
                    segment.samples = segment.samples[part.size :]
            return first

    def skip_to(self, frame: int) -> None:
        """Let what lies before this frame pass unheard: there is no device."""
        with self._lock:
            self._next = max(self._next, frame)
            while self._segments and self._segments[0].start < self._next:
                segment = self._segments[0]
                passed = self._next - segment.start
                if passed >= segment.samples.size:
                    self._segments.popleft()
                else:
                    segment.start += passed
                    segment.samples = segment.samples[passed:]

    def clear(self, fade_frames: int) -> int:
        """Drop what waits, but for a short fade so that the cut does not click.

        Returns:
            The frame from which on there is silence.
        """
        with self._lock:
            tail = np.zeros(fade_frames, np.float32)
            stop = self._next + fade_frames
            for segment in self._segments:
                if segment.start >= stop:
                    break
                at = segment.start - self._next
                part = segment.samples[: fade_frames - at]
                tail[at : at + part.size] = part
            self._segments.clear()
            self._end = self._next
            if tail.any():
                tail *= np.linspace(1.0, 0.0, fade_frames, dtype=np.float32)
                self._segments.append(_Segment(self._next, tail))
                self._end = stop
            return self._end
