"""The operator page: how the kiosk is doing, over the whole window, for staff. GUI thread only.

Visitors do not come upon it: it opens with F12, or with a finger held for three seconds in the top left corner.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QObject, QPointF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QMouseEvent, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QScrollArea,
    QScroller,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from kiosk.operator_facts import OperatorFacts
from kiosk.ui.buttons import Look, TouchButton
from kiosk.ui.labels import label
from kiosk.ui.operator_rows import Row, error_rows, figure_rows, sound_rows, stage_rows, turn_rows
from kiosk.ui.operator_texts import OperatorTexts, load_operator_texts
from kiosk.ui.theme import Theme, make_theme, style_sheet
from models.types import Language

HOLD_MS = 3000
"""How long a finger rests in the corner."""
CORNER = 5.0
"""Side of the corner in bases: about two touch targets."""
TWO_COLUMNS = 64.0
"""Bases of width from which two cards fit side by side."""
FORGOTTEN_AFTER_MS = 180_000
"""Staff who walk away leave a kiosk that visitors can use."""


class CornerHold(QObject):
    """A finger that rests in the top left corner. Signals: `held()` once it has rested long enough."""

    held = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._side = 0.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(HOLD_MS)
        self._timer.timeout.connect(self.held)

    def set_side(self, side: float) -> None:
        """Take the side of the corner, in px."""
        self._side = side

    def press(self, position: QPointF) -> None:
        """A finger touched the window there."""
        if self._is_inside(position):
            self._timer.start()

    def move(self, position: QPointF) -> None:
        """It moved there; outside the corner it does not count any more."""
        if not self._is_inside(position):
            self._timer.stop()

    def release(self) -> None:
        """It was lifted."""
        self._timer.stop()

    def _is_inside(self, position: QPointF) -> bool:
        return max(position.x(), position.y()) <= self._side


class FactCard(QFrame):
    """A heading and a small table of text; its last column takes the room that is left and wraps."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._heading = label("label")
        self._cells: list[list[QLabel]] = []
        self._grid = QGridLayout()
        self._box = QVBoxLayout(self)
        self._box.addWidget(self._heading)
        self._box.addLayout(self._grid)

    @property
    def rows(self) -> list[Row]:
        """What the table shows."""
        return [tuple(cell.text() for cell in row) for row in self._cells]

    def add(self, widget: QWidget) -> None:
        """Put something under the table."""
        self._box.addWidget(widget)

    def apply(self, theme: Theme, heading: str, rows: Sequence[Row]) -> None:
        """Show the rows."""
        pad = theme.space(1.5)
        self._box.setContentsMargins(pad, theme.space(), pad, pad)
        self._box.setSpacing(theme.space(0.6))
        self._grid.setHorizontalSpacing(theme.space(1.6))
        self._grid.setVerticalSpacing(theme.space(0.5))
        self._heading.setText(heading)
        if [len(row) for row in rows] != [len(row) for row in self._cells]:
            self._rebuild(rows)
        for cells, row in zip(self._cells, rows, strict=True):
            for cell, text in zip(cells, row, strict=True):
                cell.setText(text)

    def _rebuild(self, rows: Sequence[Row]) -> None:
        for cell in [cell for row in self._cells for cell in row]:
            self._grid.removeWidget(cell)
            cell.hide()
            cell.deleteLater()
        last = max((len(row) for row in rows), default=0) - 1
        self._cells = [
            [label("plain" if column else "muted", wrap=column == last) for column in range(len(row))] for row in rows
        ]
        for y, cells in enumerate(self._cells):
            for x, cell in enumerate(cells):
                self._grid.addWidget(cell, y, x, Qt.AlignmentFlag.AlignTop)
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, int(column == last))


class OperatorPage(QWidget):
    """Shows one `OperatorFacts`. Signals: `opened()`, so that facts come at once.

    Its parent passes on the mouse to `corner`. It does not know where facts come from.
    """

    opened = Signal()

    def __init__(self, parent: QWidget) -> None:
        """Build it hidden.

        Raises:
            ConfigError: Its texts are missing or damaged.
        """
        super().__init__(parent)
        self._around = parent
        self.setObjectName("window")  # the ground of the window, by its style sheet
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        if QGuiApplication.platformName() == "xcb":  # the face has an X window of its own, which would lie above
            self.setAttribute(Qt.WidgetAttribute.WA_DontCreateNativeAncestors)
            self.setAttribute(Qt.WidgetAttribute.WA_NativeWindow)
        self._theme = Theme(16.0, "")
        self._language: Language = "zh"
        self._facts: OperatorFacts | None = None
        self.corner = CornerHold(self)
        self.corner.held.connect(self.toggle)
        QShortcut(QKeySequence(Qt.Key.Key_F12), parent).activated.connect(self.toggle)
        self._forgotten = QTimer(self)
        self._forgotten.setSingleShot(True)
        self._forgotten.setInterval(FORGOTTEN_AFTER_MS)
        self._forgotten.timeout.connect(self.hide)
        self.title = label("title", wrap=True)
        self.uptime = label("muted", wrap=True)
        self.close_button = TouchButton("close", Look.NORMAL)
        self.close_button.clicked.connect(self.hide)
        self.stages, self.sound, self.turns = FactCard(), FactCard(), FactCard()
        self.figures, self.errors = FactCard(), FactCard()
        self.level = QProgressBar()
        self.level.setTextVisible(False)
        self.level.setRange(0, 100)
        self.sound.add(self.level)
        self._build()
        self.hide()

    def _build(self) -> None:
        head = QHBoxLayout()
        words = QVBoxLayout()
        words.addWidget(self.title)
        words.addWidget(self.uptime)
        head.addLayout(words, 1)
        head.addWidget(self.close_button)
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._lists: list[QVBoxLayout] = []
        for cards in ((self.stages, self.turns), (self.sound, self.figures, self.errors)):
            column = QVBoxLayout()
            for card in cards:
                column.addWidget(card)
            column.addStretch(1)
            self._columns.addLayout(column, 1)
            self._lists.append(column)
        inside = QWidget()
        inside.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        around = QVBoxLayout(inside)
        around.setContentsMargins(0, 0, 0, 0)
        around.addLayout(self._columns)
        around.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidget(inside)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        QScroller.grabGesture(scroll.viewport(), QScroller.ScrollerGestureType.LeftMouseButtonGesture)
        self._layout = QVBoxLayout(self)
        self._layout.addLayout(head)
        self._layout.addWidget(scroll, 1)

    @property
    def is_open(self) -> bool:
        """Whether it asks for facts."""
        return not self.isHidden()

    def apply(self, family: str, language: Language) -> None:
        """Fill the parent, with its font and language; never in the larger text that a visitor chose."""
        self._language = language
        self.setGeometry(self._around.rect())
        theme = make_theme(self.width(), self.height(), family, larger_text=False)
        if theme != self._theme:
            self._theme = theme
            self.setStyleSheet(style_sheet(theme))
        self.corner.set_side(theme.base * CORNER)
        if self.is_open:
            self._render()

    def show_facts(self, facts: OperatorFacts) -> None:
        """Show these; nothing happens while it is closed."""
        if self.is_open:
            self._facts = facts
            self._render()

    def show_level(self, level: float) -> None:
        """Show the loudness at the microphone, 0..1; may come many times a second."""
        if self.is_open:
            self.level.setValue(round(100 * level))

    @Slot()
    def toggle(self) -> None:
        """Open or close it."""
        if self.is_open:
            self.hide()
            return
        self._facts = None
        self._forgotten.start()
        self.show()
        self.raise_()
        self._render()
        self.opened.emit()

    def _render(self) -> None:
        theme, texts, facts = self._theme, load_operator_texts(self._language), self._facts
        pad = theme.space(2)
        self._layout.setContentsMargins(pad, pad, pad, pad)
        self._layout.setSpacing(theme.space(1.5))
        for layout in (self._columns, *self._lists):
            layout.setSpacing(theme.space(1.5))
        self.title.setText(texts.title)
        self.close_button.apply(theme, texts.close)
        self.level.setFixedHeight(max(6, theme.space(0.8)))
        for card in (self.stages, self.turns, self.sound, self.figures, self.errors):
            card.setVisible(facts is not None)
        self.uptime.setText(texts.waiting)
        if facts is not None:
            self._show(facts, texts, theme)
        self._turn()

    def _show(self, facts: OperatorFacts, texts: OperatorTexts, theme: Theme) -> None:
        self.uptime.setText(texts.uptime.format(time=texts.duration(facts.uptime_s), pid=facts.pid))
        self.stages.apply(theme, texts.stages, stage_rows(facts, texts, time.time()))
        self.turns.apply(theme, texts.turns, turn_rows(facts, texts))
        self.sound.apply(theme, texts.sound, sound_rows(facts, texts))
        self.figures.apply(theme, texts.figures, figure_rows(facts, texts))
        self.errors.apply(theme, texts.errors, error_rows(facts, texts))
        self.level.setVisible(facts.microphone.level is not None)
        self.level.setValue(round(100 * (facts.microphone.level or 0.0)))

    def _turn(self) -> None:
        """Cards in two columns where the window is wide, else one below the other."""
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._columns.setDirection(across if self.width() >= TWO_COLUMNS * self._theme.base else down)

    # -- Qt

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: D102
        self._forgotten.start()
        self.corner.press(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: D102
        self.corner.move(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: D102
        self.corner.release()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        self._turn()

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(0, 0)
