"""The visible mark on every exported picture that says it was made by AI.

Marking rules for synthetic media (in force in China since 2025-09-01) ask for letters of at least 5 % of the
picture's shorter side.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from kiosk.errors import RenderError
from kiosk.face.picture_file import read_picture
from kiosk.paths import RESOURCES

BADGE_FILE = RESOURCES / "icons" / "ai_badge.png"
LETTER_SHARE = 0.05  # letters over the picture's shorter side
_LETTER_OF_BADGE = 100 / 216  # height of the Chinese letters over that of the badge
_DISTANCE = 0.025  # from the corner, over the shorter side


class AiBadge:
    """The mark, ready for pictures of one size."""

    def __init__(self, width: int, height: int, path: Path = BADGE_FILE) -> None:
        """Scale the mark.

        Args:
            width: Pixels of the pictures.
            height: Pixels of the pictures.
            path: The mark as RGBA.

        Raises:
            RenderError: The mark is absent: pictures without it are not made.
        """
        if not path.is_file():
            raise RenderError("no-badge", f"{path}: is absent; install the program again")
        mark = read_picture(path, with_alpha=True)
        short = min(width, height)
        rows = max(8, round(short * LETTER_SHARE / _LETTER_OF_BADGE))
        columns = max(8, round(rows * mark.shape[1] / mark.shape[0]))
        small = cv2.resize(mark, (columns, rows), interpolation=cv2.INTER_AREA).astype(np.float32)
        self._at = max(1, round(short * _DISTANCE))
        alpha = small[..., 3:] / 255
        self._colour, self._behind = small[..., :3] * alpha, 1 - alpha

    def put_on(self, picture: NDArray[np.uint8]) -> None:
        """Draw the mark into the upper left corner of an RGB picture, in place."""
        corner = picture[self._at : self._at + len(self._colour), self._at : self._at + self._colour.shape[1]]
        rows, columns = corner.shape[:2]
        mixed = corner * self._behind[:rows, :columns] + self._colour[:rows, :columns]
        corner[:] = (mixed + 0.5).astype(np.uint8)
