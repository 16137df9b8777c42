"""The kiosk's own SVG icons (resources/icons), tinted and rendered at the size asked for."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from kiosk.paths import RESOURCES

ICONS = RESOURCES / "icons"


@lru_cache(maxsize=256)
def icon_pixmap(name: str, color: str, size: int, ratio: float) -> QPixmap:
    """One icon as a picture.

    Args:
        name: File name in resources/icons without its ending.
        color: Colour that stands for the drawing's `currentColor`.
        size: Side in logical pixels.
        ratio: Device pixels per logical pixel.
    """
    source = (ICONS / f"{name}.svg").read_text(encoding="utf-8").replace("currentColor", color)
    renderer = QSvgRenderer(QByteArray(source.encode()))
    side = max(1, round(size * ratio))
    pixmap = QPixmap(side, side)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, side, side))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap
