"""The last seconds of sound, addressed by sample number since the start."""

from __future__ import annotations

import numpy as np

from models.types import FloatArray


class SampleBuffer:
    """Keeps at least `capacity` samples; older ones are forgotten. Memory does not grow."""

    def __init__(self, capacity: int) -> None:
        """Reserve memory.

        Args:
            capacity: Samples that can be asked for, at least 1.
        """
        self._capacity = capacity
        self._data = np.zeros(2 * capacity, np.float32)
        self._fill = 0
        self.end = 0
        """Number of the next sample to come, counted from 0."""

    @property
    def start(self) -> int:
        """Number of the oldest sample still here."""
        return self.end - self._fill

    def append(self, samples: FloatArray) -> None:
        """Add sound at the end; more than the capacity at once keeps its last part."""
        self.end += len(samples)
        if len(samples) > self._capacity:
            samples = samples[-self._capacity :]
            self._fill = 0
        if self._fill + len(samples) > len(self._data):
            kept = min(self._fill, self._capacity)
            self._data[:kept] = self._data[self._fill - kept : self._fill].copy()
            self._fill = kept
        self._data[self._fill : self._fill + len(samples)] = samples
        self._fill += len(samples)

    def slice(self, start: int, stop: int) -> FloatArray:
        """A copy of the samples from number `start` up to `stop`, as far as they are here."""
        origin = self.start
        return self._data[max(0, start - origin) : max(0, stop - origin)].copy()
