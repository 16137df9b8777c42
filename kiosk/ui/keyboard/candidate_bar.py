"""The row above the keys that shows the pinyin typed so far and what it may mean."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QWidget

from kiosk.ui.buttons import Look, TouchButton
from kiosk.ui.keyboard.pinyin import Candidate
from kiosk.ui.labels import label
from kiosk.ui.theme import Theme


class CandidateBar(QWidget):
    """Candidates as buttons, page by page. Signals: `chosen(Candidate)`."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = Theme(16.0, "")
        self._candidates: list[Candidate] = []
        self._first = 0
        self._shown: list[TouchButton] = []
        self._typed = label("label", parent=self)
        self._group = QButtonGroup(self)
        self._group.idClicked.connect(self._on_clicked)
        self._more = TouchButton("next", Look.KEY, parent=self)
        self._more.clicked.connect(self._on_more)
        self._more.hide()

    def apply(self, theme: Theme, more: str) -> None:
        """Take the sizes; `more` names the button that shows further candidates."""
        self._theme = theme
        self._more.apply(theme, "")
        self._more.setAccessibleName(more)
        self._arrange()

    def show_candidates(self, typed: str, candidates: list[Candidate]) -> None:
        """Show the pinyin and the first page of its candidates."""
        self._typed.setText(typed)
        self._candidates = candidates
        self._first = 0
        self._arrange()

    @property
    def visible_texts(self) -> list[str]:
        """What can be chosen now."""
        return [button.text() for button in self._shown]

    def button(self, text: str) -> TouchButton:
        """The button of a visible candidate; for tests."""
        return next(button for button in self._shown if button.text() == text)

    def _arrange(self) -> None:
        for button in self._shown:
            self._group.removeButton(button)
            button.hide()
            button.deleteLater()
        self._shown = []
        theme = self._theme
        line = round(theme.small * 1.5)
        self._typed.setGeometry(0, 0, self.width(), line)
        height, gap = self.height() - line, theme.space(0.6)
        end = self.width() - theme.touch - gap
        left = 0
        for candidate in self._candidates[self._first :]:
            button = TouchButton("", Look.KEY, parent=self)
            button.apply(theme, candidate.text, text_size=theme.caption)
            width = min(end, max(theme.touch, button.sizeHint().width()))
            if left + width > end and self._shown:
                button.deleteLater()
                break
            button.setGeometry(left, line, width, height)
            button.show()
            self._group.addButton(button, self._first + len(self._shown))
            self._shown.append(button)
            left += width + gap
        has_more = len(self._shown) < len(self._candidates)
        self._more.setVisible(has_more)
        self._more.setGeometry(self.width() - theme.touch, line, theme.touch, height)

    @Slot(int)
    def _on_clicked(self, index: int) -> None:
        self.chosen.emit(self._candidates[index])

    @Slot()
    def _on_more(self) -> None:
        following = self._first + len(self._shown)
        self._first = following if following < len(self._candidates) else 0
        self._arrange()

    def sizeHint(self) -> QSize:  # noqa: D102
        return QSize(200, round(self._theme.small * 1.5) + self._theme.touch)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        self._arrange()
