"""What a living face does unasked: blinks, breath, sway, wandering eyes. Functions of time, fixed by a seed."""

from __future__ import annotations

from collections import deque

import numpy as np

_BLINK_EVERY_S = (2.0, 4.5)
_LID_DOWN_S, _LID_SHUT_S, _LID_UP_S = 0.08, 0.04, 0.14
_DOUBLE_BLINK = 0.12  # share of blinks that are followed by a second one
_DOUBLE_AFTER_S = 0.35

_FIXATION_S = (0.7, 2.6)  # how long the eyes rest on one place
_FIXATION_REACH = (0.16, 0.07)  # gaze units, sideways and up or down

_BREATH_HZ = 0.24
_SWAY_HZ = ((0.17, 0.41), (0.13, 0.29), (0.21, 0.37), (0.11, 0.31), (0.19, 0.43))
_SWAY_REACH = np.array([0.8, 1.1, 0.7, 0.010, 0.006])  # roll, yaw, pitch in degrees; shift in pupil distances
_BREATH_LIFT = 0.007  # pupil distances


class Blinks:
    """Lids over time: 80 ms down, 40 ms shut, 140 ms up, every 2 to 4.5 s."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._moments = deque([float(rng.uniform(*_BLINK_EVERY_S))])

    def at(self, time_s: float) -> float:
        """How far the lids are shut, 0..1. Time must not run backwards."""
        while time_s > self._moments[0] + _LID_SHUT_S + _LID_UP_S:
            last = self._moments.popleft()
            if not self._moments:
                double = self._rng.random() < _DOUBLE_BLINK
                self._moments.append(last + (_DOUBLE_AFTER_S if double else self._rng.uniform(*_BLINK_EVERY_S)))
        after = time_s - self._moments[0]
        lid = min((after + _LID_DOWN_S) / _LID_DOWN_S, 1 - (after - _LID_SHUT_S) / _LID_UP_S, 1.0)
        lid = max(lid, 0.0)
        return lid * lid * (3 - 2 * lid)


class Fixations:
    """Where the eyes rest: a new place near the visitor's face every one to two seconds."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._until_s = 0.0
        self._place = np.zeros(2)

    def at(self, time_s: float) -> tuple[float, float]:
        """Gaze in units, right and down. Time must not run backwards."""
        while time_s >= self._until_s:
            self._until_s += float(self._rng.uniform(*_FIXATION_S))
            self._place = self._rng.uniform(-1, 1, 2) * _FIXATION_REACH
        return float(self._place[0]), float(self._place[1])


class Sway:
    """Slow small motion of the head, all below 0.5 Hz, with the breath in it."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._phases = rng.uniform(0, 2 * np.pi, (len(_SWAY_HZ), 2))
        self._hz = np.array(_SWAY_HZ)

    def at(self, time_s: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Roll, yaw, pitch in degrees and shift right and down in pupil distances, shape (5,)."""
        waves = np.sin(2 * np.pi * self._hz * time_s + self._phases).mean(1)
        motion = waves * _SWAY_REACH
        motion[4] -= _BREATH_LIFT * np.sin(2 * np.pi * _BREATH_HZ * time_s)
        return np.asarray(motion)
