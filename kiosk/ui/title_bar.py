"""Name of the place at the head of the screen."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from kiosk.ui.icons import icon_pixmap
from kiosk.ui.labels import label
from kiosk.ui.state import ScreenState
from kiosk.ui.texts import Texts
from kiosk.ui.theme import PALETTE, Theme


class TitleBar(QFrame):
    """A mark and the title."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self._mark = label("muted")
        self.title = label("brand")
        self._layout = QHBoxLayout(self)
        self._layout.addWidget(self._mark)
        self._layout.addWidget(self.title, 1)

    def apply(self, theme: Theme, texts: Texts, state: ScreenState) -> None:
        """Show the title of the state, or the product's own."""
        self._layout.setContentsMargins(theme.space(2), 0, theme.space(2), 0)
        self._layout.setSpacing(theme.space())
        side = round(theme.base * 1.4)
        self._mark.setPixmap(icon_pixmap("speak", PALETTE.accent, side, self.devicePixelRatioF()))
        self.title.setText(state.title or texts.default_title)

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(0, 0)
