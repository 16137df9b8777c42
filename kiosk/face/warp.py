"""Geometry of a talking portrait: a pose becomes the positions of a triangle mesh over the picture. Plain numpy.

The mesh is the 478 landmarks, three rings round the face that melt into the still picture, and two rings and a centre
in each eye that let the gaze wander. All positions are pixels of the portrait, x right, y down.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kiosk.errors import AvatarError
from kiosk.face import topology as top
from kiosk.face.types import UNIT_NAMES, FacePose
from kiosk.paths import RESOURCES
from models.types import FloatArray

BASIS_FILE = RESOURCES / "avatars" / "basis478.npz"
TRIANGLES_FILE = RESOURCES / "avatars" / "triangles478.npy"

NUM_LANDMARKS = 478
_RING_SCALES = (1.18, 1.5, 2.0)  # about the middle of the face's outline
_RING_EXPRESSION = (0.75, 0.3, 0.0)  # share of the outline's displacement that a ring takes
_RING_RIGID = (0.97, 0.7, 0.0)  # share of the head's motion
_EYE_RINGS = (0.72, 0.4)  # radii in parts of the lids' contour
_EYE_RINGS_GAZE = (0.55, 1.0)  # share of the gaze
_GAZE_REACH = (0.085, 0.050)  # pupil distances at a unit of 1, sideways and up or down

_LID_OVER = 1.02  # the upper lid ends just below the lower one: at less a white slit stays on dark skin
_LOWER_LID, _CREASE, _ABOVE_CREASE = -0.05, 0.42, 0.08  # what the rows beside it do of the upper lid's way
_MEET = (0.45, 0.55)  # where closing lips meet: parts of the upper and the lower lip's place
_OUTER_FOLLOWS = (0.6, 0.75)  # how far the outer rims follow closing lips, upper and lower

_PIVOT_BELOW_CHIN = 0.6  # pupil distances: the head turns about this point of the neck
_NECK_FADE = (0.5, 0.9)  # pupil distances below the pivot where the motion ends, and length of the fade

_INDEX = {name: i for i, name in enumerate(UNIT_NAMES)}
_BLINKS = np.array([_INDEX["eyeBlinkLeft"], _INDEX["eyeBlinkRight"]])
# Units per eye (left, right): to the viewer's right, to the viewer's left, down, up.
_LOOKS = np.array(
    [
        [_INDEX[f"eyeLook{d}Left"] for d in ("Out", "In", "Down", "Up")],
        [_INDEX[f"eyeLook{d}Right"] for d in ("In", "Out", "Down", "Up")],
    ]
)


class FaceWarp:
    """Moves the mesh of one portrait.

    Attributes:
        rest: Positions at rest, shape (N, 2).
        triangles: Vertex numbers, int32, shape (M, 3), in drawing order (eyes first, then the skin that covers them).
            The line between the lips is part of it; what shows when they open is drawn over it (`kiosk.face.mouth`).
        pupil_distance: Pixels between the pupils.
        rest_gap: How far the lips are apart in the picture, in pupil distances.
    """

    def __init__(self, landmarks: FloatArray, depth: FloatArray | None = None) -> None:
        """Tie the mesh to a picture.

        Args:
            landmarks: Pixels, shape (478, 2).
            depth: Depth of the landmarks in pixels, smaller is nearer, shape (478,); without it turning does nothing.

        Raises:
            AvatarError: The landmarks are no face, or the basis of the face units is damaged.
        """
        points = np.asarray(landmarks, np.float32)
        if points.shape != (NUM_LANDMARKS, 2) or not np.isfinite(points).all():
            raise AvatarError("bad-avatar", "the avatar's landmarks are damaged; add the photo again")
        displacement, triangles = load_basis(BASIS_FILE), _load_triangles(TRIANGLES_FILE)
        eyes = points[top.LEFT_PUPIL] - points[top.RIGHT_PUPIL]
        self.pupil_distance = float(np.linalg.norm(eyes))
        if self.pupil_distance < 1:
            raise AvatarError("bad-avatar", "the avatar's landmarks are damaged; add the photo again")
        c, s = eyes / self.pupil_distance
        self.turn = np.array([[c, -s], [s, c]], np.float32)  # face axes to picture axes
        self.rest_gap = float(np.linalg.norm(points[13] - points[14])) / self.pupil_distance
        self._points = points

        flat = displacement[:, :, :2] * np.array([1, -1], np.float32) * self.pupil_distance  # y up to y down
        flat[_BLINKS] = 0  # lids move by geometry: the units fold over on other faces
        self._units = (flat @ self.turn.T).reshape(len(flat), -1)  # (52, 956)
        self._oval, self._lids = np.array(top.OVAL), _Lids()
        rings, ring_triangles = self._rings()
        eyes_rest, eye_triangles = self._eyes()
        self.rest: FloatArray = np.concatenate([points, rings, eyes_rest]).astype(np.float32)
        self.triangles: NDArray[np.int32] = np.concatenate([eye_triangles, _skin(triangles), ring_triangles]).astype(
            np.int32
        )
        nearness = np.zeros(NUM_LANDMARKS, np.float32) if depth is None else -np.asarray(depth, np.float32)
        self._nearness = self._spread(nearness - nearness[self._oval].mean())

    def vertices(self, pose: FacePose) -> FloatArray:
        """Positions of the mesh, float32, shape (N, 2)."""
        weights = np.asarray(pose.units, np.float32)
        move: FloatArray = np.asarray(weights @ self._units, np.float32).reshape(NUM_LANDMARKS, 2)
        blinks = np.clip(weights[_BLINKS], 0, 1)
        self._blink(move, blinks)
        if pose.close > 0:
            self._close_lips(move, min(pose.close, 1.0))
        return self._move_head(np.add(self.rest, self._all_moves(move, weights, blinks)), pose)

    @property
    def landmarks(self) -> FloatArray:
        """Where the landmarks are at rest, shape (478, 2)."""
        return self._points

    def head_turn(self, pose: FacePose) -> FloatArray:
        """Axes of the turned head in the picture: columns right and down, shape (2, 2)."""
        a = np.radians(pose.roll_degrees)
        roll = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]], np.float32)
        return np.asarray(roll @ self.turn, np.float32)

    def _rings(self) -> tuple[FloatArray, NDArray[np.int32]]:
        oval = self._points[self._oval]
        middle, n = oval.mean(0), len(oval)
        inner, triangles = self._oval, []
        for k in range(len(_RING_SCALES)):
            outer = np.arange(n) + NUM_LANDMARKS + k * n
            a, b = np.roll(inner, -1), np.roll(outer, -1)
            triangles += [np.stack([inner, a, b], 1), np.stack([inner, b, outer], 1)]
            inner = outer
        return np.concatenate([middle + (oval - middle) * s for s in _RING_SCALES]), np.concatenate(triangles)

    def _eyes(self) -> tuple[FloatArray, NDArray[np.int32]]:
        first = NUM_LANDMARKS + len(_RING_SCALES) * len(top.OVAL)
        places, triangles = [], []
        for loop, pupil in zip(top.EYE_LOOPS, top.PUPILS, strict=True):
            lids, centre, n = self._points[list(loop)], self._points[pupil], len(loop)
            places += [centre + (lids - centre) * r for r in _EYE_RINGS] + [centre[None]]
            outer = np.array(loop)
            for k in range(len(_EYE_RINGS)):
                inner = np.arange(n) + first + k * n
                a, b = np.roll(outer, -1), np.roll(inner, -1)
                triangles += [np.stack([outer, a, b], 1), np.stack([outer, b, inner], 1)]
                outer = inner
            last = first + len(_EYE_RINGS) * n
            triangles.append(np.stack([outer, np.roll(outer, -1), np.full(n, last)], 1))
            first = last + 1
        return np.concatenate(places), np.concatenate(triangles)

    def _spread(self, values: FloatArray) -> FloatArray:
        """Values of the landmarks for the whole mesh: rings take the outline's, eyes their pupil's."""
        eyes = [np.full(len(_EYE_RINGS) * len(top.EYE_LOOPS[0]) + 1, values[pupil]) for pupil in top.PUPILS]
        return np.concatenate([values, *[values[self._oval]] * len(_RING_SCALES), *eyes]).astype(np.float32)

    def _blink(self, move: FloatArray, blinks: FloatArray) -> None:
        lids = self._lids
        for eye in np.flatnonzero(blinks):
            upper, lower = lids.upper[eye], lids.lower[eye]
            way = (self._points[lower] - self._points[upper]) * blinks[eye]
            open_share = 1 - blinks[eye]  # what other units do to the lids ends as they shut
            for rows, share in (
                (upper, _LID_OVER), (lower, _LOWER_LID), (lids.crease[eye], _CREASE), (lids.above[eye], _ABOVE_CREASE)
            ):  # fmt: skip
                move[rows] = move[rows] * open_share + share * way

    def _close_lips(self, move: FloatArray, close: float) -> None:
        lips = self._lids
        upper = self._points[lips.upper_inner] + move[lips.upper_inner]
        lower = self._points[lips.lower_inner] + move[lips.lower_inner]
        meet = _MEET[0] * upper + _MEET[1] * lower  # as the lips stand now, so that it works against an open jaw
        up, down = (meet - upper) * close, (meet - lower) * close
        move[lips.upper_inner] += up
        move[lips.lower_inner[1:-1]] += down[1:-1]  # the corners belong to both lips
        move[lips.upper_outer] += _OUTER_FOLLOWS[0] * up
        move[lips.lower_outer[1:-1]] += _OUTER_FOLLOWS[1] * down[1:-1]

    def _all_moves(self, move: FloatArray, weights: FloatArray, blinks: FloatArray) -> FloatArray:
        parts = [move, *(share * move[self._oval] for share in _RING_EXPRESSION)]
        right, left, down, up = weights[_LOOKS].T
        gaze = np.stack([(right - left) * _GAZE_REACH[0], (down - up) * _GAZE_REACH[1]], 1)
        gaze = (gaze * (1 - blinks)[:, None] * self.pupil_distance) @ self.turn.T
        for eye, loop in enumerate(self._lids.loops):
            lids = move[loop]
            middle = lids.mean(0)
            parts += [
                r * lids + (1 - r) * middle + g * gaze[eye] for r, g in zip(_EYE_RINGS, _EYE_RINGS_GAZE, strict=True)
            ]
            parts.append((middle + gaze[eye])[None])
        return np.concatenate(parts)

    def _move_head(self, moved: FloatArray, pose: FacePose) -> FloatArray:
        a = np.radians(pose.roll_degrees)
        roll = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]], np.float32)
        pivot = self._points[top.CHIN] + np.array([0, _PIVOT_BELOW_CHIN * self.pupil_distance], np.float32)
        parallax = np.sin(np.radians([pose.yaw_degrees, -pose.pitch_degrees])).astype(np.float32) @ self.turn.T
        turned = moved + self._nearness[:, None] * parallax
        shift = np.array(pose.shift, np.float32) * self.pupil_distance
        rigid = (turned - pivot) @ roll.T + (pivot + shift)
        end, length = (x * self.pupil_distance for x in _NECK_FADE)
        share = self._rigid_share * np.clip((pivot[1] + end - moved[:, 1]) / length, 0, 1)
        return np.asarray(moved + (rigid - moved) * share[:, None], np.float32)

    @cached_property
    def _rigid_share(self) -> FloatArray:
        share = np.ones(len(self.rest), np.float32)
        rings = share[NUM_LANDMARKS : NUM_LANDMARKS + len(_RING_RIGID) * len(self._oval)]
        rings[:] = np.repeat(np.array(_RING_RIGID, np.float32), len(self._oval))
        return share


class _Lids:
    """The rows of lids and lips as index arrays."""

    def __init__(self) -> None:
        self.upper, self.lower = np.array(top.UPPER_LIDS), np.array(top.LOWER_LIDS)
        self.crease, self.above = np.array(top.LID_CREASES), np.array(top.ABOVE_CREASES)
        self.loops = np.array(top.EYE_LOOPS)
        self.upper_inner, self.lower_inner = np.array(top.UPPER_INNER_LIP), np.array(top.LOWER_INNER_LIP)
        self.upper_outer, self.lower_outer = np.array(top.UPPER_OUTER_LIP), np.array(top.LOWER_OUTER_LIP)


def _skin(triangles: NDArray[np.int32]) -> NDArray[np.int32]:
    """The canonical triangles without those that fill the eyes."""
    keep = np.ones(len(triangles), bool)
    for loop in top.EYE_LOOPS:
        keep &= ~np.isin(triangles, loop).all(1)
    return triangles[keep]


def load_basis(path: Path) -> FloatArray:
    """How the landmarks move under each unit at weight 1, in pupil distances with y up, shape (52, 478, 3).

    Raises:
        AvatarError: The file is absent, damaged or of another kind.
    """
    try:
        with np.load(path) as stored:
            names, displacement = tuple(str(n) for n in stored["names"]), stored["displacement"]
    except (OSError, KeyError, ValueError) as error:
        raise AvatarError("bad-installation", f"{path}: is absent or damaged; install the program again") from error
    if names != UNIT_NAMES or displacement.shape != (len(UNIT_NAMES), NUM_LANDMARKS, 3):
        raise AvatarError("bad-installation", f"{path}: holds other units than expected; install the program again")
    return np.asarray(displacement, np.float32)


def _load_triangles(path: Path) -> NDArray[np.int32]:
    try:
        triangles = np.load(path)
    except (OSError, ValueError) as error:
        raise AvatarError("bad-installation", f"{path}: is absent or damaged; install the program again") from error
    return np.asarray(triangles, np.int32)
