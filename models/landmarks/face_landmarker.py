"""Faces in a picture: box, 478 points, 52 ARKit scores and the head's pose, through OpenCV's network importer.

The three networks of MediaPipe's Face Landmarker (Apache-2.0) without the mediapipe package, whose newer releases
send usage statistics. One object belongs to one thread at a time. About 25 ms a face on one core.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models.errors import CheckpointError
from models.landmarks.canonical_face import CanonicalFace, read_canonical_face
from models.landmarks.face_detector import DetectedFace, detector_input, make_anchors, read_hits
from models.types import FloatArray

NUM_POINTS = 478
RIGHT_PUPIL, LEFT_PUPIL = 468, 473
RIGHT_EYE_CORNER, LEFT_EYE_CORNER = 33, 263

MIN_PRESENCE = 0.5
"""Below this the crop holds no face; false hits lie at 0.02-0.18."""

_CROP_SIDE = 256
_CROP_MARGIN = 1.5  # side of the crop over the larger side of the face
_WORKING_SIDE = 2048  # px; a larger picture is scaled down first: the networks see 256 px anyway
_RETRY_PARTS = (2, 3)  # small faces: the picture is searched again in overlapping crops of 1/2 and 1/3
_DETECTION_THRESHOLD = 0.4

# Order of the landmarks that the blendshape network reads (MediaPipe: face_blendshapes_graph.cc).
# fmt: off
_BLENDSHAPE_POINTS = (
    0, 1, 4, 5, 6, 7, 8, 10, 13, 14, 17, 21, 33, 37, 39, 40, 46, 52, 53, 54, 55, 58, 61, 63, 65, 66, 67, 70, 78, 80,
    81, 82, 84, 87, 88, 91, 93, 95, 103, 105, 107, 109, 127, 132, 133, 136, 144, 145, 146, 148, 149, 150, 152, 153,
    154, 155, 157, 158, 159, 160, 161, 162, 163, 168, 172, 173, 176, 178, 181, 185, 191, 195, 197, 234, 246, 249, 251,
    263, 267, 269, 270, 276, 282, 283, 284, 285, 288, 291, 293, 295, 296, 297, 300, 308, 310, 311, 312, 314, 317, 318,
    321, 323, 324, 332, 334, 336, 338, 356, 361, 362, 365, 373, 374, 375, 377, 378, 379, 380, 381, 382, 384, 385, 386,
    387, 388, 389, 390, 397, 398, 400, 402, 405, 409, 415, 454, 466, 468, 469, 470, 471, 472, 473, 474, 475, 476, 477,
)
# fmt: on
_BLENDSHAPE_NAMES = (
    "_neutral browDownLeft browDownRight browInnerUp browOuterUpLeft browOuterUpRight cheekPuff cheekSquintLeft "
    "cheekSquintRight eyeBlinkLeft eyeBlinkRight eyeLookDownLeft eyeLookDownRight eyeLookInLeft eyeLookInRight "
    "eyeLookOutLeft eyeLookOutRight eyeLookUpLeft eyeLookUpRight eyeSquintLeft eyeSquintRight eyeWideLeft "
    "eyeWideRight jawForward jawLeft jawOpen jawRight mouthClose mouthDimpleLeft mouthDimpleRight mouthFrownLeft "
    "mouthFrownRight mouthFunnel mouthLeft mouthLowerDownLeft mouthLowerDownRight mouthPressLeft mouthPressRight "
    "mouthPucker mouthRight mouthRollLower mouthRollUpper mouthShrugLower mouthShrugUpper mouthSmileLeft "
    "mouthSmileRight mouthStretchLeft mouthStretchRight mouthUpperUpLeft mouthUpperUpRight noseSneerLeft "
    "noseSneerRight"
).split()


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadPose:
    """Where the head is turned, in degrees."""

    yaw: float
    """To the viewer's right."""
    pitch: float
    """Up; a camera at eye level reads about 12."""
    roll: float
    """Clockwise in the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """One face in a picture."""

    score: float
    """Of the detector, 0..1."""
    box: FloatArray
    """Left, top, right, bottom in pixels, the detector's tight box, shape (4,)."""
    points: FloatArray
    """x and y in pixels and z in the same scale (smaller is nearer), shape (478, 3)."""
    presence: float
    """That there is a face at all, 0..1. Says nothing about masks: those are fitted with 1.0."""

    @property
    def pupil_distance(self) -> float:
        """Pixels between the pupils."""
        return float(np.linalg.norm(self.points[LEFT_PUPIL, :2] - self.points[RIGHT_PUPIL, :2]))

    @property
    def area(self) -> float:
        """Pixels of the box."""
        return float((self.box[2] - self.box[0]) * (self.box[3] - self.box[1]))


class FaceLandmarker:
    """Finds faces and reads them. Keeps nothing between pictures."""

    def __init__(self, detector: Any, landmarks: Any, blendshapes: Any, canonical: CanonicalFace) -> None:
        self._detector = detector
        self._landmarks = landmarks
        self._blendshapes = blendshapes
        self._anchors = make_anchors()
        self.canonical = canonical

    @classmethod
    def load(cls, task: Path) -> FaceLandmarker:
        """Read the networks from a `face_landmarker.task` archive.

        Raises:
            CheckpointError: The file is absent, damaged or something else.
        """
        try:
            with zipfile.ZipFile(task) as archive:
                detector, landmarks, blendshapes = (
                    cv2.dnn.readNetFromTFLite(np.frombuffer(archive.read(name), np.uint8))
                    for name in ("face_detector.tflite", "face_landmarks_detector.tflite", "face_blendshapes.tflite")
                )
                canonical = read_canonical_face(archive.read("geometry_pipeline_metadata_landmarks.binarypb"))
        except FileNotFoundError as error:
            raise CheckpointError(task, "is not there") from error
        except OSError as error:
            raise CheckpointError(task, f"cannot be read ({error.strerror or error})") from error
        except (zipfile.BadZipFile, KeyError, ValueError, NotImplementedError, EOFError, cv2.error) as error:
            raise CheckpointError(task, "is damaged or no face landmarker") from error
        return cls(detector, landmarks, blendshapes, canonical)

    def faces(self, rgb: NDArray[np.uint8], refine: int = 1) -> list[Face]:
        """All faces of a picture, largest first.

        Args:
            rgb: Picture, shape (H, W, 3).
            refine: Further passes, each cropped by the points of the one before; they take out the detector's jitter.
        """
        scale = min(1.0, _WORKING_SIDE / max(rgb.shape[:2]))
        picture = rgb
        if scale < 1:
            size = max(1, round(rgb.shape[1] * scale)), max(1, round(rgb.shape[0] * scale))
            picture = cv2.resize(rgb, size, interpolation=cv2.INTER_AREA)
        found = self._faces_in(picture, refine)
        for parts in _RETRY_PARTS:
            if any(face.presence >= MIN_PRESENCE for face in found):
                break
            found = self._faces_in_crops(picture, parts, refine)
        return [
            Face(score=f.score, box=f.box / scale, points=f.points / np.float32(scale), presence=f.presence)
            for f in sorted(found, key=lambda face: -face.area)
        ]

    def follow(self, rgb: NDArray[np.uint8], last: Face, refine: int = 0) -> Face:
        """The same face in the next picture of a film: cropped by its last points, without the detector.

        Args:
            rgb: Picture, shape (H, W, 3).
            last: The face in the picture before.
            refine: As in `faces`.
        """
        points, presence = last.points, last.presence
        for _ in range(refine + 1):
            points, presence = self._read(rgb, *_crop_of(points))
        low, high = points[:, :2].min(0), points[:, :2].max(0)
        return Face(score=last.score, box=np.concatenate([low, high]), points=points, presence=presence)

    def blendshapes(self, points: FloatArray) -> dict[str, float]:
        """The 52 ARKit scores (0..1 by name, `_neutral` among them) of points of shape (478, 2 or 3)."""
        blob = np.ascontiguousarray(points[list(_BLENDSHAPE_POINTS), :2][None], np.float32)
        self._blendshapes.setInput(blob)
        return dict(zip(_BLENDSHAPE_NAMES, map(float, self._blendshapes.forward().ravel()), strict=True))

    def pose(self, points: FloatArray) -> HeadPose:
        """How the head of points of shape (478, 3) is turned: a weighted Procrustes fit of the canonical face."""
        index, weights = self.canonical.pose_points, self.canonical.pose_weights[:, None].astype(np.float64)
        model = self.canonical.vertices[index].astype(np.float64)
        seen = points[index].astype(np.float64) * [1, -1, -1]
        model = model - (model * weights).sum(0) / weights.sum()
        seen = seen - (seen * weights).sum(0) / weights.sum()
        u, _, vt = np.linalg.svd((model * weights).T @ seen)
        r = vt.T @ np.diag([1.0, 1.0, np.sign(np.linalg.det(vt.T @ u.T))]) @ u.T
        yaw, pitch, roll = np.degrees(
            [np.arcsin(np.clip(-r[2, 0], -1, 1)), np.arctan2(r[2, 1], r[2, 2]), np.arctan2(-r[1, 0], r[0, 0])]
        )
        return HeadPose(yaw=float(yaw), pitch=float(pitch), roll=float(roll))

    def _detect(self, rgb: NDArray[np.uint8]) -> list[DetectedFace]:
        blob, side, padding = detector_input(rgb)
        self._detector.setInput(blob)
        regressors, logits = self._detector.forward(["regressors", "classificators"])
        return read_hits(regressors[0], logits[0, :, 0], self._anchors, side, padding, _DETECTION_THRESHOLD)

    def _faces_in(self, rgb: NDArray[np.uint8], refine: int) -> list[Face]:
        found = []
        for hit in self._detect(rgb):
            centre: FloatArray = np.asarray((hit.box[:2] + hit.box[2:]) / 2, np.float32)
            side = float((hit.box[2:] - hit.box[:2]).max()) * _CROP_MARGIN
            if side < 1:
                continue
            points, presence = self._read(rgb, centre, side, _angle(hit.eyes[1] - hit.eyes[0]))
            for _ in range(refine):
                if presence < MIN_PRESENCE / 2:
                    break
                centre, side, angle = _crop_of(points)
                points, presence = self._read(rgb, centre, side, angle)
            found.append(Face(score=hit.score, box=hit.box, points=points, presence=presence))
        return found

    def _faces_in_crops(self, rgb: NDArray[np.uint8], parts: int, refine: int) -> list[Face]:
        height, width = rgb.shape[:2]
        crop_h, crop_w = -(-height // parts), -(-width // parts)
        found: list[Face] = []
        for top in np.linspace(0, height - crop_h, 2 * parts - 1).astype(int):
            for left in np.linspace(0, width - crop_w, 2 * parts - 1).astype(int):
                offset = np.array([left, top, 0], np.float32)
                for face in self._faces_in(rgb[top : top + crop_h, left : left + crop_w], refine):
                    box, points = face.box + offset[[0, 1, 0, 1]], face.points + offset
                    nose = points[1, :2]
                    known = any((f.box[:2] < nose).all() and (nose < f.box[2:]).all() for f in found)
                    if face.presence >= MIN_PRESENCE and not known:
                        found.append(Face(score=face.score, box=box, points=points, presence=face.presence))
        return found

    def _read(
        self, rgb: NDArray[np.uint8], centre: FloatArray, side: float, angle: float
    ) -> tuple[FloatArray, float]:
        """Points (478, 3) and presence of the face in a square crop turned by `angle` radians."""
        zoom = _CROP_SIDE / side
        c, s = np.cos(angle) * zoom, np.sin(angle) * zoom
        matrix = np.array([[c, s, 0.0], [-s, c, 0.0]])
        matrix[:, 2] = _CROP_SIDE / 2 - matrix[:, :2] @ centre.astype(np.float64)
        crop = cv2.warpAffine(
            rgb, matrix, (_CROP_SIDE, _CROP_SIDE), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        self._landmarks.setInput((crop.astype(np.float32) / 255).transpose(2, 0, 1)[None])
        raw, logit, _ = self._landmarks.forward(["Identity", "Identity_1", "Identity_2"])
        local = raw.reshape(NUM_POINTS, 3).astype(np.float64)
        xy = (local[:, :2] - matrix[:, 2]) @ np.linalg.inv(matrix[:, :2]).T
        presence = 1 / (1 + np.exp(-float(logit.ravel()[0])))
        return np.concatenate([xy, local[:, 2:] / zoom], 1).astype(np.float32), float(presence)


def _angle(eyes: FloatArray) -> float:
    return float(np.arctan2(eyes[1], eyes[0]))


def _crop_of(points: FloatArray) -> tuple[FloatArray, float, float]:
    """Centre, side and angle of the crop about known points."""
    angle = _angle(points[LEFT_EYE_CORNER, :2] - points[RIGHT_EYE_CORNER, :2])
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]], np.float32)
    upright = points[:, :2] @ turn.T
    low, high = upright.min(0), upright.max(0)
    return np.asarray((low + high) / 2 @ turn, np.float32), float((high - low).max()) * _CROP_MARGIN, angle
