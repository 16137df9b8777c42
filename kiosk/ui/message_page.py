"""One large message with at most two answers: the idle warning and the farewell."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from kiosk.ui.buttons import Look, TouchButton
from kiosk.ui.icons import icon_pixmap
from kiosk.ui.labels import label
from kiosk.ui.state import Phase, ScreenState
from kiosk.ui.texts import Texts
from kiosk.ui.theme import PALETTE, Theme


class Countdown(QWidget):
    """The seconds left as a number in a closing ring, or a plain icon when nothing is counted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = Theme(16.0, "")
        self._seconds: int | None = None
        self._share = 1.0

    def apply(self, theme: Theme, seconds: int | None, total: int) -> None:
        """Show `seconds` of `total`, or the waving hand for None."""
        self._theme, self._seconds = theme, seconds
        self._share = 0.0 if seconds is None else min(1.0, max(0.0, seconds / max(1, total)))
        self.setFixedSize(round(theme.base * 6), round(theme.base * 6))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._seconds is None:
            side = round(self.width() * 0.8)
            pixmap = icon_pixmap("wave", PALETTE.accent, side, self.devicePixelRatioF())
            painter.drawPixmap((self.width() - side) // 2, (self.height() - side) // 2, pixmap)
        else:
            line = self._theme.base * 0.45
            ring = QRectF(self.rect()).adjusted(line, line, -line, -line)
            painter.setPen(QPen(QColor(PALETTE.raised), line))
            painter.drawEllipse(ring)
            painter.setPen(QPen(QColor(PALETTE.warning), line, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawArc(ring, 90 * 16, round(self._share * 360 * 16))
            painter.setPen(QColor(PALETTE.text))
            painter.setFont(self._theme.font(self._theme.display, bold=True))
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), str(self._seconds))
        painter.end()


class MessagePage(QWidget):
    """The warning before the conversation is forgotten, and the goodbye. Signals: `continued()`, `ended()`."""

    continued = Signal()
    ended = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.countdown = Countdown()
        self.title = label("display", wrap=True, centered=True)
        self.text = label("other", wrap=True, centered=True)
        self.go_on = TouchButton("check", Look.PRIMARY)
        self.end = TouchButton("close", Look.NORMAL)
        self.go_on.clicked.connect(self.continued)
        self.end.clicked.connect(self.ended)
        self._layout = QVBoxLayout(self)
        self._layout.addStretch(1)
        self._layout.addWidget(self.countdown, 0, Qt.AlignmentFlag.AlignHCenter)
        self._layout.addWidget(self.title)
        self._layout.addWidget(self.text)
        self._buttons = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._buttons.addWidget(self.go_on, 1)
        self._buttons.addWidget(self.end, 1)
        self._layout.addLayout(self._buttons)
        self._layout.addStretch(1)

    def apply(self, theme: Theme, texts: Texts, state: ScreenState) -> None:
        """Show the warning or the farewell."""
        pad = theme.space(2)
        self._layout.setContentsMargins(pad, pad, pad, pad)
        self._layout.setSpacing(theme.space(1.5))
        self._buttons.setSpacing(theme.space())
        warning = state.phase is Phase.IDLE_WARNING
        seconds = max(0, state.idle_seconds_left) if warning else None
        self.countdown.apply(theme, seconds, state.idle_seconds_total)
        self.title.setText(texts.idle_title if warning else texts.farewell_title)
        idle_text = texts.idle_text.format(seconds=max(0, state.idle_seconds_left))
        self.text.setText(idle_text if warning else texts.farewell_text)
        self.go_on.apply(theme, texts.idle_continue)
        self.end.apply(theme, texts.idle_end)
        self.go_on.setVisible(warning)
        self.end.setVisible(warning)
        self._turn_buttons()

    def _turn_buttons(self) -> None:
        """Side by side, or one above the other where both would not fit."""
        margins = self._layout.contentsMargins()
        room = self.width() - margins.left() - margins.right() - self._buttons.spacing()
        fits = 2 * max(self.go_on.sizeHint().width(), self.end.sizeHint().width()) <= room
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._buttons.setDirection(across if fits else down)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        self._turn_buttons()

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(0, 0)
