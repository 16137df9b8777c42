"""Name of the place at the head of the screen."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from kiosk.ui.icons import icon_pixmap
from kiosk.ui.labels import fitting_font
from kiosk.ui.state import ScreenState
from kiosk.ui.texts import Texts
from kiosk.ui.theme import PALETTE, Theme


class TitleBar(QWidget):
    """A mark and the title; a title that is too long for the bar is set smaller."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = Theme(16.0, "")
        self._title = ""

    @property
    def title(self) -> str:
        """The title shown."""
        return self._title

    def apply(self, theme: Theme, texts: Texts, state: ScreenState) -> None:
        """Show the title of the state, or the product's own."""
        self._theme = theme
        self._title = state.title or texts.default_title
        self.setAccessibleName(self._title)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        theme = self._theme
        painter = QPainter(self)
        painter.fillRect(QRectF(self.rect()), QColor(PALETTE.surface))
        side, left = round(theme.base * 1.4), theme.space(2)
        mark = icon_pixmap("speak", PALETTE.accent, side, self.devicePixelRatioF())
        painter.drawPixmap(left, (self.height() - side) // 2, mark)
        left += side + theme.space()
        room = QRect(left, 0, self.width() - left - theme.space(), self.height())
        painter.setPen(QColor(PALETTE.text))
        painter.setFont(fitting_font(theme, self._title, theme.button, room.width()))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), self._title)
        painter.end()

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(0, 0)
