"""Is the picture on the sound? Watches, at run time, the clock that the view follows against what the device says."""

from __future__ import annotations

import logging
from collections import deque
from statistics import median

log = logging.getLogger("audio")

LIMIT_MS = 40.0
"""People begin to notice a mouth that is ahead of its sound by 45 ms (ITU-R BT.1359)."""
RECENT = 50
"""Blocks, half a second: one false report of a driver moves the median not at all."""


class AvOffset:
    """The present offset between picture and sound. Written by the device's thread, read by any."""

    def __init__(self) -> None:
        self._recent: deque[float] = deque(maxlen=RECENT)
        self._ms = 0.0
        self._worst_ms = 0.0
        self._is_off = False

    @property
    def ms(self) -> float:
        """How far the picture is ahead of the sound, in ms (negative: behind); median of the last half second."""
        return self._ms

    @property
    def worst_ms(self) -> float:
        """The `ms` furthest from 0 since the start."""
        return self._worst_ms

    def observe(self, shown_frame: int, device_frame: int, sample_rate: int) -> bool:
        """Compare once per block.

        Args:
            shown_frame: The frame that the view shows now.
            device_frame: The frame that passes the device now by its own latest word.
            sample_rate: Of both, in Hz.

        Returns:
            True when they have been too far apart for half a second: the clock must be set to the device's word.
        """
        self._recent.append((shown_frame - device_frame) * 1000 / sample_rate)
        if len(self._recent) < RECENT:
            return False  # a device that begins fills its buffer first, and says what it likes meanwhile
        self._ms = median(self._recent)
        self._worst_ms = max(self._worst_ms, self._ms, key=abs)
        was_off, self._is_off = self._is_off, abs(self._ms) > LIMIT_MS
        if self._is_off and not was_off:
            log.warning("picture and sound are %.0f ms apart", self._ms)
        elif was_off and not self._is_off:
            log.info("picture and sound are together again (%.0f ms)", self._ms)
        return self._is_off

    def restart(self) -> None:
        """Forget what was seen: another device, or the clock was set."""
        self._recent.clear()
        self._ms = 0.0
        self._is_off = False
