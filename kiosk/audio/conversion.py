"""From a device's blocks to 10 ms blocks at 16 kHz with the time at which each was heard. Pure; one thread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kiosk.audio.clock import StreamClock
from kiosk.audio.resample import BLOCK_SAMPLES, MODEL_RATE, Reblocker, StreamResampler, to_mono
from models.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioBlock:
    """10 ms of the room."""

    samples: FloatArray
    """float32 mono at 16 kHz in [-1, 1], shape (160,); belongs to the receiver."""
    captured_ns: int
    """time.monotonic_ns() at which the last sample reached the microphone."""
    is_own_voice: bool = False
    """What is left in this block is most likely the kiosk's own voice and not a visitor's."""
    visitor_evidence: float | None = None
    """How clearly somebody else speaks while the kiosk does, 1 being just enough; None while nothing of the kiosk's
    can be in the block, or nobody knows."""
    to_recognise: FloatArray | None = None
    """The same moment for a recogniser, shape (160,): a visitor unharmed, more of the echo; None: as `samples`."""


class StreamConverter:
    """Mixes down, resamples and cuts one input stream; a reopened stream needs a new one."""

    def __init__(self, sample_rate: int) -> None:
        """Take the device's rate in Hz.

        Raises:
            AudioError: The rate is not possible.
        """
        self._sample_rate = sample_rate
        self._resampler = StreamResampler(sample_rate, MODEL_RATE)
        self._reblocker = Reblocker(BLOCK_SAMPLES)
        self._clock = StreamClock(MODEL_RATE)
        self._frames_in = 0
        self._samples_out = 0

    def push(self, samples: FloatArray, first_ns: int) -> Iterator[AudioBlock]:
        """Convert the next block of the device.

        Args:
            samples: float32, shape (frames, channels).
            first_ns: time.monotonic_ns() at which its first frame reached the microphone.

        Yields:
            The 10 ms blocks that are full now.
        """
        self._clock.observe(self._frames_in * MODEL_RATE // self._sample_rate, first_ns)
        self._frames_in += samples.shape[0]
        for window in self._reblocker.push(self._resampler.push(to_mono(samples))):
            self._samples_out += window.size
            yield AudioBlock(samples=window, captured_ns=self._clock.time_of(self._samples_out))
