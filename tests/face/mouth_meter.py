"""Measures a talking face from the outside: landmarks on its pictures, compared with what should have been said.

Used by the tests here and by the lobby on films of the screen. Knows nothing of how the pictures were drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from models.landmarks.face_landmarker import MIN_PRESENCE, Face, FaceLandmarker
from models.types import FloatArray, PhonemeTime

UPPER_LIP, LOWER_LIP = 13, 14
MOUTH_CORNERS = (61, 291)
WORD_MARK_S = 0.15  # a mark between words that takes longer is a pause
GRID_HZ = 200  # lags are searched in steps of 5 ms

# How far a mouth opens in each sound, from none to wide: a phonetician's table, not the product's own.
_OPENINGS = {
    1.0: "aɑæʌɐWI",
    0.75: "ɔɒ",
    0.6: "eɛɜoœøOQYA",
    0.45: "əɤɚᵊ",
    0.3: "iɪᵻɯʊ",
    0.2: "uɨyɥwj",
    0.15: "tdnlkxgɡhŋçqcðθχrɹɻʂʐʃʒʧʤꭧszʣʦʥʨɕTS",
    0.05: "fv",
    0.0: "mbp",
}
_OPENING = {symbol: value for value, symbols in _OPENINGS.items() for symbol in symbols}


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How well two curves go together."""

    correlation: float
    """At no lag."""
    best_correlation: float
    best_lag_s: float
    """Positive: the measured curve is late."""


def faces_in(frames: Iterable[NDArray[np.uint8]], landmarker: FaceLandmarker) -> list[Face]:
    """The largest face of each RGB frame; followed from frame to frame, found anew when lost."""
    out: list[Face] = []
    last: Face | None = None
    for number, frame in enumerate(frames):
        face = landmarker.follow(frame, last, refine=1) if last is not None else None
        if face is None or face.presence < MIN_PRESENCE:
            found = landmarker.faces(frame, refine=2)
            if not found:
                raise AssertionError(f"no face in frame {number}")
            face = found[0]
        out.append(face)
        last = face
    return out


def openings(faces: Sequence[Face]) -> FloatArray:
    """Distance of the lips over the mouth's mean width, one number a frame."""
    gaps = [np.linalg.norm(f.points[UPPER_LIP, :2] - f.points[LOWER_LIP, :2]) for f in faces]
    widths = [np.linalg.norm(f.points[MOUTH_CORNERS[0], :2] - f.points[MOUTH_CORNERS[1], :2]) for f in faces]
    return np.asarray(np.array(gaps) / np.mean(widths), np.float32)


def head_turns(faces: Sequence[Face], landmarker: FaceLandmarker) -> FloatArray:
    """Yaw, pitch and roll in degrees and how far the lids are shut, shape (n, 4)."""
    rows = []
    for face in faces:
        pose, scores = landmarker.pose(face.points), landmarker.blendshapes(face.points)
        rows.append((pose.yaw, pose.pitch, pose.roll, (scores["eyeBlinkLeft"] + scores["eyeBlinkRight"]) / 2))
    return np.array(rows, np.float32)


def stir(opening: FloatArray, turns: FloatArray) -> float:
    """The largest stray of lips that should rest, in widths of the mouth.

    The landmarks read another gap as the head turns and the lids fall, though the lips touch (mei: 0.005 for a degree
    of yaw): what goes with these in a straight line is taken away. A median over five pictures takes away the
    trembling, a pixel at this size.
    """
    known = np.column_stack([np.ones(len(opening)), turns]).astype(np.float64)
    rest = opening - known @ np.linalg.lstsq(known, opening.astype(np.float64), rcond=None)[0]
    steady = np.array([np.median(rest[max(0, i - 2) : i + 3]) for i in range(len(rest))])
    return float(np.abs(steady - np.median(steady)).max())


def target_opening(phonemes: Sequence[PhonemeTime], times: FloatArray) -> FloatArray:
    """How far the mouth should be open at each time, 0..1, as a staircase.

    The mark between two words has some 60 ms of its own in the labels and no silence in the sound: nobody shuts the
    mouth after every word, so it counts as half-way between its neighbours. Longer ones are pauses.
    """
    steps = [_OPENING.get(phoneme.symbol, 0.0) for phoneme in phonemes]
    out = np.zeros(len(times), np.float32)
    for i, phoneme in enumerate(phonemes):
        between_words = phoneme.symbol == " " and phoneme.end_s - phoneme.start_s < WORD_MARK_S
        if between_words and 0 < i < len(steps) - 1:
            steps[i] = (steps[i - 1] + steps[i + 1]) / 2
        out[(times >= phoneme.start_s) & (times < phoneme.end_s)] = steps[i]
    return out


def agreement(
    target_times: FloatArray, target: FloatArray, times: FloatArray, measured: FloatArray, max_lag_s: float = 0.3
) -> Agreement:
    """Correlation of a measured curve with the target, and the lag at which it is best."""
    grid = np.arange(times[0], times[-1], 1 / GRID_HZ)
    seen = np.interp(grid, times, measured)

    def at(lag_s: float) -> float:
        wanted = np.interp(grid - lag_s, target_times, target, left=0, right=0)
        return float(np.corrcoef(wanted, seen)[0, 1])

    lags = np.arange(-max_lag_s, max_lag_s + 1e-9, 1 / GRID_HZ)
    values = [at(lag) for lag in lags]
    best = int(np.argmax(values))
    return Agreement(correlation=at(0.0), best_correlation=values[best], best_lag_s=float(lags[best]))


def speech_agreement(phonemes: Sequence[PhonemeTime], times: FloatArray, measured: FloatArray) -> Agreement:
    """Agreement of measured openings with spoken phonemes; the staircase is softened as any mouth softens it."""
    grid = np.arange(0, phonemes[-1].end_s, 1 / GRID_HZ)
    bell = np.hanning(round(0.12 * GRID_HZ))
    soft = np.convolve(target_opening(phonemes, grid), bell / bell.sum(), "same")
    return agreement(grid, soft, times, measured)


def closures(
    phonemes: Sequence[PhonemeTime], times: FloatArray, measured: FloatArray, symbols: str = "mbp"
) -> list[tuple[str, float, float]]:
    """Symbol, time and smallest opening in each sound in which the lips must meet, frames 40 ms about it included."""
    out = []
    for p in phonemes:
        if p.symbol in symbols:
            near = (times >= p.start_s - 0.04) & (times <= p.end_s + 0.04)
            if near.any():
                out.append((p.symbol, p.start_s, float(measured[near].min())))
    return out


def film(path: Path) -> tuple[list[NDArray[np.uint8]], FloatArray]:
    """All frames of a video as RGB, and their times in seconds."""
    frames, times = [], []
    with av.open(str(path)) as container:
        for frame in container.decode(video=0):
            frames.append(frame.to_ndarray(format="rgb24"))
            times.append(float(frame.pts * frame.time_base))
    return frames, np.array(times, np.float32)
