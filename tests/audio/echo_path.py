"""The way of a sound from an open loudspeaker to a microphone: numpy alone, block by block, for simulators."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.types import FloatArray

_DIRECT_SHARE = 0.5
"""Of the energy that arrives; the rest is reverberation. An open loudspeaker beside the microphone."""
_FIRST_REFLECTION_S = 0.002
_SINC_HALF = 12
"""Input samples on each side of one that is read between them."""


class EchoPath:
    """Loudspeaker, delay, room and a microphone whose clock differs.

    A loudspeaker block goes in, what the microphone recorded in the same time comes out: as many samples, except that
    a drifting microphone counts more or fewer of them. Blocks may have any size.
    """

    def __init__(
        self,
        delay_ms: float = 120.0,
        gain_db: float = -10.0,
        *,
        seed: int = 0,
        rt60_s: float = 0.4,
        drift_ppm: float = 0.0,
        clip: float | None = None,
        sample_rate: int = 48_000,
    ) -> None:
        """Build the room.

        Args:
            delay_ms: From the loudspeaker's sample to the direct sound in the microphone.
            gain_db: Level at the microphone against the loudspeaker's signal, for sound of all pitches alike.
            seed: Of the room's reflections; the same seed is the same room.
            rt60_s: Time in which the reverberation falls by 60 dB; 0: no reflections.
            drift_ppm: How much faster the microphone's clock runs: at 1000 it gives 1001 samples for 1000.
            clip: The loudspeaker cannot move further than this (of full scale); None: it is linear.
            sample_rate: Hz, of both ends.
        """
        room = room_response(rt60_s, sample_rate, seed)
        delay = np.zeros(round(delay_ms * sample_rate / 1000))
        self._response = np.concatenate((delay, room * 10 ** (gain_db / 20)))
        self._spectra: dict[int, NDArray[np.complex128]] = {}
        self._clip = clip
        self._step = 1 / (1 + drift_ppm * 1e-6)
        self._tail = np.zeros(self._response.size - 1)
        self._heard = np.zeros(_SINC_HALF)  # arrived at the microphone, not yet read on its clock
        self._next = float(_SINC_HALF)  # place in self._heard of the sample that the microphone takes next

    def push(self, block: FloatArray) -> FloatArray:
        """Take what the loudspeaker plays.

        Args:
            block: float32 mono, any length.

        Returns:
            float32 mono: what the microphone gives meanwhile; with drift `_SINC_HALF` samples (0.25 ms) late.
        """
        arrived = self._through_the_room(block)
        return arrived.astype(np.float32) if self._step == 1 else self._on_the_other_clock(arrived)

    def _through_the_room(self, block: FloatArray) -> NDArray[np.float64]:
        if not block.size:
            return np.zeros(0)
        moved = block if self._clip is None else np.clip(block, -self._clip, self._clip)
        full = block.size + self._response.size - 1
        size = 1 << (full - 1).bit_length()
        if size not in self._spectra:
            self._spectra[size] = np.fft.rfft(self._response, size)
        sound = np.fft.irfft(np.fft.rfft(moved, size) * self._spectra[size], size)[:full]
        sound[: self._tail.size] += self._tail
        self._tail = sound[block.size :]
        return sound[: block.size]

    def _on_the_other_clock(self, arrived: NDArray[np.float64]) -> FloatArray:
        self._heard = np.concatenate((self._heard, arrived))
        last = self._heard.size - 1 - _SINC_HALF
        count = max(0, int((last - self._next) / self._step) + 1)
        places = self._next + self._step * np.arange(count)
        whole = np.floor(places).astype(np.int64)
        taps = np.arange(1 - _SINC_HALF, _SINC_HALF + 1)
        distance = taps - (places - whole)[:, np.newaxis]
        kernel = np.sinc(distance) * np.cos(np.pi * distance / (2 * _SINC_HALF + 2)) ** 2
        read = np.einsum("ij,ij->i", self._heard[whole[:, np.newaxis] + taps], kernel)
        self._next += self._step * count
        surplus = int(self._next) - _SINC_HALF
        self._heard = self._heard[surplus:]
        self._next -= surplus
        return read.astype(np.float32)


def room_response(rt60_s: float, sample_rate: int, seed: int) -> NDArray[np.float64]:
    """A room: the direct sound first, then noise that decays exponentially; energy 1.

    Args:
        rt60_s: Time in which the reverberation falls by 60 dB; 0: the direct sound alone.
        sample_rate: Hz.
        seed: Of the noise.

    Returns:
        float64, shape (rt60_s * sample_rate,), at least one sample.
    """
    response = np.zeros(max(1, round(rt60_s * sample_rate)))
    first = round(_FIRST_REFLECTION_S * sample_rate)
    if response.size > first:
        time_s = np.arange(response.size - first) / sample_rate
        tail = np.random.default_rng(seed).standard_normal(time_s.size) * 10 ** (-3 * time_s / rt60_s)
        response[first:] = tail * np.sqrt((1 - _DIRECT_SHARE) / np.sum(tail**2))
        response[0] = np.sqrt(_DIRECT_SHARE)
    else:
        response[0] = 1.0
    return response
