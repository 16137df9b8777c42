"""How loud the loudspeaker's echo should be in the microphone just now, band by band. Pure; one thread.

The canceller works on waves and has to learn a room to the sample. Here only powers are compared: they forgive what
breaks a wave (a loudspeaker that distorts, a delay that moved by some milliseconds, a person walking by) and are
learned within half a second of speech.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kiosk.audio.resample import BLOCK_SAMPLES, BLOCKS_PER_S, MODEL_RATE
from models.types import FloatArray

BAND_EDGES_HZ = (150, 300, 450, 600, 800, 1000, 1250, 1500, 1850, 2250, 2750, 3400, 4200, 5200, 6500)
BANDS = len(BAND_EDGES_HZ) - 1  # 14
LAGS = 64
"""10 ms each: the longest way of an echo, delay and reverberation together."""

_WINDOW = 2 * BLOCK_SAMPLES
_HISTORY = 2 * BLOCKS_PER_S
"""2 s of both ends, from which is learned."""
_LEAST_HISTORY = 30
_LEARN_EVERY = 10
_ITERATIONS = 2
_ARRIVED = 0.05
"""Share of the loudest far block in reach that must have come through the room for a block to be learned from."""
_NOW_BLOCKS = 10
_SOUNDS_NOW = 0.02
"""What is learned from must have this share of the loudest far block in reach in its newest 0.1 s: after the kiosk
fell silent for a visitor, the visitor would be taken for a late echo."""
_LEAST_SOUNDING = 40
"""Blocks of that kind without which the rest is not learned from: too much of it may be a visitor."""
_SOUNDING = 1e-6
"""Power of a far end, all bands and lags together, below which there is nothing to learn."""
_FLOOR = 1e-8
_BELIEVED = 4.0
"""Of the microphone no more than 6 dB above the prediction is learned: the rest may be a visitor."""
_SMALLEST_SHARE = 1e-4
_INERTIA = 0.1
_GAIN_STEP = 0.5


class BandMeter:
    """Power in each band, of a stream of 10 ms blocks."""

    def __init__(self) -> None:
        self._window = np.zeros(_WINDOW, np.float32)
        self._taper = np.hanning(_WINDOW + 2)[1:-1].astype(np.float32)
        frequencies = np.fft.rfftfreq(_WINDOW, 1 / MODEL_RATE)
        edges = np.asarray(BAND_EDGES_HZ)
        inside = (frequencies[:, np.newaxis] >= edges[:-1]) & (frequencies[:, np.newaxis] < edges[1:])
        scale = 2 / (_WINDOW * np.sum(self._taper**2))  # full-scale white noise has power 1 in all bins together
        self._weights = (inside * scale).astype(np.float32)

    def push(self, block: FloatArray) -> FloatArray:
        """Take 10 ms.

        Args:
            block: float32, shape (160,).

        Returns:
            float32, shape (BANDS,): mean power over the last 20 ms, tapered.
        """
        self._window[:BLOCK_SAMPLES] = self._window[BLOCK_SAMPLES:]
        self._window[BLOCK_SAMPLES:] = block
        spectrum = np.fft.rfft(self._window * self._taper)
        powers: FloatArray = (spectrum.real**2 + spectrum.imag**2).astype(np.float32) @ self._weights
        return powers


class EchoModel:
    """Echo power = gain of the band x what the far end was, smeared over the last 0.64 s.

    How it is smeared (delay and reverberation) is the same for all bands: so few unknowns are soon known.
    """

    def __init__(self) -> None:
        self._far = np.zeros((_HISTORY + LAGS, BANDS), np.float32)
        self._near = np.zeros((_HISTORY, BANDS), np.float32)
        self._smear = np.full(LAGS, 1 / LAGS, np.float32)  # sums up to 1; [k]: of what was played k blocks ago
        self._gain = np.full(BANDS, 0.1, np.float32)
        self._blocks = 0
        self._usable = _HISTORY  # blocks of the history that are of this room
        self.misfit_db = np.inf
        """Median distance of the microphone's bands from the prediction where anything sounded in the last 2 s."""
        self.sounding_blocks = 0
        """Blocks with an echo to learn from, so far."""

    @property
    def lag_ms(self) -> int:
        """Where most of the echo comes from."""
        return int(np.argmax(self._smear)) * 1000 // BLOCKS_PER_S

    def push(self, far: FloatArray, near: FloatArray) -> FloatArray:
        """Take the bands of both ends for 10 ms.

        Args:
            far: Powers of the loudspeaker, float32, shape (BANDS,).
            near: Powers of the microphone, float32, shape (BANDS,).

        Returns:
            The predicted powers of the echo in it, float32, shape (BANDS,).
        """
        self._far[:-1] = self._far[1:]
        self._far[-1] = far
        self._near[:-1] = self._near[1:]
        self._near[-1] = near
        self._blocks += 1
        self._usable = min(self._usable + 1, _HISTORY)
        recent = self._far[-LAGS:]
        if self.is_far_sounding:
            self.sounding_blocks += 1
        if self._blocks % _LEARN_EVERY == 0 and self._usable >= _LEAST_HISTORY:
            self._learn()
        predicted: FloatArray = self._gain * (self._smear[::-1] @ recent)
        return predicted

    @property
    def is_far_sounding(self) -> bool:
        """Anything that was played in the last 0.64 s may still arrive."""
        return self.has_sounded(LAGS)

    def has_sounded(self, blocks: int) -> bool:
        """Anything was played in so many of the last blocks."""
        return float(self._far[-blocks:].sum()) > _SOUNDING

    def arriving(self, played: FloatArray) -> np.float32:
        """How much of something that was played arrives now; `played` has shape (LAGS,), the newest last."""
        return np.float32(self._smear[::-1] @ played)

    def shifted(self, blocks: int) -> FloatArray:
        """What the last blocks would hold if the echo came at another time.

        Args:
            blocks: How many of the last blocks.

        Returns:
            float32, shape (LAGS, blocks, BANDS): predictions if the echo began k blocks after it was played.
        """
        first = max(0, int(np.argmax(self._smear)) - 1)
        tail = self._smear[first:]
        line = self._far[-(blocks + LAGS + tail.size) :]
        smeared = np.stack([np.convolve(line[:, band], tail)[: line.shape[0]] for band in range(BANDS)], axis=1)
        smeared *= self._gain
        lags = np.arange(LAGS)[:, np.newaxis]
        places = smeared.shape[0] - blocks + np.arange(blocks)[np.newaxis] - lags
        predictions: FloatArray = smeared[places].astype(np.float32)
        return predictions

    def move(self, lag: int) -> None:
        """The echo begins now so many blocks after it was played; what was before teaches nothing any more."""
        first = max(0, int(np.argmax(self._smear)) - 1)
        tail = self._smear[first:].copy()
        self._smear[:] = _SMALLEST_SHARE
        count = min(tail.size, LAGS - lag)
        self._smear[lag : lag + count] = tail[:count]
        self._usable = 0

    def _learn(self) -> None:
        """Multiplicative steps towards the least Kullback-Leibler divergence, then the gains by their medians."""
        lines = np.lib.stride_tricks.sliding_window_view(self._far[1:], LAGS, axis=0)[-self._usable :, :, ::-1]
        if float(self._far.sum()) < _SOUNDING:
            return
        together = lines.sum(axis=1)  # blocks, lags
        sounds_now = together[:, :_NOW_BLOCKS].max(axis=1) > _SOUNDS_NOW * together.max(axis=1)
        if not sounds_now[-1] or np.count_nonzero(sounds_now) < _LEAST_SOUNDING:
            return
        far = np.ascontiguousarray(lines[sounds_now].transpose(1, 0, 2))  # bands, blocks, lags
        near = self._near[-self._usable :][sounds_now].T + _FLOOR
        arrived = far @ self._smear
        # Before the first sound of a stretch has come through the room its silence says nothing about the gains.
        sounding = (far.mean(axis=2) > _FLOOR) & (arrived > _ARRIVED * far.max(axis=2))
        if not sounding.any():
            return
        for _ in range(_ITERATIONS):
            predicted = self._predict(far)
            wanted = self._gain[:, np.newaxis] * np.minimum(near / predicted, _BELIEVED)
            pull = np.einsum("bt,btk->k", wanted, far, optimize=True)
            weight = np.einsum("b,btk->k", self._gain, far, optimize=True)
            inertia = _INERTIA * weight.mean() + 1e-12
            self._smear = np.maximum(self._smear * (pull + inertia) / (weight + inertia), _SMALLEST_SHARE)
            total = self._smear.sum()
            self._smear = (self._smear / total).astype(np.float32)
            self._gain *= total
            off = np.log(near / self._predict(far))
            for band in range(BANDS):
                if (heard := sounding[band]).any():
                    self._gain[band] *= np.exp(_GAIN_STEP * np.median(off[band, heard]))
        self.misfit_db = 10 / np.log(10) * float(np.median(np.abs(off[sounding])))

    def _predict(self, far: FloatArray) -> NDArray[np.float32]:
        predicted: FloatArray = self._gain[:, np.newaxis] * (far @ self._smear) + np.float32(_FLOOR)
        return predicted
