"""Phoneme times and loudness → the mouth over time. Whole clips at once, in numpy; a few milliseconds each.

Three things make speech look right and are kept apart here: shapes melt into each other and come a little before
their sound; the opening of the lips is an envelope of its own that reaches zero wherever lips must meet; and the
opening never changes faster than lips can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kiosk.face.topology import LOWER_LIP_MIDDLE, UPPER_LIP_MIDDLE
from kiosk.face.types import UNIT_NAMES, MotionTrack
from kiosk.face.visemes import DIPHTHONGS, PAUSES, REST, VISEMES, Lips, Viseme
from kiosk.face.warp import BASIS_FILE, load_basis
from models.types import FloatArray, PhonemeTime

Curve: TypeAlias = NDArray[np.floating[Any]]

RATE = 100  # columns per second

EARLY_S = 0.010
"""How much the mouth is ahead of the phoneme times.

Kokoro's durations name a sound 45-70 ms after it can be heard (hiss of fricatives and energy of vowels against their
labels; 16 sentences, 4 voices). A part of that is made up for here: the mouth stays within 40 ms of the sound and of
its label.
"""
SMOOTHING_S = 0.100  # whole width of the bell that melts shapes together; half of it counts
ROUNDING_SMOOTHING_S = 0.170  # rounding comes and goes more slowly
AMPLITUDE = 0.40  # of the shapes' opening in running speech: lips that travel less reach their places in time
MAX_LIP_SPEED = 1.3  # seen pupil distances per second: 0.043 a frame at 30 fps, about 5 % of a mouth's width
_FIRST_SIGHT = (0.08, 0.035)  # pupil distances: lips that part look open by the first when they are by the second
CLOSURE_S = 0.055  # lips meet that long in m, b, p, whatever time the label gives them: longer than a frame shows
ON_TEETH_GAP = 0.030  # pupil distances between the lips in f and v
QUIET = 0.05  # loudness below which nothing is said
QUIET_HOLD_S = 0.10  # a pause at least this long lets the mouth go: the last phoneme's time often runs through it
REFERENCE_RMS = 0.03  # about -30 dBFS: hiss alone is never taken for speech
_ROUNDED_LIPS_MEET = 0.6  # how far full rounding narrows the opening
_REST_GAP = 0.02  # pupil distances: how far the lips of a resting portrait are apart
PRESSED = -0.8 * _REST_GAP  # opening beyond rest in m, b, p
_DIPHTHONG_TURN = 0.65  # part of a diphthong's time that has the first shape
_SMOOTH_ENVELOPE_S = 0.04

_INDEX = {name: i for i, name in enumerate(UNIT_NAMES)}
_ROUNDING = np.array([_INDEX["mouthFunnel"], _INDEX["mouthPucker"]])
_PUCKER, _JAW = _INDEX["mouthPucker"], _INDEX["jawOpen"]
_OPENERS = np.array(
    [
        _INDEX[n]
        for n in ("mouthFunnel", "mouthLowerDownLeft", "mouthLowerDownRight", "mouthUpperUpLeft", "mouthUpperUpRight")
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stretch:
    """A span of one shape."""

    viseme: Viseme
    start_s: float
    end_s: float


def plan_motion(samples: FloatArray, sample_rate: int, phonemes: Sequence[PhonemeTime]) -> MotionTrack:
    """Plan the mouth for one clip of synthesised speech.

    Args:
        samples: float32 mono in [-1, 1], shape (n,).
        sample_rate: Hz.
        phonemes: Sounds in order, on the clip's own clock.

    Returns:
        100 columns a second that cover the clip. At rest at both ends, but not where the sound is cut: there another
        clip goes on with it.
    """
    columns = num_columns(len(samples), sample_rate)
    if columns == 0:
        return MotionTrack(rate=RATE)
    loudness = loudness_over_time(samples, sample_rate, columns)
    stretches = _stretches(phonemes)
    times = np.arange(columns) / RATE
    due = times + EARLY_S
    if loudness[-1] >= QUIET and stretches:
        due = np.minimum(due, np.nextafter(stretches[-1].end_s, 0))  # the last sound goes on in the next clip
    shapes = _targets(stretches, due)
    talking = ~long_quiet(loudness)
    return shape_track(shapes * talking[:, None], loudness, talking, _limits(stretches, times))


def shape_track(shapes: Curve, loudness: Curve, talking: NDArray[np.bool_], limit: Curve) -> MotionTrack:
    """Smooth the targets, fit the opening of the lips to what lips can do, and make a track of it.

    Args:
        shapes: Unit weights that are aimed at, shape (T, 52).
        loudness: 0..1, shape (T,).
        talking: False where the mouth is to rest, shape (T,).
        limit: Largest opening of the lips beyond rest in pupil distances; `PRESSED` where they must meet, infinite
            where they are free, shape (T,).
    """
    units = _smooth(shapes, SMOOTHING_S)
    units[:, _ROUNDING] = _smooth(shapes[:, _ROUNDING], ROUNDING_SMOOTHING_S)
    even = _smooth(np.minimum(loudness, 1)[:, None], SMOOTHING_S)[:, 0]
    units[:, _JAW] *= 0.65 + 0.35 * even

    opening = np.maximum(units @ unit_openings(), 0)
    narrowed = AMPLITUDE * opening * (1 - _ROUNDED_LIPS_MEET * np.minimum(units[:, _PUCKER], 1))
    free = np.minimum(narrowed, np.where(talking, limit, 0.0))
    for end in (0, -1):
        if loudness[end] < QUIET:
            free[end] = min(free[end], 0)
    seen = lipschitz(_seen(free), MAX_LIP_SPEED / RATE)
    gap = _actual(_smooth(seen[:, None], _SMOOTH_ENVELOPE_S)[:, 0])

    share = np.clip(gap / np.maximum(narrowed, 1e-4), 0, 1)
    units[:, _OPENERS] *= share[:, None]
    units[:, _JAW] *= np.maximum(share, _smooth(share[:, None], SMOOTHING_S)[:, 0])  # the jaw lags behind the lips
    reached = np.maximum(units @ unit_openings(), 0)
    close = 1 - (gap + _REST_GAP) / (np.maximum(reached, gap) + _REST_GAP)
    return MotionTrack(
        rate=RATE,
        units=units.astype(np.float32),
        close=np.clip(close, 0, 1).astype(np.float32),
        loudness=even.astype(np.float32),
    )


def lip_opening(track: MotionTrack) -> FloatArray:
    """How far the lips are apart in a track, in pupil distances beyond a portrait's rest; shape (T,).

    Slightly negative where the lips are pressed together more than at rest.
    """
    opening = np.maximum(track.units @ unit_openings(), 0) + _REST_GAP
    return np.asarray(opening * (1 - track.close) - _REST_GAP, np.float32)


def num_columns(num_samples: int, sample_rate: int) -> int:
    """Columns of a track that covers so many samples: one at each end."""
    return 0 if num_samples == 0 else int(np.ceil(num_samples / sample_rate * RATE)) + 1


def loudness_over_time(samples: FloatArray, sample_rate: int, columns: int) -> FloatArray:
    """RMS of 40 ms about each column over that of the loud parts, 0..1.2, shape (columns,)."""
    half = max(1, round(0.02 * sample_rate))
    energy = np.concatenate([[0.0], np.cumsum(np.square(samples, dtype=np.float64))])
    centre = np.round(np.arange(columns) / RATE * sample_rate).astype(int)
    first, last = np.clip(centre - half, 0, len(samples)), np.clip(centre + half, 0, len(samples))
    rms = np.sqrt(np.maximum(energy[last] - energy[first], 0) / (2 * half))
    loudness = np.clip(rms / max(float(np.percentile(rms, 95)), REFERENCE_RMS), 0, 1.2)
    return np.asarray(loudness, np.float32)


def long_quiet(loudness: Curve) -> NDArray[np.bool_]:
    """True in stretches of at least `QUIET_HOLD_S` without sound, shape as `loudness`."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], (loudness < QUIET).astype(np.int8), [0]])))
    quiet = np.zeros(len(loudness), bool)
    for start, end in edges.reshape(-1, 2):
        quiet[start:end] = end - start >= QUIET_HOLD_S * RATE
    return quiet


def lipschitz(values: Curve, step: float) -> Curve:
    """The largest curve below `values` that changes by at most `step` a column.

    It starts to fall early enough to be at every minimum in time, and cuts peaks that are too short to be reached.
    """
    ramp = np.arange(len(values)) * step
    forward = np.minimum.accumulate(values - ramp) + ramp
    return np.asarray((np.minimum.accumulate((forward - ramp[::-1])[::-1])[::-1]) + ramp[::-1])


@cache
def unit_openings() -> FloatArray:
    """How far each unit at weight 1 opens the lips, in pupil distances, shape (52,)."""
    moves = load_basis(BASIS_FILE)
    return np.asarray(moves[:, UPPER_LIP_MIDDLE, 1] - moves[:, LOWER_LIP_MIDDLE, 1], np.float32)


def _seen(gap: Curve) -> Curve:
    """How open the lips look: the dark between them counts more than its height when it first shows."""
    height, within = _FIRST_SIGHT
    return np.asarray(gap + height * (1 - np.exp(-np.maximum(gap, 0) / within)))


def _actual(seen: Curve) -> Curve:
    """The inverse of `_seen`."""
    table = np.linspace(PRESSED, 1, 2041)
    return np.interp(seen, _seen(table), table)


def _stretches(phonemes: Sequence[PhonemeTime]) -> list[_Stretch]:
    out: list[_Stretch] = []
    for phoneme in phonemes:
        start, end = phoneme.start_s, phoneme.end_s
        if phoneme.symbol in DIPHTHONGS:
            turn = start + _DIPHTHONG_TURN * (end - start)
            first, second = DIPHTHONGS[phoneme.symbol]
            out += [
                _Stretch(viseme=first, start_s=start, end_s=turn),
                _Stretch(viseme=second, start_s=turn, end_s=end),
            ]
        elif phoneme.symbol == " " and out and not out[-1].viseme.is_rest:
            out[-1] = _Stretch(viseme=out[-1].viseme, start_s=out[-1].start_s, end_s=end)  # words run into each other
        elif phoneme.symbol in VISEMES or phoneme.symbol in PAUSES or not out:
            out.append(_Stretch(viseme=VISEMES.get(phoneme.symbol, REST), start_s=start, end_s=end))
        else:  # marks of tone, stress, length and aspiration belong to the sound before them
            out[-1] = _Stretch(viseme=out[-1].viseme, start_s=out[-1].start_s, end_s=end)
    return out


def _targets(stretches: list[_Stretch], times: Curve) -> Curve:
    """The shape that is due at each time, shape (T, 52)."""
    rows = [REST.weights(), *(s.viseme.weights() for s in stretches)]
    for i in range(len(stretches) - 1, 0, -1):  # rows[i] belongs to stretch i - 1, rows[i + 1] to the next
        before = stretches[i - 1].viseme
        if not before.is_vowel and not before.is_rest:
            rows[i][_ROUNDING] = np.maximum(rows[i][_ROUNDING], 0.8 * rows[i + 1][_ROUNDING])
    starts = np.array([s.start_s for s in stretches])
    ends = np.array([s.end_s for s in stretches])
    which = np.searchsorted(starts, times, side="right")
    inside = (which > 0) & (times < np.concatenate([[0.0], ends])[which])
    return np.stack(rows)[np.where(inside, which, 0)]


def _limits(stretches: list[_Stretch], times: Curve) -> Curve:
    limit = np.full(len(times), np.inf)
    for s in stretches:
        if s.viseme.lips is Lips.FREE:
            continue
        middle = (s.start_s + s.end_s) / 2 - EARLY_S
        held = np.abs(times - middle) <= CLOSURE_S / 2
        limit[held] = np.minimum(limit[held], PRESSED if s.viseme.lips is Lips.TOGETHER else ON_TEETH_GAP)
    return limit


def _smooth(values: Curve, width_s: float) -> Curve:
    """Convolve the columns with a bell of the given whole width; shape (T, n) stays."""
    n = max(1, round(width_s * RATE / 2))
    kernel = np.hanning(2 * n + 1)[1:-1] if n > 1 else np.array([0.25, 0.5, 0.25])
    kernel = kernel / kernel.sum()
    half = len(kernel) // 2
    padded = np.pad(values, ((half, half), (0, 0)), mode="edge")
    out = np.zeros(values.shape)
    for i, weight in enumerate(kernel):
        out += weight * padded[i : i + len(values)]
    return out
