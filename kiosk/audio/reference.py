"""The far end of the echo canceller: what the loudspeaker plays, read on the microphone's clock.

Both devices report times of `time.monotonic_ns`. Their crystals differ by up to 0.1 %, so the line is read a little
faster or slower than it was written, at the ratio of the two clocks as measured. `push` may be called in the device's
thread; everything else belongs to the thread that cleans the microphone.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from kiosk.audio.clock import NS_PER_S, StreamClock
from kiosk.audio.playback import RenderedBlock
from kiosk.audio.resample import BLOCK_SAMPLES, MODEL_RATE, StreamResampler
from models.types import FloatArray

REALIGN_NS = 20_000_000
"""Off by more, the line was interrupted (a gap of a busy machine, another device): it is read from the right place at
once. Less is steered away."""
KEPT_NS = 2 * NS_PER_S
"""Reference that is older than this belongs to no echo any more."""
_BLOCK_NS = NS_PER_S * BLOCK_SAMPLES // MODEL_RATE

_TAPS = 16
_PHASES = 512
"""Reading between the samples: so many neighbours, so many places between two of them; errors stay below -60 dB up
to 6.5 kHz."""


def _kernels() -> NDArray[np.float32]:
    """Windowed sincs, float32, shape (_PHASES + 1, _TAPS); tap 7 weighs the sample just before the place."""
    phases = np.arange(_PHASES + 1)[:, np.newaxis] / _PHASES
    distance = np.arange(_TAPS) - (_TAPS // 2 - 1) - phases
    kernels = np.sinc(distance) * np.i0(6 * np.sqrt(np.maximum(0, 1 - (2 * distance / _TAPS) ** 2))) / np.i0(6)
    kernels /= kernels.sum(axis=1, keepdims=True)
    return np.asarray(kernels, np.float32)


_KERNELS = _kernels()


class ClockFollower:
    """Where on the line to read, and how fast: a straight line through the places that the device times ask for.

    The line is fitted to all reports at first and to the last `_MEMORY_BLOCKS` later on. A single report moves it
    little, so that jitter of the device times passes by and a drift makes no jump.
    """

    _MEMORY_BLOCKS = 1500
    """15 s: jitter of 5 ms then moves the place by less than half a sample per second."""
    _SHORT_MEMORY_BLOCKS = 50
    """After a step that is too small for a jump (a device that left out one block)."""
    _STEP_SAMPLES = 0.0025 * MODEL_RATE
    """2.5 ms; reports that are off by this on average over half a second show such a step."""
    _AVERAGE = 0.02
    _FASTEST = 0.005
    """The place is steered by at most this share of the speed: twice what a poor pair of crystals differs, and a
    change of pitch that harms no echo canceller."""

    def __init__(self, place: float) -> None:
        """Begin to read at this place."""
        self._reports = 0
        self._fitted = place  # by the fitted line
        self._place = place  # that is read
        self._ratio = 1.0
        self._mean_error = 0.0

    @property
    def ratio(self) -> float:
        """Samples of the line per sample of the microphone, as measured so far."""
        return self._ratio

    def jump(self, place: float) -> None:
        """Read on from here; the ratio of the clocks stays as it was measured."""
        self._fitted = self._place = place
        self._reports = min(self._reports, self._SHORT_MEMORY_BLOCKS)
        self._mean_error = 0.0

    def error(self, wanted: float) -> float:
        """By how many samples the device times ask for another place than the one that is read."""
        return wanted - self._place

    def advance(self, wanted: float) -> tuple[float, float]:
        """Take the report for the block to be read now.

        Args:
            wanted: Place of its first sample by the device times.

        Returns:
            Place of its first sample and the step from one sample to the next, both to be read.
        """
        self._reports = min(self._reports + 1, self._MEMORY_BLOCKS)
        n = self._reports
        error = wanted - self._fitted
        self._mean_error += self._AVERAGE * (error - self._mean_error)
        if abs(self._mean_error) > self._STEP_SAMPLES:
            self._reports = n = min(n, self._SHORT_MEMORY_BLOCKS)
            self._mean_error = 0.0
        # The gains with which a line fitted by least squares to n reports takes in the newest.
        self._fitted += 2 * (2 * n - 1) / (n * (n + 1)) * error
        if n > 1:
            slope = self._ratio + 6 / (n * (n + 1)) * error / BLOCK_SAMPLES
            self._ratio = min(1 + self._FASTEST, max(1 - self._FASTEST, slope))
        place = self._place
        self._fitted += self._ratio * BLOCK_SAMPLES
        step = (self._fitted - place) / BLOCK_SAMPLES
        step = min(1 + self._FASTEST, max(1 - self._FASTEST, step))
        self._place = place + step * BLOCK_SAMPLES
        return place, step


class _Written:
    """What one loudspeaker was given, at 16 kHz, numbered from its first sample."""

    def __init__(self, sample_rate: int) -> None:
        self.sample_rate = sample_rate
        self._frames_in = 0
        self._resampler = StreamResampler(sample_rate, MODEL_RATE)
        self._clock = StreamClock(MODEL_RATE)
        self._samples = np.zeros(0, np.float32)
        self._first = 0  # number of self._samples[0]

    def append(self, block: RenderedBlock) -> None:
        self._clock.observe(self._frames_in * MODEL_RATE // self.sample_rate, block.heard_ns)
        self._frames_in += block.samples.size
        self._samples = np.concatenate((self._samples, self._resampler.push(block.samples)))
        surplus = self._samples.size - KEPT_NS * MODEL_RATE // NS_PER_S
        if surplus > 0:
            self._samples = self._samples[surplus:]
            self._first += surplus

    def place_of(self, heard_ns: int) -> float:
        """Number of the sample that is heard then, with its fraction."""
        whole = self._clock.frame_at(heard_ns)
        assert whole is not None  # set by the first block
        return whole + (heard_ns - self._clock.time_of(whole)) * MODEL_RATE / NS_PER_S

    def since(self, place: float) -> FloatArray:
        """All samples from there on, up to the newest."""
        return self._samples[max(0, int(place) - self._first) :]

    def between(self, place: float, step: float) -> FloatArray:
        """Read 160 samples from a place between two; what is not known counts as silence."""
        places = place - self._first + step * np.arange(BLOCK_SAMPLES)
        whole = np.floor(places).astype(np.int64)
        start = int(whole[0]) - (_TAPS // 2 - 1)
        count = int(whole[-1]) + _TAPS // 2 + 1 - start
        window = np.zeros(count, np.float32)
        known = self._samples[max(0, start) : max(0, start + count)]
        window[max(0, -start) : max(0, -start) + known.size] = known
        phases = np.rint((places - whole) * _PHASES).astype(np.int64)
        neighbours = np.lib.stride_tricks.sliding_window_view(window, _TAPS)[whole - whole[0]]
        block: FloatArray = np.einsum("ij,ij->i", neighbours, _KERNELS[phases])
        return block


class ReferenceLine:
    """The loudspeaker's sound at 16 kHz, to be read by the time at which it was heard."""

    def __init__(self) -> None:
        # Filled in the device's thread by a single append, hence without a lock; full: the oldest is dropped.
        self._inbox: deque[RenderedBlock] = deque(maxlen=2 * NS_PER_S // _BLOCK_NS)
        self._written: _Written | None = None
        self._follower: ClockFollower | None = None  # from the first sample that is read
        self._next = 0.0  # place of the sample to be read next
        self.shifts = 0
        """How often the line was not read on without a seam."""

    def push(self, block: RenderedBlock) -> None:
        """Take what the device was just given; returns at once."""
        self._inbox.append(block)

    def clear(self) -> None:
        """Forget everything (another device, a long pause)."""
        self._inbox.clear()
        self._written = self._follower = None

    @property
    def ratio(self) -> float:
        """Samples of the loudspeaker's clock per sample of the microphone's, as measured so far."""
        return self._follower.ratio if self._follower is not None else 1.0

    def take(self, heard_ns: int) -> FloatArray:
        """Give the next 10 ms.

        Args:
            heard_ns: When its first sample should have been heard. The place on the line follows these times slowly
                and without seams; only at the start and when it is off by more than `REALIGN_NS` it jumps.

        Returns:
            float32, shape (160,); zeros where nothing is known.
        """
        self._drain()
        if self._written is None:
            return np.zeros(BLOCK_SAMPLES, np.float32)
        wanted = self._written.place_of(heard_ns)
        if self._follower is None:
            self._follower = ClockFollower(wanted)
            self.shifts += 1
        elif abs(self._follower.error(wanted)) > REALIGN_NS * MODEL_RATE // NS_PER_S:
            self._follower.jump(wanted)
            self.shifts += 1
        place, step = self._follower.advance(wanted)
        self._next = place + step * BLOCK_SAMPLES
        return self._written.between(place, step)

    def around(self, blocks: int) -> FloatArray:
        """The last samples up to the newest that is known: so many blocks before what is read next, and all after."""
        if self._written is None:
            return np.zeros(0, np.float32)
        return self._written.since(self._next - blocks * BLOCK_SAMPLES)

    def _drain(self) -> None:
        while self._inbox:
            block = self._inbox.popleft()
            if self._written is None or block.sample_rate != self._written.sample_rate:
                self._written, self._follower = _Written(block.sample_rate), None
            self._written.append(block)
