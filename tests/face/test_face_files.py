"""Pictures and avatars on disk."""

import shutil
import struct
import zlib

import cv2
import numpy as np
import pytest

from kiosk.errors import AvatarError
from kiosk.face.avatar_import import find_avatar, list_avatars
from kiosk.face.picture_file import read_picture, write_png
from kiosk.face.portrait import avatar_folders, clean_name, load_portrait, own_avatars_dir, shipped_avatars_dir


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("KIOSK_DATA", str(tmp_path / "数据"))


def picture():
    """Red, green / blue, grey quarters, 40 x 60."""
    image = np.full((40, 60, 3), 128, np.uint8)
    image[:20, :30], image[:20, 30:], image[20:, :30] = (200, 0, 0), (0, 200, 0), (0, 0, 200)
    return image


def exif(orientation):
    tag = struct.pack("<HHIHH", 0x0112, 3, 1, orientation, 0)
    return b"II*\x00\x08\x00\x00\x00\x01\x00" + tag + b"\x00\x00\x00\x00"


def stored(upright, orientation, extension):
    """The picture as a camera held otherwise stores it, with its orientation tag."""
    turn = {3: cv2.ROTATE_180, 6: cv2.ROTATE_90_COUNTERCLOCKWISE, 8: cv2.ROTATE_90_CLOCKWISE}
    raw = upright.transpose(1, 0, 2) if orientation == 5 else cv2.rotate(upright, turn[orientation])
    _, data = cv2.imencode(extension, cv2.cvtColor(np.ascontiguousarray(raw), cv2.COLOR_RGB2BGR))
    data, block = data.tobytes(), exif(orientation)
    if extension == ".jpg":
        marker = b"Exif\x00\x00" + block
        return data[:2] + b"\xff\xe1" + struct.pack(">H", len(marker) + 2) + marker + data[2:]
    chunk = b"eXIf" + block
    chunk = struct.pack(">I", len(block)) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return data[:33] + chunk + data[33:]  # behind IHDR


@pytest.mark.parametrize("extension", [".jpg", ".png"])
@pytest.mark.parametrize("orientation", [3, 5, 6, 8])
def test_the_orientation_tag_turns_a_photo_upright(tmp_path, orientation, extension):
    path = tmp_path / f"手机{extension}"
    path.write_bytes(stored(picture(), orientation, extension))
    read = read_picture(path).astype(int)
    assert read.shape == (40, 60, 3)
    assert np.abs(read[5:15, 5:25] - (200, 0, 0)).max() < 40
    assert np.abs(read[25:35, 5:25] - (0, 0, 200)).max() < 40


def test_chinese_paths_with_spaces_and_wide_brackets(tmp_path):
    folder = tmp_path / "用户" / "大堂 屏幕"
    folder.mkdir(parents=True)
    path = folder / "头像（新）.png"
    write_png(path, picture())
    np.testing.assert_array_equal(read_picture(path), picture())


def test_alpha_is_kept_on_request(tmp_path):
    rgba = np.dstack([picture(), np.full((40, 60), 77, np.uint8)])
    write_png(tmp_path / "a.png", rgba)
    np.testing.assert_array_equal(read_picture(tmp_path / "a.png", with_alpha=True), rgba)
    assert read_picture(tmp_path / "a.png").shape == (40, 60, 3)


@pytest.mark.parametrize("content", [b"", b"hello", b"\x89PNG\r\n\x1a\n" + b"\x00" * 40, b"\xff\xd8\xff\xe0 cut"])
def test_what_is_no_picture_is_refused_in_one_line(tmp_path, content):
    path = tmp_path / "note.jpg"
    path.write_bytes(content)
    with pytest.raises(AvatarError, match="no picture or is damaged") as caught:
        read_picture(path)
    assert "\n" not in caught.value.message


def test_an_absent_picture_and_a_folder_are_refused(tmp_path):
    with pytest.raises(AvatarError, match="no such file"):
        read_picture(tmp_path / "gone.png")
    with pytest.raises(AvatarError, match="check the path"):
        read_picture(tmp_path)


@pytest.mark.parametrize(
    ("typed", "name"),
    [("anna", "anna"), (" 小 美 ", "小-美"), ("../../etc", "etc"), ("a/b\\c:d", "a-b-c-d"), ("x" * 99, "x" * 40)],
)
def test_names_become_folder_names(typed, name):
    assert clean_name(typed) == name


@pytest.mark.parametrize("typed", ["", "  ", "..", "///", "CON", "nul", "\x00"])
def test_names_that_cannot_be_are_refused(typed):
    with pytest.raises(AvatarError, match="cannot name an avatar"):
        clean_name(typed)


def test_the_four_shipped_avatars_are_complete():
    assert {"mei", "jun", "anna", "sam"} <= set(avatar_folders())
    for name in ("mei", "jun", "anna", "sam"):
        portrait = find_avatar(name)
        assert portrait.is_cut_out
        assert portrait.licence == "CC0-1.0"
        assert set(portrait.voices) == {"zh", "en"}
        assert 150 < portrait.pupil_distance < 220
        assert portrait.landmarks.shape == (478, 2)


def test_an_own_avatar_hides_a_shipped_one_and_damaged_ones_are_not_listed():
    own = own_avatars_dir()
    shutil.copytree(shipped_avatars_dir() / "sam", own / "mei")
    broken = own / "broken"
    broken.mkdir()
    (broken / "avatar.toml").write_bytes(b"\xff\xfe not toml")
    listed = {a.name: a for a in list_avatars()}
    assert not listed["mei"].is_shipped
    assert listed["jun"].is_shipped
    assert "broken" not in listed
    assert find_avatar("mei").titles["en"] == "Sam"


@pytest.mark.parametrize("damage", ["landmarks.npz", "portrait.png", "avatar.toml"])
@pytest.mark.parametrize("how", ["cut", "gone", "rubbish"])
def test_a_damaged_avatar_says_so(tmp_path, damage, how):
    folder = tmp_path / "mei"
    shutil.copytree(shipped_avatars_dir() / "mei", folder)
    path = folder / damage
    if how == "gone":
        path.unlink()
    elif how == "rubbish":
        path.write_bytes(b"\x00\xff" * 500)
    else:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])
        if damage == "avatar.toml":
            path.write_text('title_zh = "half', encoding="utf-8")
    with pytest.raises(AvatarError, match=damage.replace(".", r"\.")):
        load_portrait(folder)


def test_an_unknown_avatar_names_the_known_ones():
    with pytest.raises(AvatarError, match=r"nobody: no such avatar or photo; known avatars: anna, jun, mei, sam"):
        find_avatar("nobody")
