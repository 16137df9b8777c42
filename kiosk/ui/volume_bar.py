"""The row that sets the loudness: mute, quieter, ten steps to touch, louder, done."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from kiosk.ui.buttons import Look, TouchButton
from kiosk.ui.texts import Texts
from kiosk.ui.theme import PALETTE, Theme

STEPS = 10


class LevelSteps(QWidget):
    """Ten rising bars; touching one chooses it. Signals: `level_chosen(int)` 1..10."""

    level_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._level = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_level(self, level: int) -> None:
        """Show `level` of ten."""
        if level != self._level:
            self._level = level
            self.update()

    def _choose(self, x: float) -> None:
        level = min(STEPS, max(1, int(x * STEPS / max(1, self.width())) + 1))
        if level != self._level:
            self.level_chosen.emit(level)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: D102
        self._choose(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: D102
        self._choose(event.position().x())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        pitch = self.width() / STEPS
        for step in range(STEPS):
            height = self.height() * (0.3 + 0.5 * (step + 1) / STEPS)
            painter.setBrush(QColor(PALETTE.accent if step < self._level else PALETTE.line))
            bar = QRectF(step * pitch + pitch * 0.15, (self.height() - height) / 2, pitch * 0.7, height)
            painter.drawRoundedRect(bar, pitch * 0.12, pitch * 0.12)
        painter.end()

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(80, 20)


class VolumeBar(QWidget):
    """Sets the loudness. Signals: `volume_changed(float)` 0..1, `finished()`."""

    volume_changed = Signal(float)
    finished = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._level = 0
        self.mute = TouchButton("mute", Look.QUIET, stacked=True)
        self.down = TouchButton("minus", Look.QUIET, stacked=True)
        self.steps = LevelSteps()
        self.up = TouchButton("plus", Look.QUIET, stacked=True)
        self.done = TouchButton("check", Look.QUIET, stacked=True)
        self._layout = QHBoxLayout(self)
        for widget, stretch in ((self.mute, 2), (self.down, 2), (self.steps, 6), (self.up, 2), (self.done, 2)):
            self._layout.addWidget(widget, stretch)
        for button in self.buttons:
            button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.mute.clicked.connect(self._on_mute)
        self.down.clicked.connect(self._on_down)
        self.up.clicked.connect(self._on_up)
        self.steps.level_chosen.connect(self._on_level_chosen)
        self.done.clicked.connect(self.finished)

    @property
    def buttons(self) -> list[TouchButton]:
        """The buttons, from the left."""
        return [self.mute, self.down, self.up, self.done]

    def apply(self, theme: Theme, texts: Texts, volume: float) -> None:
        """Show the volume."""
        gap = theme.space()
        self._layout.setContentsMargins(gap, gap, gap, gap)
        self._layout.setSpacing(gap)
        self.mute.apply(theme, texts.volume_mute)
        self.down.apply(theme, texts.volume_down)
        self.up.apply(theme, texts.volume_up)
        self.done.apply(theme, texts.done)
        self._level = round(volume * STEPS)
        self.steps.set_level(self._level)
        self.down.setEnabled(self._level > 0)
        self.up.setEnabled(self._level < STEPS)

    @Slot()
    def _on_mute(self) -> None:
        self.volume_changed.emit(0.0)

    @Slot()
    def _on_down(self) -> None:
        self.volume_changed.emit(max(0, self._level - 1) / STEPS)

    @Slot()
    def _on_up(self) -> None:
        self.volume_changed.emit(min(STEPS, self._level + 1) / STEPS)

    @Slot(int)
    def _on_level_chosen(self, level: int) -> None:
        self.volume_changed.emit(level / STEPS)
