"""The line above the conversation that says what is wrong, such as a missing microphone."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from kiosk.ui.icons import icon_pixmap
from kiosk.ui.state import Notice, Severity
from kiosk.ui.theme import PALETTE, Theme

_LOOK = {
    Severity.INFO: ("info", PALETTE.thinking),
    Severity.WARNING: ("warning", PALETTE.warning),
    Severity.ERROR: ("error", PALETTE.danger),
}


class NoticeBar(QWidget):
    """Icon and wrapped text on the colour of the severity; hidden without a notice."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = Theme(16.0, "")
        self._notice: Notice | None = None
        self.setVisible(False)

    def apply(self, theme: Theme, notice: Notice | None) -> None:
        """Show the notice, or nothing."""
        self._theme = theme
        self._notice = notice
        self.setFont(theme.font(theme.body, bold=True))
        self.setAccessibleName(notice.text if notice else "")
        self.setVisible(notice is not None)
        self.update()

    def _text_rect(self, width: int, height: int) -> QRect:
        left = self._theme.space(2) + round(self._theme.base * 1.5) + self._theme.space()
        return QRect(
            left, self._theme.space(0.75), width - left - self._theme.space(2), height - self._theme.space(1.5)
        )

    def hasHeightForWidth(self) -> bool:  # noqa: D102
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: D102
        if self._notice is None:
            return 0
        room = self._text_rect(width, 10_000)
        needed = QFontMetrics(self.font()).boundingRect(room, int(Qt.TextFlag.TextWordWrap), self._notice.text)
        return max(round(self._theme.base * 2.4), needed.height() + self._theme.space(1.5))

    def sizeHint(self) -> QSize:  # noqa: D102
        return QSize(400, self.heightForWidth(400))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        if self._notice is None:
            return
        icon, color = _LOOK[self._notice.severity]
        painter = QPainter(self)
        painter.fillRect(QRectF(self.rect()), QColor(color))
        side = round(self._theme.base * 1.5)
        top = (self.height() - side) // 2
        pixmap = icon_pixmap(icon, PALETTE.on_status, side, self.devicePixelRatioF())
        painter.drawPixmap(self._theme.space(2), top, pixmap)
        painter.setPen(QColor(PALETTE.on_status))
        painter.setFont(self.font())
        flags = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(self._text_rect(self.width(), self.height()), flags, self._notice.text)
        painter.end()
