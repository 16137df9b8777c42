"""Acts the face: speech, mood and signs of life become one pose per frame.

Pure time in, pose out: no clock, no thread. The same seed and the same calls give the same poses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kiosk.face.follow import SpeechFollower, SpeechShape
from kiosk.face.life import Blinks, Fixations, Sway
from kiosk.face.types import UNIT_NAMES, FacePose, Mood, MotionTrack

_MAX_STEP_S = 0.25  # after a longer gap (window hidden) the motion goes on from there instead of leaping
_MOOD_EASE_S = 0.16  # time constant of each of two stages: a look is there after about 0.6 s
_EYES_EASE_S = 0.025  # of each of two stages: eyes jump within about 80 ms
_LOUDNESS_EASE_S = 0.12
_NOD_SHIFT, _NOD_PITCH = 0.014, -1.4  # pupil distances and degrees at full loudness
_BROW_WITH_VOICE = 0.22  # browInnerUp at full loudness
_NOD_EASE_S = 0.06
_LISTENING_NOD_EVERY_S, _LISTENING_NOD_S, _LISTENING_NOD_PITCH = 3.4, 0.7, -2.6

_INDEX = {name: i for i, name in enumerate(UNIT_NAMES)}
_GAZE = {
    "right": [_INDEX["eyeLookOutLeft"], _INDEX["eyeLookInRight"]],
    "left": [_INDEX["eyeLookInLeft"], _INDEX["eyeLookOutRight"]],
    "down": [_INDEX["eyeLookDownLeft"], _INDEX["eyeLookDownRight"]],
    "up": [_INDEX["eyeLookUpLeft"], _INDEX["eyeLookUpRight"]],
}
_BLINK = [_INDEX["eyeBlinkLeft"], _INDEX["eyeBlinkRight"]]
_BROW = _INDEX["browInnerUp"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """How a mood looks at rest."""

    units: dict[str, float]
    """Unit weights; a name without Left or Right means both sides."""
    head: tuple[float, float, float, float, float] = (0, 0, 0, 0, 0)
    """Roll, yaw, pitch in degrees; shift right and down in pupil distances."""
    gaze: tuple[float, float] = (0, 0)
    """Units, right and down."""
    wander: float = 1.0
    """How far the eyes wander."""
    sway: float = 1.0
    """How far the head sways."""

    def vector(self) -> NDArray[np.float64]:
        """Everything in one row, so that all of it is eased alike."""
        units = np.zeros(len(UNIT_NAMES))
        for name, weight in self.units.items():
            for unit in (name, name + "Left", name + "Right"):
                if unit in _INDEX:
                    units[_INDEX[unit]] = weight
        return np.array([*units, *self.head, *self.gaze, self.wander, self.sway])


SMILE = 0.08
"""The same in every mood: it changes the gap of the lips, and the mouth must not stir between sentences."""
_LOOKS = {
    Mood.IDLE: _Look(units={"mouthSmile": SMILE}),
    Mood.LISTENING: _Look(
        units={"browInnerUp": 0.22, "browOuterUp": 0.42, "eyeWide": 0.25, "mouthSmile": SMILE},
        head=(2.6, 0.8, -0.8, 0.008, 0.012),
        wander=0.35,
        sway=0.6,
    ),
    Mood.THINKING: _Look(
        units={
            "browInnerUp": 0.30,
            "browDownLeft": 0.25,
            "browOuterUpRight": 0.40,
            "eyeSquint": 0.12,
            "mouthSmile": SMILE,
        },
        head=(-1.8, 1.6, 0.5, 0.010, -0.004),
        gaze=(0.62, -0.62),
        wander=0.8,
        sway=0.8,
    ),
    Mood.SPEAKING: _Look(units={"mouthSmile": SMILE, "browInnerUp": 0.06}, wander=0.5, sway=1.35),
}
_VECTORS = {mood: look.vector() for mood, look in _LOOKS.items()}
_N = len(UNIT_NAMES)


class FaceAnimator:
    """One face's behaviour over time."""

    def __init__(self, seed: int = 0) -> None:
        """Start at rest.

        Args:
            seed: Fixes blinks, sway and gaze.
        """
        rng = np.random.default_rng(seed)
        self._blinks, self._fixations, self._sway = Blinks(rng), Fixations(rng), Sway(rng)
        self._speech = SpeechFollower()
        self._mood = Mood.IDLE
        self._look = [_VECTORS[Mood.IDLE].copy(), _VECTORS[Mood.IDLE].copy()]
        self._eyes = [np.zeros(2), np.zeros(2)]
        self._loudness = self._nod = 0.0
        self._time_s = 0.0
        self._mood_since_s = 0.0
        self._last_now_s: float | None = None

    def set_mood(self, mood: Mood) -> None:
        """Change what the face is doing; the look follows within about half a second."""
        if mood is not self._mood:
            self._mood, self._mood_since_s = mood, self._time_s

    def pose(self, now_s: float, track: MotionTrack | None, position_s: float) -> FacePose:
        """The face at one moment.

        Args:
            now_s: A steady clock in seconds, such as time.monotonic().
            track: Motion of the clip that plays, None when nothing plays.
            position_s: Seconds of that clip that were really played.
        """
        elapsed = 0.0 if self._last_now_s is None else min(max(now_s - self._last_now_s, 0.0), _MAX_STEP_S)
        self._last_now_s = now_s
        self._time_s += elapsed
        speech = self._speech.update(elapsed, track, position_s)
        self._loudness += (speech.loudness - self._loudness) * _share(elapsed, _LOUDNESS_EASE_S)
        _ease(self._look, _VECTORS[self._mood], elapsed, _MOOD_EASE_S)
        look = self._look[1]
        head, gaze, (wander, sway) = look[_N : _N + 5], look[_N + 5 : _N + 7], look[_N + 7 :]
        _ease(self._eyes, gaze + np.array(self._fixations.at(self._time_s)) * wander, elapsed, _EYES_EASE_S)

        self._nod += (self._listening_nod() - self._nod) * _share(elapsed, _NOD_EASE_S)
        roll, yaw, pitch, right, down = head + self._sway.at(self._time_s) * sway
        return FacePose(
            units=self._units(look[:_N], speech),
            close=min(max(speech.close, 0.0), 1.0),
            roll_degrees=float(roll),
            shift=(float(right), float(down + _NOD_SHIFT * self._loudness)),
            yaw_degrees=float(yaw),
            pitch_degrees=float(pitch + _NOD_PITCH * self._loudness + self._nod),
        )

    def _units(self, look: NDArray[np.float64], speech: SpeechShape) -> NDArray[np.float32]:
        units = look.astype(np.float32) + speech.units
        units[_BROW] += _BROW_WITH_VOICE * self._loudness
        x, y = self._eyes[1]
        for direction, weight in (("right", x), ("left", -x), ("down", y), ("up", -y)):
            units[_GAZE[direction]] += max(weight, 0.0)
        units[_BLINK] = self._blinks.at(self._time_s)
        return np.asarray(np.clip(units, 0, 1.2), np.float32)

    def _listening_nod(self) -> float:
        """Now and then a small nod while the visitor speaks; degrees of pitch."""
        if self._mood is not Mood.LISTENING:
            return 0.0
        quiet_s = _LISTENING_NOD_EVERY_S - _LISTENING_NOD_S
        at = (self._time_s - self._mood_since_s) % _LISTENING_NOD_EVERY_S - quiet_s
        return _LISTENING_NOD_PITCH * float(np.sin(np.pi * at / _LISTENING_NOD_S)) ** 2 if at > 0 else 0.0


def _share(elapsed_s: float, time_constant_s: float) -> float:
    return 1 - float(np.exp(-elapsed_s / time_constant_s))


def _ease(
    stages: list[NDArray[np.float64]], target: NDArray[np.float64], elapsed_s: float, time_constant_s: float
) -> None:
    """Two smoothing stages in a row: starts and ends softly."""
    share = _share(elapsed_s, time_constant_s)
    stages[0] += (target - stages[0]) * share
    stages[1] += (stages[0] - stages[1]) * share
