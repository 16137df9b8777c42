"""From the line of frames that waits to the device that plays it, at the device's own rate. One device's thread."""

from __future__ import annotations

import numpy as np

from kiosk.audio.playqueue import PlayQueue
from kiosk.audio.resample import StreamResampler
from models.types import FloatArray


class DeviceFeed:
    """What one opening of a device takes from the queue; another opening needs a new one.

    A device that takes over in the middle of an answer may have another rate. The places of all clips are promised in
    frames of the line, so the line keeps its rate and is converted here until the answer is over.
    """

    def __init__(self, queue: PlayQueue, line_rate: int, device_rate: int) -> None:
        """Take both rates in Hz.

        Raises:
            AudioError: A rate is not possible.
        """
        self._queue = queue
        self._line_rate = line_rate
        self._device_rate = device_rate
        self._resampler = None if line_rate == device_rate else StreamResampler(line_rate, device_rate)
        self._first = queue.next_frame
        self._given = 0  # frames of the device
        self._converted = np.zeros(0, np.float32)

    @property
    def sample_rate(self) -> int:
        """The device's, in Hz."""
        return self._device_rate

    @property
    def first_frame(self) -> int:
        """The frame of the line with which this opening began."""
        return self._first

    def fill(self, block: FloatArray) -> int:
        """Write the next frames, silence where there is no sound.

        Args:
            block: float32 mono, shape (n,); overwritten.

        Returns:
            The frame of the line that the first one is.
        """
        if self._resampler is None:
            return self._queue.fill(block)
        while self._converted.size < block.size:
            missing = block.size - self._converted.size
            part = np.empty(missing * self._line_rate // self._device_rate + 1, np.float32)
            self._queue.fill(part)
            self._converted = np.concatenate((self._converted, self._resampler.push(part)))
        block[:] = self._converted[: block.size]
        self._converted = self._converted[block.size :]
        first = self._first + self._given * self._line_rate // self._device_rate
        self._given += block.size
        return first
