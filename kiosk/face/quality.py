"""Is this photo fit for an avatar? One row per check, each good, warn or bad.

Measures come from the landmarks and a few small skin areas; thresholds were found on about 35 renders and 8 photos of
all skin tones. On dark skin lips and cheeks hardly differ in colour: there the grey profile across the lips decides,
colour only confirms, and the exposure is judged by the whites of the eyes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from kiosk.face import topology as top
from kiosk.face.quality_texts import ADVICE, TITLES
from models.landmarks.face_landmarker import MIN_PRESENCE, Face, HeadPose
from models.types import FloatArray, Language

FACE_WIDTH = 220  # px: size at which colours and sharpness are measured
LIP_PROFILE_PUPILS = 90  # px between the pupils at which the lips' profile is measured
LEVEL_PITCH = 12.0  # degrees: what the pose reads for a level face
MIN_SIDE = 128  # px: smaller pictures are refused without looking
SECOND_FACE_AREA = 0.4  # of the largest face: a bigger second face makes it unclear who is meant

# fmt: off
_REGIONS = {
    "forehead": (109, 10, 338, 337, 151, 108), "left cheek": (50, 101, 36, 205, 187, 123),
    "right cheek": (280, 330, 266, 425, 411, 352), "left jaw": (172, 136, 150, 169, 170, 138),
    "right jaw": (397, 365, 379, 394, 395, 367), "chin": (152, 148, 176, 171, 175, 396, 400, 377),
    "lips": (61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 409, 270, 269, 267, 0, 37, 39, 40, 185),
}
# fmt: on
_EYES = ((33, 160, 158, 133, 153, 144), (263, 387, 385, 362, 380, 373))
_LEFT_CHEEK_POINT = 50


class Grade(Enum):
    """What a check says."""

    GOOD = "good"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow:
    """One check of a photo."""

    key: str
    """Stable name, such as "yaw"."""
    grade: Grade
    value: float
    """What was measured."""

    def title(self, language: Language) -> str:
        """What was looked at."""
        return TITLES[self.key][language]

    def advice(self, language: Language) -> str:
        """What to do about it; empty for a good row."""
        return "" if self.grade is Grade.GOOD else ADVICE[self.key][language]


@dataclass(frozen=True, slots=True, kw_only=True)
class PortraitReport:
    """All checks of a photo, and the face that was looked at."""

    rows: tuple[CheckRow, ...]
    face: Face | None
    """The largest face, None when there is none."""
    roll_degrees: float = 0.0
    """Tilt of that face, clockwise; an import turns the picture upright."""

    @property
    def grade(self) -> Grade:
        """The worst of all rows."""
        grades = {row.grade for row in self.rows}
        return Grade.BAD if Grade.BAD in grades else Grade.WARN if Grade.WARN in grades else Grade.GOOD


class Landmarker(Protocol):
    """The part of `models.landmarks.FaceLandmarker` that checks need."""

    def faces(self, rgb: NDArray[np.uint8], refine: int = 1) -> list[Face]:
        """All faces, largest first."""
        ...

    def blendshapes(self, points: FloatArray) -> dict[str, float]:
        """ARKit scores by name."""
        ...

    def pose(self, points: FloatArray) -> HeadPose:
        """How the head is turned."""
        ...


def check_portrait(rgb: NDArray[np.uint8], landmarker: Landmarker) -> PortraitReport:
    """Look at a photo.

    Args:
        rgb: Upright picture, shape (H, W, 3).
        landmarker: Finds faces.
    """
    side = min(rgb.shape[:2])
    if side < MIN_SIDE:
        return PortraitReport(rows=(CheckRow(key="picture-size", grade=Grade.BAD, value=side),), face=None)
    faces = [face for face in landmarker.faces(rgb, refine=2) if face.presence >= MIN_PRESENCE]
    if not faces:
        return PortraitReport(rows=(CheckRow(key="faces", grade=Grade.BAD, value=0),), face=None)
    face = faces[0]
    pose = landmarker.pose(face.points)
    rows = [
        _count(faces),
        _row("pupils", face.pupil_distance, 90, 45),
        _row("yaw", abs(pose.yaw), 10, 18),
        _row("pitch", abs(pose.pitch - LEVEL_PITCH), 10, 18),
        _row("roll", abs(pose.roll), 8, 25),
    ]
    close, points = _close_up(rgb, face)
    rows += _surface_rows(close, points, face.pupil_distance * FACE_WIDTH / _width(face))
    rows += _shape_rows(face, landmarker.blendshapes(face.points)["jawOpen"])
    return PortraitReport(rows=tuple(rows), face=face, roll_degrees=pose.roll)


def grade_value(value: float, good: float, warn: float) -> Grade:
    """Grade by two limits; whether small or large values are good follows from their order."""
    if good < warn:
        return Grade.GOOD if value <= good else Grade.WARN if value <= warn else Grade.BAD
    return Grade.GOOD if value >= good else Grade.WARN if value >= warn else Grade.BAD


def _row(key: str, value: float, good: float, warn: float) -> CheckRow:
    return CheckRow(key=key, value=round(float(value), 3), grade=grade_value(value, good, warn))


def _count(faces: Sequence[Face]) -> CheckRow:
    grade = Grade.GOOD
    if len(faces) > 1:
        grade = Grade.BAD if faces[1].area >= SECOND_FACE_AREA * faces[0].area else Grade.WARN
    return CheckRow(key="faces", grade=grade, value=len(faces))


def _width(face: Face) -> float:
    return max(float(np.ptp(face.points[list(top.OVAL), 0])), 1.0)


def _close_up(rgb: NDArray[np.uint8], face: Face) -> tuple[NDArray[np.uint8], FloatArray]:
    """The face with a rim, scaled to `FACE_WIDTH`, and the landmarks in it."""
    rim = 0.25 * _width(face)
    low = np.maximum(np.floor(face.points[:, :2].min(0) - rim), 0).astype(int)
    high = np.minimum(np.ceil(face.points[:, :2].max(0) + rim), rgb.shape[1::-1]).astype(int)
    scale = FACE_WIDTH / _width(face)
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    crop = rgb[low[1] : high[1], low[0] : high[0]]
    size = max(1, round(crop.shape[1] * scale)), max(1, round(crop.shape[0] * scale))
    small = np.asarray(cv2.resize(crop, size, interpolation=method), np.uint8)
    return small, np.asarray((face.points[:, :2] - low) * scale, np.float32)


def _surface_rows(rgb: NDArray[np.uint8], points: FloatArray, pupils: float) -> list[CheckRow]:
    lab = cv2.cvtColor(rgb.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    mean = {name: _mean(lab, points[list(index)]) for name, index in _REGIONS.items()}
    oval = _inside(grey.shape, points[list(top.OVAL)])
    eyes = np.any([_inside(grey.shape, points[list(eye)]) for eye in _EYES], axis=0)
    light = lab[..., 0]
    skin_light = light[oval] if oval.any() else light.ravel()
    low, white = np.percentile(light[eyes], [10, 90]) if eyes.any() else (0.0, 0.0)

    bright, clipped = float(np.percentile(skin_light, 98)), float((skin_light > 97).mean())
    bright_grade = Grade.GOOD if bright >= 60 or white >= 55 else Grade.WARN
    if bright < 35 or white < 30:
        bright_grade = Grade.BAD
    laplacian = cv2.Laplacian(grey, cv2.CV_64F)
    return [
        *_cover_rows(grey, points, pupils, mean),
        _row("eyes-free", white - low, 35, 20),
        _row("even-light", abs(mean["left cheek"][0] - mean["right cheek"][0]), 12, 18),
        CheckRow(key="too-dark", value=round(bright, 1), grade=bright_grade),
        _row("too-bright", clipped, 0.03, 0.10),
        _row("sharpness", laplacian[oval].var() if oval.any() else 0.0, 25, 10),
    ]


def _cover_rows(
    grey: NDArray[np.uint8], points: FloatArray, pupils: float, mean: dict[str, FloatArray]
) -> list[CheckRow]:
    """Is the mouth free of a mask or a hand?"""
    profile = _row("mouth-free", lip_profile_range(grey, points, pupils), 0.25, 0.15)
    redness = mean["lips"][1] - (mean["chin"][1] + mean["left cheek"][1] + mean["right cheek"][1]) / 3
    colour = _row("lip-colour", redness, 3, 2)
    if profile.grade is Grade.GOOD:
        colour = CheckRow(key="lip-colour", value=colour.value, grade=Grade.GOOD)  # colour may only confirm
    weights = np.array([0.5, 1, 1])  # light counts half: jaws lie in shade
    differ = min(
        float(np.linalg.norm((mean[part] - mean["forehead"]) * weights)) for part in ("left jaw", "right jaw", "chin")
    )
    mask = _row("mask-colour", differ, 25, 32)
    if mask.grade is Grade.BAD and Grade.BAD not in (profile.grade, colour.grade):
        mask = CheckRow(key="mask-colour", value=mask.value, grade=Grade.WARN)
    return [profile, colour, mask]


def _shape_rows(face: Face, jaw_open: float) -> list[CheckRow]:
    def apart(a: int, b: int) -> float:
        return max(float(np.linalg.norm(face.points[a, :2] - face.points[b, :2])), 1e-6)

    opened = min(apart(159, 145) / apart(33, 133), apart(386, 374) / apart(263, 362))
    gap = apart(top.UPPER_LIP_MIDDLE, top.LOWER_LIP_MIDDLE) / face.pupil_distance
    return [
        _row("eyes-open", opened, 0.20, 0.14),
        _row("mouth-closed", gap, 0.04, 0.20),
        _row("jaw-closed", jaw_open, 0.05, 0.20),
    ]


def lip_profile_range(grey: NDArray[np.uint8], points: FloatArray, pupils: float) -> float:
    """Range of grey across the lips over the cheek's grey: 0.3-0.95 for a free mouth, about 0 under a mask."""
    scale = LIP_PROFILE_PUPILS / max(pupils, 1.0)
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    size = max(1, round(grey.shape[1] * scale)), max(1, round(grey.shape[0] * scale))
    small = cv2.resize(grey.astype(np.float32), size, interpolation=method)
    q = points * scale
    corners = q[list(top.MOUTH_CORNERS)]
    seam, along = (q[top.UPPER_LIP_MIDDLE] + q[top.LOWER_LIP_MIDDLE]) / 2, corners[1] - corners[0]
    width = max(float(np.linalg.norm(along)), 1e-3)
    along = along / width
    across = np.array([-along[1], along[0]])
    x = np.linspace(-0.25, 0.25, 15)[None, :, None] * width * along  # the mouth's middle half
    y = np.arange(-16, 17)[:, None, None] * across
    at = (seam + y + x).astype(np.float32)
    profile = cv2.remap(small, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).mean(1)
    column, row = np.clip(q[_LEFT_CHEEK_POINT].astype(int), 0, np.array(small.shape[::-1]) - 1)
    return float(np.ptp(profile) / max(float(small[row, column]), 20.0))


def _inside(shape: tuple[int, ...], points: FloatArray) -> NDArray[np.bool_]:
    mask = np.zeros(shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, cv2.convexHull(points.astype(np.int32)), 1)
    return mask > 0


def _mean(lab: FloatArray, points: FloatArray) -> FloatArray:
    inside = _inside(lab.shape, points)
    return np.asarray(lab[inside].mean(0) if inside.any() else np.zeros(3), np.float32)
