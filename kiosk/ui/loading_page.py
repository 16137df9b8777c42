"""The start, model by model; after a failure the same list says which part is missing and what to do."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QProgressBar,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from kiosk.ui.icons import icon_pixmap
from kiosk.ui.labels import label
from kiosk.ui.state import LoadStep, Phase, ScreenState, StepState
from kiosk.ui.texts import Texts
from kiosk.ui.theme import PALETTE, Theme

_ICON = {
    StepState.PENDING: ("pending", PALETTE.disabled),
    StepState.RUNNING: ("running", PALETTE.accent),
    StepState.DONE: ("check", PALETTE.listening),
    StepState.FAILED: ("error", PALETTE.danger),
}


class StepRow(QWidget):
    """One step: icon, name, what it is, how far."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = label("muted")
        self._name = label("plain", wrap=True)
        self._detail = label("small", wrap=True)
        self._state = label("muted")
        self._state.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._grid = QGridLayout(self)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(self._icon, 0, 0, 3, 1, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(self._name, 0, 1)
        self._grid.addWidget(self._state, 0, 2)
        self._grid.addWidget(self._detail, 1, 1, 1, 2)
        self._grid.addWidget(self._bar, 2, 1, 1, 2)

    def apply(self, theme: Theme, texts: Texts, step: LoadStep) -> None:
        """Show the step."""
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(theme.space())
        self._grid.setVerticalSpacing(theme.space(0.25))
        name, color = _ICON[step.state]
        self._icon.setPixmap(icon_pixmap(name, color, round(theme.base * 1.4), self.devicePixelRatioF()))
        self._name.setText(step.label)
        words = {
            StepState.PENDING: texts.step_pending,
            StepState.RUNNING: texts.step_running,
            StepState.DONE: texts.step_done,
            StepState.FAILED: texts.step_failed,
        }[step.state]
        running = step.state is StepState.RUNNING
        known = running and step.progress is not None
        self._state.setText(f"{round((step.progress or 0.0) * 100)} %" if known else words)
        self._detail.setText(step.detail)
        self._detail.setVisible(bool(step.detail))
        role = "danger" if step.state is StepState.FAILED else "small"
        if self._detail.property("role") != role:
            self._detail.setProperty("role", role)
            self._detail.style().unpolish(self._detail)
            self._detail.style().polish(self._detail)
        self._bar.setVisible(running)
        self._bar.setFixedHeight(max(4, theme.space(0.75)))
        self._bar.setRange(0, 1000 if known or not running else 0)  # 0 to 0: Qt shows a moving chunk
        self._bar.setValue(round((step.progress or 0.0) * 1000))


class LoadingPage(QWidget):
    """The list of steps with an overall count, or the failure with what staff should do."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = label("title", wrap=True)
        self.text = label("muted", wrap=True)
        self.overall = QProgressBar()
        self.overall.setTextVisible(False)
        self.overall.setRange(0, 1000)
        self._rows: list[StepRow] = []
        self._card = QFrame()
        self._card.setProperty("role", "card")
        self._list = QVBoxLayout(self._card)
        inside = QWidget()
        inside.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        around = QVBoxLayout(inside)
        around.setContentsMargins(0, 0, 0, 0)
        around.addWidget(self._card)
        around.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setWidget(inside)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._layout = QVBoxLayout(self)
        self._layout.addWidget(self.title)
        self._layout.addWidget(self.text)
        self._layout.addWidget(self.overall)
        self._layout.addWidget(self._scroll, 1)

    @property
    def labels(self) -> list[QLabel]:
        """All labels of the page."""
        return self.findChildren(QLabel)

    def apply(self, theme: Theme, texts: Texts, state: ScreenState) -> None:
        """Show the steps of the state."""
        pad = theme.space(2)
        self._layout.setContentsMargins(pad, pad, pad, theme.space(1.5))
        self._layout.setSpacing(theme.space())
        self._list.setContentsMargins(theme.space(1.5), theme.space(1.5), theme.space(1.5), theme.space(1.5))
        self._list.setSpacing(theme.space(1.6))
        failed = state.phase is Phase.ERROR
        done = sum(step.state is StepState.DONE for step in state.loading)
        count = texts.loading_count.format(done=done, total=len(state.loading))
        self.title.setText(texts.error_title if failed else texts.loading_title)
        self.text.setText(f"{texts.error_text}\n{state.error}".strip() if failed else count)
        self.overall.setVisible(not failed and bool(state.loading))
        self.overall.setFixedHeight(max(6, theme.space()))
        self.overall.setValue(round(1000 * overall_progress(state.loading)))
        self._show_rows(len(state.loading))
        steps = sorted(state.loading, key=lambda step: failed and step.state is not StepState.FAILED)
        for row, step in zip(self._rows, steps, strict=True):
            row.apply(theme, texts, step)
        self._scroll.setVisible(bool(state.loading))
        self._layout.setStretch(3, 1 if state.loading else 0)

    def _show_rows(self, count: int) -> None:
        while len(self._rows) < count:
            row = StepRow()
            self._list.insertWidget(len(self._rows), row)
            self._rows.append(row)
        while len(self._rows) > count:
            row = self._rows.pop()
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(0, 0)


def overall_progress(steps: tuple[LoadStep, ...]) -> float:
    """How far the start is, 0..1: done steps count whole, a running one by its own progress."""
    if not steps:
        return 0.0
    whole = sum(step.state is StepState.DONE for step in steps)
    part = sum(step.progress or 0.0 for step in steps if step.state is StepState.RUNNING)
    return (whole + part) / len(steps)
