"""What the face is told to look like: the messages between motion, scene and view."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from models.types import FloatArray

# fmt: off
UNIT_NAMES = (
    "browDownLeft", "browDownRight", "browInnerUp", "browOuterUpLeft", "browOuterUpRight", "cheekPuff",
    "cheekSquintLeft", "cheekSquintRight", "eyeBlinkLeft", "eyeBlinkRight", "eyeLookDownLeft", "eyeLookDownRight",
    "eyeLookInLeft", "eyeLookInRight", "eyeLookOutLeft", "eyeLookOutRight", "eyeLookUpLeft", "eyeLookUpRight",
    "eyeSquintLeft", "eyeSquintRight", "eyeWideLeft", "eyeWideRight", "jawForward", "jawLeft", "jawOpen", "jawRight",
    "mouthClose", "mouthDimpleLeft", "mouthDimpleRight", "mouthFrownLeft", "mouthFrownRight", "mouthFunnel",
    "mouthLeft", "mouthLowerDownLeft", "mouthLowerDownRight", "mouthPressLeft", "mouthPressRight", "mouthPucker",
    "mouthRight", "mouthRollLower", "mouthRollUpper", "mouthShrugLower", "mouthShrugUpper", "mouthSmileLeft",
    "mouthSmileRight", "mouthStretchLeft", "mouthStretchRight", "mouthUpperUpLeft", "mouthUpperUpRight",
    "noseSneerLeft", "noseSneerRight", "tongueOut",
)
"""The 52 ARKit units in the order of `basis478.npz`; left and right are the person's own."""
# fmt: on


class Mood(Enum):
    """What the face is doing; chosen by the conversation, acted by the animator."""

    IDLE = "idle"
    LISTENING = "listening"
    THINKING = "thinking"
    SPEAKING = "speaking"


@dataclass(frozen=True, slots=True, kw_only=True)
class FacePose:
    """One moment of the face."""

    units: FloatArray
    """Weights of the 52 ARKit units in the order of `basis478.npz`, shape (52,), 0..1.2."""
    close: float = 0.0
    """0..1: pulls the lips together (1 for m, b, p)."""
    roll_degrees: float = 0.0
    """Tilt of the head, clockwise in the picture."""
    shift: tuple[float, float] = (0.0, 0.0)
    """Motion of the head in pupil distances, right and down."""
    yaw_degrees: float = 0.0
    """Small turn of the head to the viewer's right, drawn as parallax."""
    pitch_degrees: float = 0.0
    """Small turn of the head upwards, drawn as parallax."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionTrack:
    """The mouth and brows of one clip of speech over time, before blinks and sway are added."""

    rate: float
    """Columns per second."""
    units: FloatArray = field(default_factory=lambda: np.zeros((0, 52), np.float32))
    """Weights over time, shape (T, 52)."""
    close: FloatArray = field(default_factory=lambda: np.zeros(0, np.float32))
    """Closing of the lips over time, shape (T,)."""
    loudness: FloatArray = field(default_factory=lambda: np.zeros(0, np.float32))
    """Loudness over time, 0..1, shape (T,); drives small nods."""

    @property
    def end_s(self) -> float:
        """Time of the last column in seconds."""
        return (len(self.close) - 1) / self.rate
