"""Pictures from files: any path, upright, in RGB order."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from kiosk.errors import AvatarError

MAX_PIXELS = 200_000_000  # a 12,000 x 9,000 picture has 108 million; decoding needs 3 bytes for each


def read_picture(path: Path, with_alpha: bool = False) -> NDArray[np.uint8]:
    """Decode a picture, turned upright by its orientation tag.

    Reads the bytes first: OpenCV's own file reader does not take Chinese paths on Windows.

    Args:
        path: JPEG, PNG, WebP, BMP or TIFF.
        with_alpha: Keep an alpha channel where there is one.

    Returns:
        RGB (H, W, 3), or RGBA (H, W, 4) straight alpha.

    Raises:
        AvatarError: There is no such file, or it is no picture.
    """
    try:
        data = np.fromfile(path, np.uint8)
    except FileNotFoundError as error:
        raise AvatarError("no-picture", f"{path}: there is no such file; check the path") from error
    except OSError as error:
        raise AvatarError("no-picture", f"{path}: cannot be read ({error.strerror}); check the path") from error
    image = _decode(data, with_alpha)
    if image is None:
        raise AvatarError("no-picture", f"{path}: is no picture or is damaged; use a JPEG or PNG photo")
    if image.ndim == 3 and image.shape[2] == 4:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGRA2RGBA), np.uint8)
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB), np.uint8)


def write_png(path: Path, image: NDArray[np.uint8]) -> None:
    """Write an RGB or RGBA picture as PNG, to any path.

    Raises:
        OSError: The disk is full or may not be written.
    """
    code = cv2.COLOR_RGBA2BGRA if image.shape[2] == 4 else cv2.COLOR_RGB2BGR
    _, data = cv2.imencode(".png", cv2.cvtColor(image, code))
    path.write_bytes(data.tobytes())


def _decode(data: NDArray[np.uint8], with_alpha: bool) -> NDArray[np.uint8] | None:
    if not len(data):
        return None
    try:
        if with_alpha:
            raw = cv2.imdecode(data, cv2.IMREAD_UNCHANGED)  # ignores the orientation tag: only for our own files
            if raw is not None and raw.ndim == 3 and raw.shape[2] == 4 and raw.dtype == np.uint8:
                return np.asarray(raw)
        decoded = cv2.imdecode(data, cv2.IMREAD_COLOR)
    except cv2.error:  # more pixels than OpenCV takes, or a header that promises them
        return None
    if decoded is None or decoded.shape[0] * decoded.shape[1] > MAX_PIXELS:
        return None
    return np.asarray(decoded)
