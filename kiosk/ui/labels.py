"""Small helpers for labels: their role in the style sheet, and a strip of icon and text for notices."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget


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
