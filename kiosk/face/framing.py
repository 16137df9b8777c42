"""Where the portrait stands on the screen, and the still picture behind the moving face.

Any shape of screen is filled: the face is large, the eyes lie at two fifths of the height, the bust never floats and
its cut edges never show. A cut-out stands before a soft backdrop; a photo that does not fill the screen melts into a
blurred copy of itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kiosk.face import topology as top
from kiosk.face.portrait import Portrait
from models.types import FloatArray

EYE_HEIGHT = 0.40  # of the screen's height from above
_PHOTO_PUPILS = (0.175, 0.30)  # pupil distance of a photo over the screen's shorter side: usual, and largest
_CUT_OUT_ALPHA = 20  # of 255: from here on a pixel belongs to the figure
_SMALL_SIDE = 96  # px: size at which the blurred surroundings of a photo are made
_FEATHER = 0.08  # of the photo's shorter side: how far its edge melts into the surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class Framing:
    """Portrait pixels to screen pixels: screen = portrait * scale + offset."""

    scale: float
    """Screen pixels per portrait pixel."""
    offset: tuple[float, float]
    """Screen pixels, right and down."""


def frame_portrait(portrait: Portrait, width: int, height: int, eye_height: float = EYE_HEIGHT) -> Framing:
    """Place the portrait on a screen of `width` x `height` pixels.

    Args:
        portrait: The face.
        width: Pixels.
        height: Pixels.
        eye_height: Where the eyes go, in parts of the height from above.
    """
    rows, columns = portrait.image.shape[:2]
    eye_x, eye_y = portrait.landmarks[[top.RIGHT_PUPIL, top.LEFT_PUPIL]].mean(0)
    below = (1 - eye_height) * height
    standing = below / max(rows - eye_y, 1)  # at this scale the picture's lower edge meets the screen's
    if portrait.is_cut_out:
        cut = _first_cut_row(portrait.image)
        filling = width / max(2 * min(eye_x, columns - eye_x), 1)  # both sides reach the screen's sides
        uncut = below / max(cut - eye_y, 1)  # the screen ends above the rows where the sides cut the shoulders
        scale = max(standing, min(uncut, filling))
    else:
        usual, largest = (share * min(width, height) / portrait.pupil_distance for share in _PHOTO_PUPILS)
        scale = min(max(standing, usual), largest)
    return Framing(
        scale=float(scale), offset=_offset(portrait, scale, width, height, float(eye_x), float(eye_y), eye_height)
    )


def _offset(
    portrait: Portrait, scale: float, width: int, height: int, eye_x: float, eye_y: float, eye_height: float
) -> tuple[float, float]:
    rows, columns = portrait.image.shape[:2]
    x, y = width / 2 - eye_x * scale, eye_height * height - eye_y * scale
    y = max(y, height - rows * scale)  # never a gap below
    if not portrait.is_cut_out:
        if columns * scale >= width:  # a photo wide enough leaves no gap at the sides
            x = min(0.0, max(x, width - columns * scale))
        if rows * scale >= height:
            y = min(0.0, y)
    return float(x), float(y)


def _first_cut_row(image: NDArray[np.uint8]) -> int:
    sides = image[:, [0, -1], 3].max(1) > _CUT_OUT_ALPHA
    rows = np.flatnonzero(sides)
    return int(rows[0]) if len(rows) else len(image)


def compose_still(portrait: Portrait, framing: Framing, width: int, height: int, margin: int) -> NDArray[np.uint8]:
    """The screen at rest with a margin round it, from which moving parts near the edge are fetched.

    Returns:
        RGB, shape (height + 2 margin, width + 2 margin, 3).
    """
    size = width + 2 * margin, height + 2 * margin
    offset = np.array(framing.offset) + margin
    if portrait.is_cut_out:
        behind = _backdrop(portrait, framing, size, offset)
        return _over(behind, _placed_cut_out(portrait.image, framing.scale, offset, size))
    return _photo_on_surroundings(portrait.image, framing.scale, offset, size, margin)


def _scaled(image: NDArray[np.uint8], scale: float) -> tuple[NDArray[np.uint8], float]:
    """Reduce by area averaging where the picture gets smaller; returns the picture and the scale that is left."""
    if scale >= 1:
        return image, scale
    rows, columns = image.shape[:2]
    size = max(1, round(columns * scale)), max(1, round(rows * scale))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8), scale * columns / size[0]


def _warp(
    image: NDArray[np.uint8], scale: float, offset: FloatArray, size: tuple[int, int], border: int
) -> NDArray[np.uint8]:
    """Place a picture on a canvas of `size`; pixel centres lie at halves on both sides."""
    small, left = _scaled(image, scale)
    shift = offset + left / 2 - 0.5
    matrix = np.array([[left, 0, shift[0]], [0, left, shift[1]]])
    method = cv2.INTER_LINEAR if left < 1.05 else cv2.INTER_CUBIC
    return np.asarray(cv2.warpAffine(small, matrix, size, flags=method, borderMode=border), np.uint8)


def _placed_cut_out(
    image: NDArray[np.uint8], scale: float, offset: FloatArray, size: tuple[int, int]
) -> NDArray[np.uint8]:
    """The cut-out on a clear canvas, colours multiplied by alpha (else dark rims appear where pixels are mixed)."""
    alpha = image[..., 3:].astype(np.uint16)
    premultiplied = np.concatenate([(image[..., :3] * alpha + 127) // 255, alpha], 2).astype(np.uint8)
    rows = image.shape[0]
    placed = _warp(premultiplied, scale, offset, size, cv2.BORDER_CONSTANT)
    below = int(offset[1] + rows * scale) - 1  # the margin under the bust repeats its last row
    if 0 < below < size[1]:
        placed[below:] = placed[below - 1]
    return placed


def _over(behind: FloatArray, front: NDArray[np.uint8]) -> NDArray[np.uint8]:
    mixed = front[..., :3].astype(np.float32) + behind * (1 - front[..., 3:].astype(np.float32) / 255)
    return np.asarray(np.clip(mixed + 0.5, 0, 255), np.uint8)


def _backdrop(portrait: Portrait, framing: Framing, size: tuple[int, int], offset: FloatArray) -> FloatArray:
    """A wall with a soft light behind the head, float32 RGB; noise of half a step hides the bands of 8 bits."""
    width, height = size
    centre = portrait.landmarks[top.NOSE_TIP] * framing.scale + offset
    radius = 0.75 * np.hypot(width, height)
    y, x = np.ogrid[:height, :width]
    far = np.clip(np.sqrt(((x - centre[0]) / radius) ** 2 + ((y - centre[1]) / radius) ** 2), 0, 1).astype(np.float32)
    far = far * far * (3 - 2 * far)
    near_colour, far_colour = (np.array(c, np.float32) for c in portrait.backdrop)
    noise = np.random.default_rng(0).random((height, width, 1), np.float32) - 0.5
    return np.asarray(near_colour + (far_colour - near_colour) * far[..., None] + noise, np.float32)


def _photo_on_surroundings(
    image: NDArray[np.uint8], scale: float, offset: FloatArray, size: tuple[int, int], margin: int
) -> NDArray[np.uint8]:
    placed = _warp(image, scale, offset, size, cv2.BORDER_REPLICATE)
    rows, columns = image.shape[:2]
    low, high = offset, offset + np.array([columns, rows]) * scale
    low = np.where(low <= margin + 1, -np.inf, low)  # edges beyond the screen's end are not melted
    high = np.where(high >= np.array(size) - margin - 1, np.inf, high)
    if np.isinf(low).all() and np.isinf(high).all():
        return placed
    tiny_scale = _SMALL_SIDE / max(size)
    tiny = cv2.resize(placed, None, fx=tiny_scale, fy=tiny_scale, interpolation=cv2.INTER_AREA)
    blurred = cv2.GaussianBlur(tiny, (0, 0), 5, borderType=cv2.BORDER_REPLICATE)
    around = cv2.resize(blurred, size, interpolation=cv2.INTER_CUBIC).astype(np.float32)
    feather = max(1.0, _FEATHER * min(rows, columns) * scale)
    share = _edge(size[1], low[1], high[1], feather)[:, None] * _edge(size[0], low[0], high[0], feather)[None]
    share = share[..., None]
    return np.asarray(np.clip(around + (placed - around) * share + 0.5, 0, 255), np.uint8)


def _edge(length: int, low: float, high: float, feather: float) -> FloatArray:
    """1 inside the photo, falling to 0 at those of its edges that lie on the screen."""
    at = np.arange(length, dtype=np.float32) + 0.5
    inside = np.ones(length, np.float32)
    if low > 0:
        inside = np.minimum(inside, np.clip((at - low) / feather, 0, 1))
    if high < length:
        inside = np.minimum(inside, np.clip((high - at) / feather, 0, 1))
    return inside * inside * (3 - 2 * inside)
