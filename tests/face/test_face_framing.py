"""Where the portrait stands, for cut-outs and for photos."""

import dataclasses

import numpy as np
import pytest

from kiosk.face.framing import compose_still, frame_portrait
from kiosk.face.portrait import load_portrait, shipped_avatars_dir

SIZES = [(1080, 1920), (1920, 1080), (800, 600), (3840, 2160), (1366, 768), (2160, 3840), (480, 800)]


@pytest.fixture(scope="module")
def cut_out():
    return load_portrait(shipped_avatars_dir() / "jun")


@pytest.fixture(scope="module")
def photo(cut_out):
    """A photo before a wall that gets lighter to the right."""
    alpha = cut_out.image[..., 3:] / 255
    wall = np.broadcast_to(np.linspace(90, 200, 1080)[None, :, None], (1080, 1080, 3))
    return dataclasses.replace(cut_out, image=(cut_out.image[..., :3] * alpha + wall * (1 - alpha)).astype(np.uint8))


@pytest.mark.parametrize("size", SIZES)
def test_a_cut_out_never_floats_and_its_cut_sides_never_show(cut_out, size):
    framing = frame_portrait(cut_out, *size)
    bottom = 1080 * framing.scale + framing.offset[1]
    assert bottom >= size[1] - 1
    left, right = framing.offset[0], 1080 * framing.scale + framing.offset[0]
    cut_row = 916 * framing.scale + framing.offset[1]  # where the sides cut the shoulders
    assert cut_row >= size[1] - 1 or (left <= 0 and right >= size[0])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", ["cut_out", "photo"])
def test_the_screen_is_filled_to_its_margin(request, kind, size):
    portrait, margin = request.getfixturevalue(kind), 20
    scaled = (size[0] // 4, size[1] // 4)
    still = compose_still(portrait, frame_portrait(portrait, *scaled), *scaled, margin)
    assert still.shape == (scaled[1] + 40, scaled[0] + 40, 3)
    assert still.std() > 10
    border = np.concatenate([still[0], still[-1], still[:, 0], still[:, -1]]).astype(int)
    assert border.min() > 5  # no black bars


def test_a_photo_narrower_than_the_screen_melts_into_its_surroundings(photo):
    size = (1600, 500)
    framing = frame_portrait(photo, *size)
    assert framing.offset[0] > 100
    still = compose_still(photo, framing, *size, margin=0).astype(int)
    row, wall = still[20], round(200 * framing.scale)  # left and right of the head there is only wall
    left, right = round(framing.offset[0]), round(framing.offset[0] + 1080 * framing.scale)
    assert np.abs(np.diff(row[: left + wall], axis=0)).max() < 3  # no edge of the photo is seen
    assert np.abs(np.diff(row[right - wall :], axis=0)).max() < 3
    assert row[-1].mean() > row[0].mean() + 40  # each side goes on in its own colour


def test_a_photo_with_the_face_low_still_reaches_the_bottom(photo):
    low = dataclasses.replace(photo, image=photo.image[:620])
    for size in SIZES:
        framing = frame_portrait(low, *size)
        assert 620 * framing.scale + framing.offset[1] >= size[1] - 1


def test_the_backdrop_has_no_bands_and_is_the_same_each_time(cut_out):
    size = (960, 540)
    one, two = (compose_still(cut_out, frame_portrait(cut_out, *size), *size, 0) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    corner = one[:60, :200].astype(int)
    assert len(np.unique(corner[0, :, 0])) > 2  # noise between the steps
    assert np.abs(np.diff(corner, axis=1)).max() <= 2
