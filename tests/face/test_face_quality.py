"""Portrait checks and import with the real landmark networks, on the shipped portraits and pictures made of them."""

import json
import os

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from kiosk.cli.avatar_cmd import app
from kiosk.errors import AvatarError
from kiosk.face.avatar_import import LANDMARKER_FILE, add_avatar, find_avatar
from kiosk.face.picture_file import write_png
from kiosk.face.portrait import load_portrait, own_avatars_dir, shipped_avatars_dir
from kiosk.face.quality import Grade, check_portrait, grade_value
from kiosk.face.quality_texts import ADVICE, TITLES
from kiosk.paths import checkpoints_dir
from models.landmarks.face_landmarker import FaceLandmarker

TASK = checkpoints_dir() / LANDMARKER_FILE
NAMES = ("mei", "jun", "anna", "sam")


@pytest.fixture(scope="module")
def landmarker():
    if not TASK.is_file():
        pytest.skip(f"no weights at {TASK}")
    return FaceLandmarker.load(TASK)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("KIOSK_DATA", str(tmp_path / "数据 目录"))


def photo(name, wall=205):
    portrait = load_portrait(shipped_avatars_dir() / name)
    alpha = portrait.image[..., 3:].astype(np.float32) / 255
    return (portrait.image[..., :3] * alpha + wall * (1 - alpha)).astype(np.uint8), portrait.landmarks


def grades(report):
    return {row.key: row.grade for row in report.rows}


def masked(name):
    picture, points = photo(name)
    edge = points[[234, 93, 132, 58, 172, 136, 150, 149, 176, 148, 152, 377, 400, 378, 379, 365, 397, 288, 361, 323,
                   454, 280, 197, 50]]  # fmt: skip
    cv2.fillPoly(picture, [edge.astype(np.int32)], (120, 170, 210), cv2.LINE_AA)
    return picture


@pytest.mark.weights
@pytest.mark.parametrize("name", NAMES)
def test_good_portraits_of_all_skin_tones_pass(landmarker, name):
    report = check_portrait(photo(name)[0], landmarker)
    assert [row.key for row in report.rows if row.grade is not Grade.GOOD] == []
    assert len(report.rows) == 16


@pytest.mark.weights
@pytest.mark.parametrize("name", NAMES)
def test_a_mask_is_refused(landmarker, name):
    report = check_portrait(masked(name), landmarker)
    assert report.grade is Grade.BAD
    assert grades(report)["mouth-free"] is Grade.BAD
    row = next(row for row in report.rows if row.key == "mouth-free")
    assert "mask" in row.advice("en")
    assert "口罩" in row.advice("zh")


@pytest.mark.weights
def test_sunglasses_darkness_blur_and_glare_are_seen(landmarker):
    picture, points = photo("mei")
    glasses = picture.copy()
    for eye in ((33, 133), (263, 362)):
        centre = points[list(eye)].mean(0).astype(int)
        cv2.ellipse(glasses, centre.tolist(), (75, 55), 0, 0, 360, (12, 12, 14), -1, cv2.LINE_AA)
    assert grades(check_portrait(glasses, landmarker))["eyes-free"] is Grade.BAD
    dark = (picture * 0.12).astype(np.uint8)
    assert grades(check_portrait(dark, landmarker))["too-dark"] is Grade.BAD
    blurred = cv2.GaussianBlur(picture, (0, 0), 9)
    assert grades(check_portrait(blurred, landmarker))["sharpness"] is Grade.BAD
    glare = np.clip(picture.astype(int) * 1.9 + 40, 0, 255).astype(np.uint8)
    assert grades(check_portrait(glare, landmarker))["too-bright"] is Grade.BAD
    side = picture * np.linspace(0.25, 1.0, 1080)[None, :, None]
    assert grades(check_portrait(side.astype(np.uint8), landmarker))["even-light"] is not Grade.GOOD


@pytest.mark.weights
def test_two_faces_the_large_one_counts_and_an_equal_second_is_refused(landmarker):
    small, large = photo("sam")[0], photo("mei")[0]
    canvas = np.full((1080, 1700, 3), 205, np.uint8)
    canvas[300:720, 30:450] = cv2.resize(small, (420, 420), interpolation=cv2.INTER_AREA)
    canvas[:, 560:1640] = large
    report = check_portrait(canvas, landmarker)
    assert grades(report)["faces"] is Grade.WARN
    assert report.face.points[1, 0] > 800
    equal = np.concatenate([small, large], 1)
    assert grades(check_portrait(equal, landmarker))["faces"] is Grade.BAD


@pytest.mark.weights
def test_no_face_and_tiny_pictures_are_refused_with_the_reason(landmarker, tmp_path):
    hills = cv2.GaussianBlur(np.random.default_rng(0).integers(0, 255, (600, 800, 3), np.uint8), (0, 0), 9)
    assert check_portrait(hills, landmarker).grade is Grade.BAD
    write_png(tmp_path / "hills.png", hills)
    with pytest.raises(AvatarError, match="one clear face"):
        add_avatar(tmp_path / "hills.png", "x", landmarker)
    write_png(tmp_path / "tiny.png", cv2.resize(photo("mei")[0], (64, 64), interpolation=cv2.INTER_AREA))
    with pytest.raises(AvatarError, match="too small"):
        add_avatar(tmp_path / "tiny.png", "x", landmarker)
    assert not own_avatars_dir().exists()


@pytest.mark.weights
def test_an_import_finds_the_same_face_wherever_it_stands_in_a_large_photo(landmarker, tmp_path):
    picture, points = photo("jun")
    canvas = np.full((6000, 4000, 3), 150, np.uint8)
    canvas[2000:3620, 1500:3120] = cv2.resize(picture, (1620, 1620), interpolation=cv2.INTER_LINEAR)
    folder = tmp_path / "大堂 屏幕"
    folder.mkdir()
    path = folder / "头像（新）.jpg"
    path.write_bytes(cv2.imencode(".jpg", cv2.cvtColor(canvas, cv2.COLOR_RGB2BGR))[1].tobytes())
    added = add_avatar(path, "分行 小俊", landmarker)
    assert added.name == "分行-小俊"
    assert max(added.image.shape) < 2600
    assert 200 < added.pupil_distance <= 242
    shape = (added.landmarks - added.landmarks[1]) / added.pupil_distance
    expected = (points - points[1]) / np.linalg.norm(points[473] - points[468])
    assert np.linalg.norm(shape - expected, axis=1).mean() < 0.02
    assert find_avatar("分行-小俊").titles["zh"] == "分行 小俊"
    assert sorted(os.listdir(own_avatars_dir())) == ["分行-小俊"]


@pytest.mark.weights
def test_a_tilted_head_is_turned_upright(landmarker, tmp_path):
    picture, _ = photo("anna")
    matrix = cv2.getRotationMatrix2D((540, 540), -14, 0.9)
    write_png(tmp_path / "tilted.png", cv2.warpAffine(picture, matrix, (1080, 1080), borderMode=cv2.BORDER_REPLICATE))
    added = add_avatar(tmp_path / "tilted.png", "tilted", landmarker)
    eyes = added.landmarks[473] - added.landmarks[468]
    assert abs(np.degrees(np.arctan2(eyes[1], eyes[0]))) < 1.5


@pytest.mark.weights
def test_a_second_import_replaces_the_first_and_a_refused_one_leaves_it(landmarker, tmp_path):
    write_png(tmp_path / "one.png", photo("mei")[0])
    write_png(tmp_path / "two.png", photo("sam")[0])
    write_png(tmp_path / "bad.png", masked("jun"))
    first = add_avatar(tmp_path / "one.png", "us", landmarker)
    with pytest.raises(AvatarError, match="mask"):
        add_avatar(tmp_path / "bad.png", "us", landmarker)
    np.testing.assert_array_equal(find_avatar("us").image, first.image)
    second = add_avatar(tmp_path / "two.png", "us", landmarker)
    assert not np.array_equal(second.landmarks, first.landmarks)
    assert sorted(os.listdir(own_avatars_dir())) == ["us"]


@pytest.mark.weights
def test_a_photo_can_be_used_without_import(landmarker, tmp_path):
    write_png(tmp_path / "photo.png", photo("mei")[0])
    portrait = find_avatar(str(tmp_path / "photo.png"), lambda: landmarker)
    assert not portrait.is_cut_out
    assert portrait.pupil_distance > 150


@pytest.mark.weights
def test_the_command_line_checks_adds_and_lists(landmarker, tmp_path):
    write_png(tmp_path / "good.png", photo("mei")[0])
    write_png(tmp_path / "mask.png", masked("mei"))
    runner = CliRunner()
    good = runner.invoke(app, ["check", str(tmp_path / "good.png"), "--json"])
    assert good.exit_code == 0
    report = json.loads(good.stdout)
    assert report["grade"] == "good"
    assert {check["key"] for check in report["checks"]} <= set(TITLES)
    bad = runner.invoke(app, ["check", str(tmp_path / "mask.png")])
    assert bad.exit_code == 1
    assert "not fit" in bad.stdout
    assert "口罩" in bad.stdout
    added = runner.invoke(app, ["add", str(tmp_path / "good.png"), "--name", "前台"])
    assert added.exit_code == 0
    listed = json.loads(runner.invoke(app, ["list", "--json"]).stdout)
    assert {"mei", "jun", "anna", "sam", "前台"} == {row["name"] for row in listed}
    assert not next(row for row in listed if row["name"] == "前台")["shipped"]


def test_every_check_has_a_title_and_advice_in_both_languages():
    assert set(TITLES) == set(ADVICE)
    for text in (*TITLES.values(), *ADVICE.values()):
        assert text["zh"]
        assert text["en"]
        assert text["en"].isascii()


@pytest.mark.parametrize(
    ("value", "good", "warn", "grade"),
    [(5, 10, 18, "good"), (12, 10, 18, "warn"), (19, 10, 18, "bad"), (90, 90, 45, "good"), (44, 90, 45, "bad")],
)
def test_grades_follow_the_order_of_their_limits(value, good, warn, grade):
    assert grade_value(value, good, warn) is Grade(grade)
