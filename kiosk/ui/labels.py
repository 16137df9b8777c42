"""Small helpers for text: labels by their role in the style sheet, and one line that must fit its place."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QLabel, QWidget

from kiosk.ui.theme import Theme


def label(role: str, *, wrap: bool = False, centered: bool = False, parent: QWidget | None = None) -> QLabel:
    """An empty label of a role that `theme.style_sheet` knows.

    Text is always plain: what a visitor typed or a model said must never act as markup.
    """
    made = QLabel(parent)
    made.setProperty("role", role)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setWordWrap(wrap)
    if centered:
        made.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return made


def fitting_font(theme: Theme, text: str, size: int, width: int) -> QFont:
    """A bold font of at most `size` px, smaller where one line of the text would not fit into `width` px."""
    font = theme.font(size, bold=True)
    needed = QFontMetrics(font).horizontalAdvance(text)
    if needed > width > 0:
        font.setPixelSize(max(theme.small * 3 // 4, size * width // needed))
    return font
