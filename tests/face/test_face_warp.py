"""Geometry of the mesh."""

import numpy as np
import pytest

from kiosk.errors import AvatarError
from kiosk.face import topology as top
from kiosk.face.portrait import load_portrait, shipped_avatars_dir
from kiosk.face.types import UNIT_NAMES, FacePose
from kiosk.face.warp import FaceWarp


@pytest.fixture(scope="module")
def warp():
    portrait = load_portrait(shipped_avatars_dir() / "mei")
    return FaceWarp(portrait.landmarks, portrait.depth)


def pose(close=0.0, roll=0.0, shift=(0.0, 0.0), yaw=0.0, **units):
    weights = np.zeros(len(UNIT_NAMES), np.float32)
    for name, value in units.items():
        weights[UNIT_NAMES.index(name)] = value
    return FacePose(units=weights, close=close, roll_degrees=roll, shift=shift, yaw_degrees=yaw)


def gap(vertices, warp):
    return np.linalg.norm(vertices[13] - vertices[14]) / warp.pupil_distance


def test_rest_stays_at_rest(warp):
    np.testing.assert_allclose(warp.vertices(pose()), warp.rest, atol=1e-3)


def test_every_triangle_is_drawn_once_and_uses_every_point(warp):
    assert warp.triangles.min() == 0
    assert warp.triangles.max() == len(warp.rest) - 1
    assert len({tuple(sorted(t)) for t in warp.triangles.tolist()}) == len(warp.triangles)


def test_jaw_opens_the_mouth_and_lowers_the_chin(warp):
    opened = warp.vertices(pose(jawOpen=0.4))
    assert gap(opened, warp) > gap(warp.rest, warp) + 0.15
    assert opened[top.CHIN, 1] > warp.rest[top.CHIN, 1] + 0.1 * warp.pupil_distance
    assert np.abs(opened[top.NOSE_TIP] - warp.rest[top.NOSE_TIP]).max() < 0.02 * warp.pupil_distance


@pytest.mark.parametrize("jaw", [0.0, 0.2, 0.45])
def test_closed_lips_meet_along_their_whole_length_whatever_the_jaw_does(warp, jaw):
    v = warp.vertices(pose(close=1.0, jawOpen=jaw))
    upper, lower = v[list(top.UPPER_INNER_LIP)], v[list(top.LOWER_INNER_LIP)]
    assert np.abs(upper - lower).max() < 0.01 * warp.pupil_distance


def test_a_blink_brings_the_upper_lid_onto_the_lower_and_leaves_the_other_eye(warp):
    v = warp.vertices(pose(eyeBlinkLeft=1.0))
    left, right = (np.array([rows[e] for rows in (top.UPPER_LIDS, top.LOWER_LIDS)]) for e in (0, 1))
    assert np.abs(v[left[0]] - v[left[1]]).max() < 0.03 * warp.pupil_distance
    np.testing.assert_allclose(v[right], warp.rest[right], atol=1e-3)


def test_gaze_moves_the_iris_and_not_the_corners(warp):
    v = warp.vertices(pose(eyeLookOutLeft=0.8, eyeLookInRight=0.8))
    centres = [len(warp.rest) - 34, len(warp.rest) - 1]  # the last point of each eye's rings
    assert (v[centres, 0] - warp.rest[centres, 0] > 0.04 * warp.pupil_distance).all()
    corners = list(sum(top.EYE_CORNERS, ()))
    assert np.abs(v[corners] - warp.rest[corners]).max() < 0.02 * warp.pupil_distance


def test_roll_turns_clockwise_and_the_outermost_ring_stays(warp):
    v = warp.vertices(pose(roll=5.0, shift=(0.02, 0.01), yaw=3.0))
    assert v[10, 0] > warp.rest[10, 0]  # the top of the head goes right
    outer = slice(478 + 2 * 36, 478 + 3 * 36)
    np.testing.assert_allclose(v[outer], warp.rest[outer], atol=1e-3)


def test_yaw_moves_near_parts_with_the_turn(warp):
    v = warp.vertices(pose(yaw=4.0))
    assert v[top.NOSE_TIP, 0] - warp.rest[top.NOSE_TIP, 0] > v[234, 0] - warp.rest[234, 0] + 2


def test_a_tilted_portrait_moves_along_its_own_axes():
    portrait = load_portrait(shipped_avatars_dir() / "mei")
    turn = np.array([[0, -1], [1, 0]], np.float32)  # a quarter clockwise in the picture
    upright, lying = FaceWarp(portrait.landmarks), FaceWarp(portrait.landmarks @ turn.T)
    p = pose(jawOpen=0.3, mouthPucker=0.4, close=0.2)
    np.testing.assert_allclose(lying.vertices(p)[:478], upright.vertices(p)[:478] @ turn.T, atol=0.05)


@pytest.mark.parametrize("points", [np.zeros((478, 2)), np.zeros((10, 2)), np.full((478, 2), np.nan)])
def test_damaged_landmarks_are_refused(points):
    with pytest.raises(AvatarError, match="add the photo again"):
        FaceWarp(points.astype(np.float32))
