"""The row of controls at the foot of the screen, within reach of a seated visitor too."""

from __future__ import annotations

from PySide6.QtCore import QSize, QTimer, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QStackedLayout, QWidget

from kiosk.ui.buttons import Look, TouchButton
from kiosk.ui.state import Phase, ScreenState
from kiosk.ui.texts import Texts
from kiosk.ui.theme import Theme
from kiosk.ui.volume_bar import VolumeBar
from models.types import Language

_VOLUME_OPEN_MS = 8000
"""The volume row makes way for the controls again after this time without a touch."""


class Dock(QFrame):
    """Type, stop, repeat, volume, larger text, language, staff.

    Signals: `typing_requested()`, `stop_requested()`, `replay_requested()`, `volume_changed(float)`,
    `larger_text_toggled(bool)`, `language_chosen(str)`, `staff_called()`.
    """

    typing_requested = Signal()
    stop_requested = Signal()
    replay_requested = Signal()
    volume_changed = Signal(float)
    larger_text_toggled = Signal(bool)
    language_chosen = Signal(str)
    staff_called = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "sheet")
        self._state = ScreenState()
        self.type = TouchButton("keyboard", Look.QUIET, stacked=True)
        self.stop = TouchButton("stop", Look.QUIET, stacked=True)
        self.replay = TouchButton("replay", Look.QUIET, stacked=True)
        self.volume = TouchButton("volume", Look.QUIET, stacked=True)
        self.larger = TouchButton("text", Look.QUIET, stacked=True)
        self.language = TouchButton("globe", Look.QUIET, stacked=True)
        self.staff = TouchButton("staff", Look.QUIET, stacked=True)
        self._row = QWidget()
        self._layout = QHBoxLayout(self._row)
        for button in self.buttons:
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
            self._layout.addWidget(button, 1)
        self.volume_bar = VolumeBar()
        self.volume_bar.volume_changed.connect(self.volume_changed)
        self.volume_bar.volume_changed.connect(self._on_volume)
        self._close_later = QTimer(self)
        self._close_later.setSingleShot(True)
        self._close_later.setInterval(_VOLUME_OPEN_MS)
        self._close_later.timeout.connect(self.close_volume)
        self.volume_bar.finished.connect(self.close_volume)
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self._row)
        self._pages.addWidget(self.volume_bar)
        self.type.clicked.connect(self.typing_requested)
        self.stop.clicked.connect(self.stop_requested)
        self.replay.clicked.connect(self.replay_requested)
        self.staff.clicked.connect(self.staff_called)
        self.volume.clicked.connect(self._on_volume)
        self.larger.clicked.connect(self._on_larger)
        self.language.clicked.connect(self._on_language)

    @property
    def buttons(self) -> list[TouchButton]:
        """The buttons, from the left."""
        return [self.type, self.stop, self.replay, self.volume, self.larger, self.language, self.staff]

    def apply(self, theme: Theme, texts: Texts, state: ScreenState) -> None:
        """Show which controls work now."""
        self._state = state
        gap = theme.space(0.75)
        self._layout.setContentsMargins(gap, gap, gap, gap)
        self._layout.setSpacing(gap)
        serves = state.phase not in (Phase.LOADING, Phase.ERROR)
        self.type.apply(theme, texts.type_question)
        self.stop.apply(theme, texts.stop)
        self.replay.apply(theme, texts.replay)
        self.volume.apply(theme, texts.volume)
        self.larger.apply(theme, texts.normal_text if state.larger_text else texts.larger_text)
        self.language.apply(theme, texts.other_language)
        self.staff.apply(theme, texts.call_staff)
        self.type.setEnabled(serves)
        self.stop.setEnabled(state.phase.can_stop)
        self.stop.set_look(Look.PRIMARY if state.phase.can_stop else Look.QUIET)
        self.replay.setEnabled(serves and state.can_replay and not state.phase.can_stop)
        self.volume.setEnabled(serves)
        self.staff.setEnabled(state.phase is not Phase.LOADING)
        self.volume.set_icon("mute" if state.volume <= 0 else "volume_low" if state.volume < 0.5 else "volume")
        self.volume_bar.apply(theme, texts, state.volume)
        if not serves:
            self.close_volume()

    def height_for(self, theme: Theme) -> int:
        """Height in px."""
        return theme.touch + round(theme.base * 1.5)

    @Slot()
    def close_volume(self) -> None:
        """Show the buttons again."""
        self._close_later.stop()
        self._pages.setCurrentWidget(self._row)

    @Slot()
    def _on_volume(self) -> None:
        self._pages.setCurrentWidget(self.volume_bar)
        self._close_later.start()

    @Slot()
    def _on_larger(self) -> None:
        self.larger_text_toggled.emit(not self._state.larger_text)

    @Slot()
    def _on_language(self) -> None:
        other: Language = "en" if self._state.language == "zh" else "zh"
        self.language_chosen.emit(other)

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(0, 0)
