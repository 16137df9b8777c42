"""The inside of the mouth: where its opening lies, and where the teeth stand in it. Plain numpy."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kiosk.face import topology as top
from kiosk.face.picture_file import read_picture
from kiosk.face.portrait import Portrait, shipped_avatars_dir
from kiosk.face.types import FacePose
from kiosk.face.warp import FaceWarp
from models.types import FloatArray

OWN_TEETH_GAP = 0.06  # pupil distances between the resting lips: from here on the photo shows teeth of its own
NUM_VERTICES = 1 + 2 * len(top.INNER_LIP_LOOP)
_COVER_GAP = (0.0, 0.050)  # pupil distances beyond the rest: the inside replaces the photo's lip line in between
_TEETH_GAP = (0.005, 0.045)  # the teeth fade in between, since a switch pops
_UPPER_WIDTH, _LOWER_WIDTH = 0.80, 0.64  # parts of the mouth's width
_UPPER_TALLER = 1.45  # the upper row over its sprite's own aspect
_UPPER_RAISED = 0.055  # pupil distances behind the upper lip; lower, and a dark slit shows above the teeth
_LOWER_SUNK, _LOWER_RAISED = 0.02, 0.35  # pupil distances below the seam; part of its own height above that
_CHIN_LEVER = 1.35  # the lower teeth move more than the chin, which is nearer to the joint


@dataclass(frozen=True, slots=True, kw_only=True)
class MouthShape:
    """One moment of the mouth's inside, ready to be drawn."""

    vertices: FloatArray
    """x, y (portrait pixels), depth into the mouth 0..1, cover 0..1; shape (41, 4): middle, rim, feather."""
    upper: FloatArray
    """Matrix (2, 3) from portrait pixels to the upper sprite's 0..1."""
    lower: FloatArray
    """As `upper`, for the lower row."""
    teeth: float
    """How much of the teeth is seen, 0..1."""
    brightness: float
    """Of the teeth."""
    opening: float
    """Distance of the lips in pupil distances."""


def mouth_triangles() -> NDArray[np.int32]:
    """Triangles over `MouthShape.vertices`: a fan, then the feather round it."""
    n = len(top.INNER_LIP_LOOP)
    rim = np.arange(n) + 1
    following = np.roll(rim, -1)
    fan = np.stack([np.zeros(n, int), rim, following], 1)
    feather = np.concatenate(
        [np.stack([rim, following, following + n], 1), np.stack([rim, following + n, rim + n], 1)]
    )
    return np.concatenate([fan, feather]).astype(np.int32)


def teeth_sprites(portrait: Portrait, warp: FaceWarp) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """RGBA sprites for the upper and the lower row; a photo that shows teeth gives its own, and no lower row.

    Raises:
        AvatarError: A file of the installation is absent or damaged.
    """
    if warp.rest_gap >= OWN_TEETH_GAP:
        return _own_teeth(portrait), np.zeros((2, 2, 4), np.uint8)
    upper, lower = (
        read_picture(shipped_avatars_dir() / f"teeth_{w}.png", with_alpha=True) for w in ("upper", "lower")
    )
    return upper, lower


class Mouth:
    """Follows the lips of one portrait."""

    def __init__(self, warp: FaceWarp, upper_aspect: float, lower_aspect: float, feather: float) -> None:
        """Prepare.

        Args:
            warp: The moving mesh.
            upper_aspect: Height over width of the upper sprite.
            lower_aspect: Of the lower one.
            feather: Pixels of the portrait over which the rim fades; about one pixel of the screen.
        """
        self._warp, self._feather = warp, feather
        self._aspects = upper_aspect, lower_aspect
        self._loop = np.array(top.INNER_LIP_LOOP)
        p = warp.landmarks
        self._width = float(np.linalg.norm(p[top.MOUTH_CORNERS[1]] - p[top.MOUTH_CORNERS[0]]))
        self._seam = (p[top.UPPER_LIP_MIDDLE] + p[top.LOWER_LIP_MIDDLE]) / 2
        self._own = _own_box(p) if warp.rest_gap >= OWN_TEETH_GAP else None

    def shape(self, moved: FloatArray, pose: FacePose) -> MouthShape:
        """The opening between the lips of a moved mesh (`FaceWarp.vertices`)."""
        warp, pupils = self._warp, self._warp.pupil_distance
        rest, axes = warp.landmarks, warp.head_turn(pose)
        loop = moved[self._loop]
        middle = loop.mean(0)
        outwards = loop - middle
        outwards = outwards / np.maximum(np.linalg.norm(outwards, axis=1, keepdims=True), 1e-3)
        opening = float(np.linalg.norm(moved[top.UPPER_LIP_MIDDLE] - moved[top.LOWER_LIP_MIDDLE])) / pupils
        vertices = np.zeros((NUM_VERTICES, 4), np.float32)
        n = len(loop)
        beyond_rest = opening - warp.rest_gap
        cover = _ramp(beyond_rest, _COVER_GAP)
        vertices[0] = *middle, 1, cover
        vertices[1 : n + 1, :2] = loop
        vertices[1 : n + 1, 3] = cover
        vertices[n + 1 :, :2] = loop + outwards * self._feather
        nose = moved[top.NOSE_TIP] - rest[top.NOSE_TIP]  # the upper teeth are fixed to the head
        if self._own is not None:
            left, top_edge, width, height = self._own
            pivot = np.array([left, top_edge], np.float32) + nose
            upper = _sprite_matrix(pivot, np.eye(2, dtype=np.float32), width, height, 0.0)
            return MouthShape(vertices=vertices, upper=upper, lower=upper, teeth=1.0, brightness=1.0, opening=opening)
        down = axes[:, 1]
        visible = _ramp(beyond_rest, _TEETH_GAP)
        width = _UPPER_WIDTH * self._width
        at = self._seam + nose - down * (_UPPER_RAISED * pupils)
        upper = _sprite_matrix(at, axes, width, width * self._aspects[0] * _UPPER_TALLER, 0.5)
        width = _LOWER_WIDTH * self._width
        height = width * self._aspects[1]
        chin = (moved[top.CHIN] - rest[top.CHIN]) - nose
        at = self._seam + nose + chin * _CHIN_LEVER + down * (_LOWER_SUNK * pupils - _LOWER_RAISED * height)
        lower = _sprite_matrix(at, axes, width, height, 0.5)
        brightness = float(np.clip(0.86 + 0.6 * opening, 0.6, 1.05))
        return MouthShape(
            vertices=vertices, upper=upper, lower=lower, teeth=visible, brightness=brightness, opening=opening
        )


def _ramp(value: float, ends: tuple[float, float]) -> float:
    return float(np.clip((value - ends[0]) / (ends[1] - ends[0]), 0, 1))


def _sprite_matrix(at: FloatArray, axes: FloatArray, width: float, height: float, anchor: float) -> FloatArray:
    """Portrait pixels to a sprite's 0..1, when its upper edge's point `anchor` lies at `at`."""
    rows = axes.T / np.array([[width], [height]])
    return np.concatenate([rows, (np.array([anchor, 0]) - rows @ at)[:, None]], 1).astype(np.float32)


def _own_box(points: FloatArray) -> tuple[float, float, float, float]:
    """Left, top, width, height of the open mouth in the photo."""
    loop = points[list(top.INNER_LIP_LOOP)]
    low, high = np.floor(loop.min(0)) - 2, np.ceil(loop.max(0)) + 2
    return float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1])


def _own_teeth(portrait: Portrait) -> NDArray[np.uint8]:
    left, upper, width, height = map(int, _own_box(portrait.landmarks))
    image = np.ascontiguousarray(portrait.image[..., :3])
    centre = left + (width - 1) / 2, upper + (height - 1) / 2
    patch = cv2.getRectSubPix(image, (width, height), centre)
    loop = portrait.landmarks[list(top.INNER_LIP_LOOP)] - np.array([left, upper], np.float32)
    mask = np.zeros((height, width), np.uint8)
    cv2.fillPoly(mask, [np.round(loop * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    return np.dstack([patch, cv2.GaussianBlur(mask, (0, 0), max(0.6, height / 40))])
