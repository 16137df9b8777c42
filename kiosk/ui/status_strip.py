"""The strip under the face that says, in one glance, what the kiosk is doing."""

from __future__ import annotations

import math

from PySide6.QtCore import QRect, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from kiosk.ui.icons import icon_pixmap
from kiosk.ui.labels import fitting_font
from kiosk.ui.state import Phase, ScreenState
from kiosk.ui.texts import Texts
from kiosk.ui.theme import PALETTE, Theme

_ANIMATION_MS = 80
"""12.5 steps/s: enough for level bars, and a small region to repaint."""
_BARS = 7
_FALL = 0.75
"""Share of the shown level that stays per step when it gets quieter."""

_MOVING = (Phase.LISTENING, Phase.THINKING)
_LOOK = {
    Phase.LOADING: ("running", PALETTE.raised, PALETTE.text),
    Phase.ATTRACT: ("touch", PALETTE.raised, PALETTE.text),
    Phase.GREETING: ("wave", PALETTE.speaking, PALETTE.on_status),
    Phase.LISTENING: ("mic", PALETTE.listening, PALETTE.on_status),
    Phase.THINKING: ("think", PALETTE.thinking, PALETTE.on_status),
    Phase.SPEAKING: ("speak", PALETTE.speaking, PALETTE.on_status),
    Phase.IDLE_WARNING: ("question", PALETTE.warning, PALETTE.on_status),
    Phase.FAREWELL: ("wave", PALETTE.raised, PALETTE.text),
    Phase.ERROR: ("error", PALETTE.danger, PALETTE.on_status),
}


class StatusStrip(QWidget):
    """Icon, words and a small motion in the colour of the phase.

    The motion runs only while listening or thinking; in every other phase its timer is stopped.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = Theme(16.0, "")
        self._phase = Phase.LOADING
        self._text = ""
        self._target = 0.0
        self._level = 0.0
        self._step = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_ANIMATION_MS)
        self._timer.timeout.connect(self._on_animate)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def apply(self, theme: Theme, texts: Texts, state: ScreenState) -> None:
        """Show the phase of the state, and at once when words arrive or somebody speaks over an answer."""
        words = {
            Phase.LOADING: texts.status_loading,
            Phase.ATTRACT: texts.status_attract,
            Phase.GREETING: texts.status_greeting,
            Phase.LISTENING: texts.status_push_to_talk if state.push_to_talk else texts.status_listening,
            Phase.THINKING: texts.status_thinking,
            Phase.SPEAKING: texts.status_speaking,
            Phase.IDLE_WARNING: texts.status_idle_warning,
            Phase.FAREWELL: texts.status_farewell,
            Phase.ERROR: texts.status_error,
        }
        self._target = min(1.0, max(0.0, state.hearing_level))
        phase = Phase.LISTENING if state.is_held else state.phase
        text = words[phase]
        if phase is Phase.LISTENING and state.is_acknowledged:
            phase, text = Phase.THINKING, texts.status_heard
        if (theme, text, phase) == (self._theme, self._text, self._phase):
            return
        self._theme, self._text, self._phase = theme, text, phase
        self.setAccessibleName(text)
        self._start_or_stop()
        self.update()

    def _start_or_stop(self) -> None:
        if self._phase in _MOVING and self.isVisible():
            self._timer.start()
        else:
            self._timer.stop()
            self._level = 0.0

    @property
    def text(self) -> str:
        """The words shown now."""
        return self._text

    @property
    def is_animated(self) -> bool:
        """Whether the small motion runs."""
        return self._timer.isActive()

    def _motion_rect(self) -> QRect:
        width = round(self._theme.base * 5)
        return QRect(self.width() - width - self._theme.space(2), 0, width, self.height())

    @Slot()
    def _on_animate(self) -> None:
        self._step += 1
        self._level = max(self._target, self._level * _FALL)
        self.update(self._motion_rect())

    def showEvent(self, event: QShowEvent) -> None:  # noqa: D102
        self._start_or_stop()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: D102
        self._start_or_stop()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        icon, ground, ink = _LOOK[self._phase]
        theme = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(ground))
        side = round(theme.base * 1.8)
        left = theme.space(2)
        pixmap = icon_pixmap(icon, ink, side, self.devicePixelRatioF())
        painter.drawPixmap(left, (self.height() - side) // 2, pixmap)
        painter.setPen(QColor(ink))
        text_left = left + side + theme.space()
        right = self._motion_rect().left() if self._phase in _MOVING else self.width()
        room = QRect(text_left, 0, right - text_left - theme.space(), self.height())
        painter.setFont(fitting_font(theme, self._text, theme.caption, room.width()))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), self._text)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(ink))
        if self._phase is Phase.LISTENING:
            self._paint_bars(painter)
        elif self._phase is Phase.THINKING:
            self._paint_dots(painter)
        painter.end()

    def _paint_bars(self, painter: QPainter) -> None:
        area = self._motion_rect()
        pitch = area.width() / _BARS
        for bar in range(_BARS):
            shape = math.sin(math.pi * (bar + 1) / (_BARS + 1))
            wobble = 0.75 + 0.25 * math.sin(self._step * 0.9 + bar * 2.1)
            height = self.height() * (0.12 + 0.56 * self._level * shape * wobble)
            x = area.left() + bar * pitch
            y = (self.height() - height) / 2
            painter.drawRoundedRect(QRectF(x, y, pitch * 0.55, height), pitch * 0.27, pitch * 0.27)

    def _paint_dots(self, painter: QPainter) -> None:
        area = self._motion_rect()
        pitch = area.width() / 3
        for dot in range(3):
            size = pitch * (0.5 if (self._step // 4) % 3 == dot else 0.28)
            x = area.left() + (dot + 0.5) * pitch
            painter.drawEllipse(QRectF(x - size / 2, (self.height() - size) / 2, size, size))
