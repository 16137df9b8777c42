"""Cuts the microphone's blocks into the windows of the voice detector. Pure; belongs to one segmenter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from models.types import FloatArray
from models.vad.base import WINDOW_SAMPLES


@dataclass(frozen=True, slots=True)
class Window:
    """32 ms of the microphone."""

    samples: FloatArray
    """float32, shape (WINDOW_SAMPLES,)."""
    to_recognise: FloatArray
    """The same moment as a recogniser is to read it."""
    is_own_voice: bool
    """Most of it is the kiosk itself."""


class Windows:
    """Blocks of any length go in, windows come out."""

    def __init__(self) -> None:
        self._samples = self._to_recognise = np.zeros(0, np.float32)
        self._own = np.zeros(0, np.bool_)

    def __len__(self) -> int:
        """Samples that wait for a window to be full."""
        return len(self._samples)

    def push(self, block: FloatArray, to_recognise: FloatArray, is_own_voice: bool) -> Iterator[Window]:
        """Take a block; the windows that are full now. `clear` may be called between two of them.

        Args:
            block: float32 mono at 16 kHz, any length.
            to_recognise: As long; see `Window`.
            is_own_voice: What speaks in it is the kiosk itself.
        """
        self._samples = np.concatenate((self._samples, block))
        self._to_recognise = np.concatenate((self._to_recognise, to_recognise))
        self._own = np.concatenate((self._own, np.full(len(block), is_own_voice)))
        while len(self._samples) >= WINDOW_SAMPLES:
            samples, self._samples = self._samples[:WINDOW_SAMPLES], self._samples[WINDOW_SAMPLES:]
            reads, self._to_recognise = self._to_recognise[:WINDOW_SAMPLES], self._to_recognise[WINDOW_SAMPLES:]
            own, self._own = self._own[:WINDOW_SAMPLES], self._own[WINDOW_SAMPLES:]
            yield Window(samples, reads, 2 * int(np.count_nonzero(own)) > WINDOW_SAMPLES)

    def clear(self) -> None:
        """What waits is not wanted any more."""
        self._samples = self._to_recognise = np.zeros(0, np.float32)
        self._own = np.zeros(0, np.bool_)
