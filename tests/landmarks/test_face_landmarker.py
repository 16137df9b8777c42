"""The landmark networks with their real weights, on the shipped portraits."""

import zipfile

import cv2
import numpy as np
import pytest

from kiosk.face.avatar_import import LANDMARKER_FILE
from kiosk.face.picture_file import read_picture
from kiosk.face.portrait import load_portrait, shipped_avatars_dir
from kiosk.paths import checkpoints_dir
from models.errors import CheckpointError
from models.landmarks.canonical_face import read_canonical_face
from models.landmarks.face_landmarker import FaceLandmarker

TASK = checkpoints_dir() / LANDMARKER_FILE


@pytest.fixture(scope="module")
def landmarker():
    if not TASK.is_file():
        pytest.skip(f"no weights at {TASK}")
    return FaceLandmarker.load(TASK)


@pytest.fixture(scope="module")
def mei():
    rgba = read_picture(shipped_avatars_dir() / "mei" / "portrait.png", with_alpha=True).astype(np.float32)
    alpha = rgba[..., 3:] / 255
    return (rgba[..., :3] * alpha + 200 * (1 - alpha)).astype(np.uint8)


def _on_canvas(picture, side, left, top, width):
    canvas = np.full((side, side, 3), 190, np.uint8)
    small = cv2.resize(picture, (width, width), interpolation=cv2.INTER_AREA)
    canvas[top : top + width, left : left + width] = small
    return canvas


@pytest.mark.weights
@pytest.mark.parametrize("name", ["mei", "jun", "anna", "sam"])
def test_stored_landmarks_are_those_of_the_picture(landmarker, name):
    portrait = load_portrait(shipped_avatars_dir() / name)
    alpha = portrait.image[..., 3:].astype(np.float32) / 255
    picture = (portrait.image[..., :3] * alpha + 205 * (1 - alpha)).astype(np.uint8)
    (face,) = landmarker.faces(picture, refine=2)
    assert face.presence > 0.99
    error = np.linalg.norm(face.points[:, :2] - portrait.landmarks, axis=1).mean() / portrait.pupil_distance
    assert error < 0.02
    pose = landmarker.pose(face.points)
    assert abs(pose.yaw) < 2
    assert abs(pose.roll) < 2
    assert landmarker.blendshapes(face.points)["jawOpen"] < 0.05


@pytest.mark.weights
@pytest.mark.parametrize("angle", [-14.0, 9.0])
def test_roll_is_read_clockwise(landmarker, mei, angle):
    centre = mei.shape[1] / 2, mei.shape[0] / 2
    matrix = cv2.getRotationMatrix2D(centre, -angle, 1.0)  # OpenCV turns counter-clockwise
    turned = cv2.warpAffine(mei, matrix, mei.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    face = landmarker.faces(turned, refine=2)[0]
    assert landmarker.pose(face.points).roll == pytest.approx(angle, abs=1.0)


@pytest.mark.weights
def test_large_and_small_faces_are_found_at_the_same_place(landmarker, mei):
    reference = landmarker.faces(mei, refine=2)[0].points[:, :2] / mei.shape[0]
    large = cv2.resize(mei, (3000, 3000), interpolation=cv2.INTER_LINEAR)
    found = landmarker.faces(large, refine=2)[0]
    assert np.abs(found.points[:, :2] / 3000 - reference).max() < 0.004
    small = landmarker.faces(_on_canvas(mei, 1600, 1100, 900, 260), refine=2)
    assert len(small) == 1  # 6 % of the side: found on a crop
    assert np.abs((small[0].points[:, :2] - [1100, 900]) / 260 - reference).max() < 0.02


@pytest.mark.weights
def test_result_does_not_depend_on_what_was_seen_before(landmarker, mei):
    pictures = [_on_canvas(mei, 700, x, 60, 560) for x in (0, 60, 120)]
    alone = [landmarker.faces(p)[0].box for p in pictures]
    again = [landmarker.faces(p)[0].box for p in reversed(pictures)][::-1]
    np.testing.assert_array_equal(np.array(alone), np.array(again))


@pytest.mark.weights
def test_follow_agrees_with_finding_anew(landmarker, mei):
    first, second = (_on_canvas(mei, 700, x, 60, 560) for x in (40, 52))
    face = landmarker.faces(first, refine=2)[0]
    followed, anew = landmarker.follow(second, face, refine=1), landmarker.faces(second, refine=2)[0]
    assert followed.presence > 0.9
    assert np.linalg.norm(followed.points[:, :2] - anew.points[:, :2], axis=1).mean() < 0.01 * anew.pupil_distance


@pytest.mark.weights
def test_a_landscape_has_no_face(landmarker):
    rng = np.random.default_rng(0)
    hills = cv2.GaussianBlur(rng.integers(0, 255, (480, 640, 3), np.uint8), (0, 0), 9)
    assert not [f for f in landmarker.faces(hills) if f.presence >= 0.5]


@pytest.mark.weights
def test_a_cut_off_file_is_refused_with_the_remedy(tmp_path):
    if not TASK.is_file():
        pytest.skip(f"no weights at {TASK}")
    broken = tmp_path / "face_landmarker.task"
    broken.write_bytes(TASK.read_bytes()[:2_000_000])
    with pytest.raises(CheckpointError, match=r"damaged.*models fetch"):
        FaceLandmarker.load(broken)


def test_an_absent_file_is_named(tmp_path):
    with pytest.raises(CheckpointError, match=r"nowhere\.task: is not there"):
        FaceLandmarker.load(tmp_path / "nowhere.task")


def test_an_archive_of_something_else_is_refused(tmp_path):
    other = tmp_path / "other.task"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("face_detector.tflite", b"not a network")
    with pytest.raises(CheckpointError, match="damaged or no face landmarker"):
        FaceLandmarker.load(other)


@pytest.mark.parametrize("data", [b"", b"\x0a\x05\x1d", b"\x0b\x01", b"\xff" * 20])
def test_bytes_that_are_no_canonical_face_are_refused(data):
    with pytest.raises(ValueError, match=r"canonical face|cut off|wire type"):
        read_canonical_face(data)
