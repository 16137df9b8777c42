"""Loudness and spectrum → the mouth over time, for a recording whose phonemes are not known.

Less exact than phoneme times: the jaw follows the loudness, the lips are round in dark sounds and spread in bright.
"""

from __future__ import annotations

import numpy as np

from kiosk.face.motion import RATE, Curve, long_quiet, loudness_over_time, num_columns, shape_track
from kiosk.face.types import MotionTrack
from kiosk.face.visemes import SIBILANT, TOGETHER, A, E, I, O, U
from models.types import FloatArray

_WINDOW_S = 0.032
_EARLY_COLUMNS = 1  # 10 ms: the mouth is a little before the sound
_BANDS_HZ = ((150, 900), (900, 3200), (3200, 7500))  # first formants, second formants, hiss
_BRIGHT = (0.10, 0.75)  # energy of the second band over the first (power 1/2) in dark and in bright vowels
_HISS = (0.8, 2.0)  # energy of the hiss band over the two others (power 1/2): no fricative, surely one
_TOGETHER_BELOW = 0.16  # dips of loudness below this within speech are taken for closed lips


def plan_motion_from_sound(samples: FloatArray, sample_rate: int) -> MotionTrack:
    """Plan the mouth for a recording.

    Args:
        samples: float32 mono in [-1, 1], shape (n,).
        sample_rate: Hz.
    """
    columns = num_columns(len(samples), sample_rate)
    if columns == 0:
        return MotionTrack(rate=RATE)
    loudness = loudness_over_time(samples, sample_rate, columns)
    low, middle, high = (np.sqrt(band) for band in _band_energies(samples, sample_rate, columns))
    bright = _ramp(middle / np.maximum(low, 1e-6), _BRIGHT)[:, None]
    hiss = _ramp(high / np.maximum(low + middle, 1e-6), _HISS)[:, None]
    force = np.sqrt(np.clip(loudness, 0, 1))[:, None]

    loud = _ramp(loudness, (0.35, 0.95))[:, None]
    dark_vowel = U.weights() + (O.weights() - U.weights()) * loud
    bright_vowel = I.weights() + (E.weights() - I.weights()) * loud
    open_vowel = A.weights() * (0.35 + 0.65 * loud)
    dark, light = np.clip(1 - 2 * bright, 0, 1), np.clip(2 * bright - 1, 0, 1)
    vowel: Curve = dark * 0.7 * dark_vowel + light * bright_vowel + (1 - 0.7 * dark - light) * open_vowel
    shapes: Curve = force * (hiss * SIBILANT.weights() + (1 - hiss) * vowel)
    weak = _ramp(loudness, (_TOGETHER_BELOW, 0.02))[:, None]
    shapes = (1 - weak) * shapes + weak * 0.5 * TOGETHER.weights()

    talking = ~long_quiet(loudness)
    shapes = _early(shapes * talking[:, None])
    return shape_track(shapes, loudness, talking, np.full(columns, np.inf))


def _band_energies(samples: FloatArray, sample_rate: int, columns: int) -> Curve:
    """Energy in each of `_BANDS_HZ` about each column, shape (3, columns)."""
    length = max(16, round(_WINDOW_S * sample_rate))
    padded = np.pad(samples, length)
    first = np.round(np.arange(columns) / RATE * sample_rate).astype(int) + length - length // 2
    frames = np.lib.stride_tricks.sliding_window_view(padded, length)[np.minimum(first, len(padded) - length)]
    power = np.abs(np.fft.rfft(frames * np.hanning(length).astype(np.float32), axis=1)) ** 2
    frequencies = np.fft.rfftfreq(length, 1 / sample_rate)
    bands = [power[:, (frequencies >= a) & (frequencies < b)].sum(1) for a, b in _BANDS_HZ]
    return np.stack(bands)


def _ramp(values: Curve, ends: tuple[float, float]) -> Curve:
    return np.asarray(np.clip((values - ends[0]) / (ends[1] - ends[0]), 0, 1))


def _early(shapes: Curve) -> Curve:
    return np.concatenate([shapes[_EARLY_COLUMNS:], np.zeros_like(shapes[:_EARLY_COLUMNS])])[: len(shapes)]
