"""The suggested questions as large buttons; as many as fit, the best first."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QWidget

from kiosk.ui.buttons import Look, TouchButton
from kiosk.ui.theme import Theme

_TWO_COLUMNS_FROM = 46.0
"""Width in bases from which two columns are used."""
_TALLEST_ROW = 1.5
"""Rows grow to this multiple of their least height where there is room."""


class SuggestionList(QWidget):
    """Buttons in one or two columns. Signals: `chosen(str)` with the question."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = Theme(16.0, "")
        self._buttons: list[TouchButton] = []
        self._questions: tuple[str, ...] = ()
        self._group = QButtonGroup(self)
        self._group.setExclusive(False)
        self._group.idClicked.connect(self._on_clicked)

    def apply(self, theme: Theme, questions: tuple[str, ...]) -> None:
        """Offer these questions."""
        if (theme, questions) == (self._theme, self._questions):
            return
        if questions != self._questions:
            for button in self._buttons:
                self._group.removeButton(button)
                button.hide()
                button.deleteLater()
            self._buttons = [TouchButton("question", Look.LIST, parent=self) for _ in questions]
            for index, button in enumerate(self._buttons):
                self._group.addButton(button, index)
        self._theme, self._questions = theme, questions
        for button, question in zip(self._buttons, questions, strict=True):
            button.apply(theme, question)
        self._arrange()

    def height_within(self, width: int, room: int) -> int:
        """Height in px of as many rows as fit into `room` px."""
        rows = self._fitting(self._rows(width), room)
        gaps = self._theme.space() * max(0, len(rows) - 1)
        return min(room, round(sum(rows) * _TALLEST_ROW) + gaps) if rows else 0

    def _fitting(self, rows: list[int], room: int) -> list[int]:
        """The first rows that fit into `room` px with the gaps between them."""
        count, used = 0, 0
        for height in rows:
            used += height + (self._theme.space() if count else 0)
            if used > room:
                break
            count += 1
        return rows[:count]

    @property
    def visible_questions(self) -> tuple[str, ...]:
        """What can be pressed now."""
        return tuple(b.text() for b in self._buttons if not b.isHidden())

    def _columns(self, width: int) -> int:
        return 2 if width >= self._theme.base * _TWO_COLUMNS_FROM else 1

    def _rows(self, width: int) -> list[int]:
        columns = self._columns(width)
        cell = (width - (columns - 1) * self._theme.space()) // columns
        heights = [button.heightForWidth(cell) for button in self._buttons]
        return [max(heights[i : i + columns]) for i in range(0, len(heights), columns)]

    def _arrange(self) -> None:
        width, gap = self.width(), self._theme.space()
        columns = self._columns(width)
        cell = (width - (columns - 1) * gap) // columns
        rows = self._rows(width)
        fitting = self._fitting(rows, self.height())
        spare = self.height() - sum(fitting) - gap * max(0, len(fitting) - 1)
        growth = min(1 + spare / sum(fitting), _TALLEST_ROW) if fitting else 1.0
        top = 0
        for row, least in enumerate(rows):
            fits, height = row < len(fitting), int(least * growth)
            for column in range(columns):
                index = row * columns + column
                if index < len(self._buttons):
                    self._buttons[index].setGeometry(column * (cell + gap), top, cell, height)
                    self._buttons[index].setVisible(fits)
            top += height + gap

    @Slot(int)
    def _on_clicked(self, index: int) -> None:
        self.chosen.emit(self._questions[index])

    def sizeHint(self) -> QSize:  # noqa: D102
        return QSize(0, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        self._arrange()
