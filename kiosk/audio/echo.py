"""Takes the loudspeaker's echo, steady noise and rumble out of the microphone's sound (WebRTC audio processing).

One thread calls `process`; another may call `add_reference` at any time. Loading happens at construction: the library
makes no network connection unless a room is joined, which nothing here does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from kiosk.audio.clock import NS_PER_S
from kiosk.audio.linear_echo import LinearEchoCanceller
from kiosk.audio.own_voice import OwnVoice
from kiosk.audio.pcm import from_pcm16, to_pcm16
from kiosk.audio.playback import RenderedBlock
from kiosk.audio.reference import ReferenceLine
from kiosk.audio.resample import BLOCK_SAMPLES, MODEL_RATE
from kiosk.errors import AudioError
from models.types import FloatArray

LEAD_NS = 30_000_000
"""The reference is given so much ahead of the echo, so that errors of the device times never make it late; less than
the output latency, so that it is at hand."""
PROCESSING_DELAY_NS = 14_000_000
"""What comes out was heard so long before what goes in (measured: 8 ms by the canceller, 6 by the noise filter)."""
VISITOR_MIX = 0.15
"""While somebody talks over the kiosk, so much (-16 dB) of the bare microphone is mixed in: the canceller takes much
of a second voice away, at its beginning most of all."""
FADE_BLOCKS = 3
"""30 ms from the cancelled sound to the filtered one and back: the same wave, so that nothing is heard of it."""
OWN_SIGNAL_BLOCKS = 12
OWN_SIGNAL_REACH = 20
OWN_SIGNAL_CORRELATION = 0.98
"""120 ms of sound that are so like some stretch of the last 200 ms before it came straight from the loudspeaker's
signal: air, a room and a visitor change it more (a visitor 14 dB below it is enough)."""
_CANCELLER_DELAY = MODEL_RATE // 125  # 8 ms
_PROCESSING_DELAY = PROCESSING_DELAY_NS * MODEL_RATE // NS_PER_S  # 224 samples
_DELAY_BLOCKS = 1 + -(-_PROCESSING_DELAY // BLOCK_SAMPLES)  # 3
_BLOCK_NS = NS_PER_S * BLOCK_SAMPLES // MODEL_RATE
_STEPS_PER_SAMPLE = 4
_SILENT_ENERGY = 1e-8
"""Of two stretches multiplied; below it rounding errors would decide."""


class EchoProcessor:
    """WebRTC audio processing with the loudspeaker as reference.

    The reference is aligned by the times at which the devices play and record, so the canceller only has to find the
    way through the room (up to some 0.4 s, found within a second or two of speech).

    While the room is silent the canceller is passed by. It holds down the beginning of whatever is heard then, by
    up to 20 dB for 0.1 s, and a recogniser then takes 贷款 for 费款. While an echo is there, a filter that holds
    nothing down gives a recogniser the same moment with more of the echo and the whole visitor.
    """

    def __init__(self) -> None:
        """Start the processing library.

        Raises:
            AudioError: It is not installed or does not fit this machine.
        """
        try:
            from livekit.rtc import AudioFrame
            from livekit.rtc.apm import AudioProcessingModule
        except (ImportError, OSError) as error:
            raise AudioError(
                "no-echo-canceller",
                "the package livekit cannot be loaded; install it again or set sound.echo_cancellation = false",
            ) from error
        self._frame_of: Callable[..., Any] = AudioFrame
        self._apm = AudioProcessingModule(
            echo_cancellation=True, noise_suppression=True, high_pass_filter=True, auto_gain_control=False
        )
        self._noise_filter = AudioProcessingModule(
            echo_cancellation=False, noise_suppression=True, high_pass_filter=True, auto_gain_control=False
        )
        self._linear = LinearEchoCanceller()
        self._filtered = np.zeros(_CANCELLER_DELAY, np.float32)  # not yet given out
        self._filtered_share = 1.0
        self._apm.set_stream_delay_ms(LEAD_NS // 1_000_000)
        self._line = ReferenceLine()
        self._near: deque[FloatArray] = deque(maxlen=OWN_SIGNAL_BLOCKS)
        self._mix = 0.0
        self._own_voice = OwnVoice()
        self.is_own_voice = False
        """What is left in the block processed last is most likely the kiosk's own voice and not a visitor's. Right
        before the canceller has learned the room, and while it learns anew; never true when nothing is played."""
        self.to_recognise = np.zeros(BLOCK_SAMPLES, np.float32)
        """The block processed last for a recogniser: nothing of a visitor is held down, some echo is left."""

    @property
    def visitor_evidence(self) -> float | None:
        """See `AudioBlock`; of the block processed last."""
        return self._own_voice.evidence if self._own_voice.model.is_far_sounding else None

    def add_reference(self, block: RenderedBlock) -> None:
        """Take what the loudspeaker plays; give this to `Playback.on_rendered`. Returns at once."""
        self._line.push(block)

    def process(self, samples: FloatArray, captured_ns: int) -> FloatArray:
        """Clean 10 ms of the microphone.

        Args:
            samples: float32 mono at 16 kHz, shape (160,).
            captured_ns: time.monotonic_ns() at which the last sample reached the microphone.

        Returns:
            float32, shape (160,), as it was heard `PROCESSING_DELAY_NS` earlier.
        """
        far = self._line.take(captured_ns - _BLOCK_NS + LEAD_NS)
        self.is_own_voice = self._own_voice.push(far, samples)
        self._apm.process_reverse_stream(self._frame(far))
        self._near.append(samples)
        cleaned = self._with_the_visitor(self._through(self._apm, samples))
        uncancelled = self._through(self._noise_filter, self._linear.process(samples, far))
        self._filtered = np.concatenate((self._filtered, uncancelled))
        self.to_recognise, self._filtered = self._filtered[:BLOCK_SAMPLES], self._filtered[BLOCK_SAMPLES:]
        return self._where_an_echo_is(cleaned, self.to_recognise)

    def _through(self, apm: Any, samples: FloatArray) -> FloatArray:
        frame = self._frame(samples)
        apm.process_stream(frame)
        return from_pcm16(np.frombuffer(frame.data, np.int16))

    def _where_an_echo_is(self, cleaned: FloatArray, filtered: FloatArray) -> FloatArray:
        """The canceller's sound while an echo may arrive, and the noise filter's otherwise."""
        step = -1 / FADE_BLOCKS if self._own_voice.may_echo else 1 / FADE_BLOCKS
        before, self._filtered_share = self._filtered_share, min(1.0, max(0.0, self._filtered_share + step))
        share = np.linspace(before, self._filtered_share, BLOCK_SAMPLES, dtype=np.float32)
        return cleaned + share * (filtered - cleaned)

    def _with_the_visitor(self, cleaned: FloatArray) -> FloatArray:
        mix = VISITOR_MIX * self._own_voice.visitor_share
        before, self._mix = self._mix, mix
        if not (before or mix):
            return cleaned
        bare = np.concatenate((np.zeros(_PROCESSING_DELAY, np.float32), *list(self._near)[-_DELAY_BLOCKS:]))
        end = bare.size - _PROCESSING_DELAY
        return cleaned + np.linspace(before, mix, BLOCK_SAMPLES, dtype=np.float32) * bare[end - BLOCK_SAMPLES : end]

    def hears_own_signal(self) -> bool:
        """What was processed last is the loudspeaker's signal itself, at any loudness, not an echo in a room.

        A sound server whose only microphone was pulled out gives the loudspeaker's signal in its place.
        """
        near = np.concatenate(self._near) if self._near else np.zeros(0, np.float32)
        far = self._line.around(OWN_SIGNAL_BLOCKS + OWN_SIGNAL_REACH)
        if near.size < OWN_SIGNAL_BLOCKS * BLOCK_SAMPLES or far.size < near.size:
            return False
        return _likeness(near, far) > OWN_SIGNAL_CORRELATION

    def _frame(self, samples: FloatArray) -> Any:
        return self._frame_of(bytearray(to_pcm16(samples).tobytes()), MODEL_RATE, 1, BLOCK_SAMPLES)


def _likeness(short: FloatArray, long: FloatArray) -> float:
    """The largest normalised correlation, 0..1, of `short` with any stretch of `long` that has its length.

    Looks between the samples too: two resamplers never agree on where a sample lies.
    """
    size = 1 << (long.size + short.size).bit_length()
    spectrum = np.fft.rfft(long, size) * np.conj(np.fft.rfft(short, size))
    products = np.fft.irfft(spectrum, size * _STEPS_PER_SAMPLE) * _STEPS_PER_SAMPLE
    sums = np.cumsum(np.concatenate(([0.0], long.astype(np.float64) ** 2)))
    energies = (sums[short.size :] - sums[: -short.size]) * np.sum(short.astype(np.float64) ** 2)
    sounding = energies > _SILENT_ENERGY
    steps = products[: energies.size * _STEPS_PER_SAMPLE].reshape(-1, _STEPS_PER_SAMPLE)[sounding]
    return float((np.abs(steps).max(axis=1, initial=0.0) / np.sqrt(energies[sounding])).max(initial=0.0))
