"""The window of the kiosk: a passive view of one `ScreenState`. GUI thread only.

In: `show_state`. Out: the signals. It knows neither pipeline nor models; what a touch means is up to the controller.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRect, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence, QMouseEvent, QResizeEvent, QShortcut
from PySide6.QtWidgets import QStackedWidget, QWidget

from kiosk.ui.attract_page import AttractPage
from kiosk.ui.conversation_page import ConversationPage
from kiosk.ui.dock import Dock
from kiosk.ui.face_panel import FacePanel
from kiosk.ui.fonts import ui_family
from kiosk.ui.keyboard.pinyin import load_lexicon
from kiosk.ui.keyboard.sheet import TypingSheet
from kiosk.ui.loading_page import LoadingPage
from kiosk.ui.message_page import MessagePage
from kiosk.ui.notice_bar import NoticeBar
from kiosk.ui.operator_page import OperatorPage
from kiosk.ui.state import Phase, ScreenState
from kiosk.ui.status_strip import StatusStrip
from kiosk.ui.texts import Texts, load_texts
from kiosk.ui.theme import Theme, make_theme, style_sheet
from kiosk.ui.title_bar import TitleBar
from models.types import LANGUAGES

SMALLEST = (640, 600)
"""Logical pixels: the least window in which every control is whole."""
_FACE_WIDTH = 0.56
"""Share of the width for the face in landscape."""
_FACE_WIDTH_NARROW = 0.48
"""The same where the window is less than `_NARROW` bases wide: large text on a small screen."""
_NARROW = 50.0
_FACE_HEIGHT = 0.50
"""Share of the height for the face in portrait."""
_FACE_HEIGHT_LARGER = 0.42
"""The same with larger text."""
_FACE_HEIGHT_TYPING = 0.34
"""The same while the keyboard is open."""


class KioskWindow(QWidget):
    """Face, status, captions and controls.

    Signals: see below; every one is news of what the visitor did. `touched` is sent for a press on no control and for
    typing, so that a controller can count every signal as a sign of life; `face_touched` follows it when the face was
    pressed while it thinks or speaks.
    """

    touched = Signal()
    face_touched = Signal()
    question_asked = Signal(str)
    stop_requested = Signal()
    replay_requested = Signal()
    language_chosen = Signal(str)
    volume_changed = Signal(float)
    larger_text_toggled = Signal(bool)
    staff_called = Signal()
    talk_pressed = Signal()
    talk_released = Signal()
    goodbye_requested = Signal()
    closing = Signal()

    def __init__(self, face: FacePanel, *, is_kiosk: bool = True) -> None:
        """Build it hidden, in the loading state.

        Args:
            face: The place of the face; the window becomes its owner.
            is_kiosk: Full screen for the public: Ctrl+Q and F11 are for staff only with Ctrl+Alt.

        Raises:
            ConfigError: Texts or lexicon are missing or damaged.
        """
        super().__init__()
        self.setObjectName("window")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumSize(*SMALLEST)
        self._texts: dict[str, Texts] = {language: load_texts(language) for language in LANGUAGES}
        self._family = ui_family()
        self._state = ScreenState()
        self._theme = Theme(0.0, self._family)
        self._is_typing = False
        self.face = face
        face.setParent(self)
        self.title_bar = TitleBar(self)
        self.notice = NoticeBar(self)
        self.status = StatusStrip(self)
        self.loading = LoadingPage()
        self.attract = AttractPage()
        self.conversation = ConversationPage()
        self.message = MessagePage()
        self.pages = QStackedWidget(self)
        for page in (self.loading, self.attract, self.conversation, self.message):
            self.pages.addWidget(page)
        self.dock = Dock(self)
        self.sheet = TypingSheet(load_lexicon(), self)
        self.sheet.hide()
        self.operator = OperatorPage(self)
        self._connect()
        self._add_shortcuts(is_kiosk)
        self._render(ScreenState())

    @property
    def state(self) -> ScreenState:
        """What is shown."""
        return self._state

    @property
    def is_typing(self) -> bool:
        """Whether the keyboard is open."""
        return self._is_typing

    def show_state(self, state: ScreenState) -> None:
        """Show this; cheap where little changed, nothing where nothing did."""
        if state == self._state:
            return
        old = self._state
        if _only_level_changed(old, state):
            self._state = state
            self.status.apply(self._theme, self._texts[state.language], state)
            return
        if state.phase is not old.phase and (state.phase.forgets or state.phase is Phase.IDLE_WARNING):
            self._set_typing(False)
            self.dock.close_volume()
        self._render(state)

    def _render(self, state: ScreenState) -> None:
        self._state = state
        self._update_theme()
        texts, theme = self._texts[state.language], self._theme
        self.title_bar.apply(theme, texts, state)
        self.notice.apply(theme, state.notice)
        self.status.apply(theme, texts, state)
        self.face.apply(theme, texts)
        self.face.set_idle(state.phase in (Phase.LOADING, Phase.ATTRACT, Phase.ERROR))
        self.dock.apply(theme, texts, state)
        self.sheet.apply(theme, texts)
        self.operator.apply(self._family, state.language)
        self._show_page(state, texts, theme)
        self._arrange()

    def _show_page(self, state: ScreenState, texts: Texts, theme: Theme) -> None:
        if state.phase.forgets:
            # Nothing a visitor said stays behind in a hidden page.
            self.conversation.apply(theme, texts, ScreenState(language=state.language), compact=False)
        if state.phase in (Phase.LOADING, Phase.ERROR):
            self.loading.apply(theme, texts, state)
            self.pages.setCurrentWidget(self.loading)
        elif state.phase is Phase.ATTRACT and not self._is_typing:
            self.attract.apply(theme, texts, state)
            self.pages.setCurrentWidget(self.attract)
        elif state.phase in (Phase.IDLE_WARNING, Phase.FAREWELL):
            self.message.apply(theme, texts, state)
            self.pages.setCurrentWidget(self.message)
        else:
            self.conversation.apply(theme, texts, state, compact=self._is_typing)
            self.pages.setCurrentWidget(self.conversation)

    def _update_theme(self) -> None:
        theme = make_theme(self.width(), self.height(), self._family, larger_text=self._state.larger_text)
        if theme != self._theme:
            self._theme = theme
            self.setStyleSheet(style_sheet(theme))

    def _arrange(self) -> None:
        """Place the parts; by hand, so that no text can push the window past the screen."""
        theme, width, height = self._theme, self.width(), self.height()
        title = round(theme.base * 2.7)
        strip = round(theme.base * 2.9)
        foot = self._place_foot(width, height)
        full = height - self.dock.height_for(theme)
        if width >= height:
            left = round(width * (_FACE_WIDTH_NARROW if width < _NARROW * theme.base else _FACE_WIDTH))
            self.face.setGeometry(0, 0, left, foot - strip)
            self.face.show_part(full - strip if self._is_typing else None)
            self.status.setGeometry(0, foot - strip, left, strip)
            column = QRect(left, 0, width - left, foot)
        else:
            share = _FACE_HEIGHT_LARGER if self._state.larger_text else _FACE_HEIGHT
            whole = round(height * share) - title
            face = min(whole, round(height * _FACE_HEIGHT_TYPING) - title) if self._is_typing else whole
            self.face.setGeometry(0, title, width, face)
            self.face.show_part(whole if self._is_typing else None)
            self.status.setGeometry(0, title + face, width, strip)
            column = QRect(0, title + face + strip, width, foot - title - face - strip)
        if width >= height:
            self.title_bar.setGeometry(column.left(), 0, column.width(), title)
            column.setTop(title)
        else:
            self.title_bar.setGeometry(0, 0, width, title)
        notice = self.notice.heightForWidth(column.width())
        self.notice.setGeometry(column.left(), column.top(), column.width(), notice)
        column.setTop(column.top() + notice)
        self.pages.setGeometry(column)

    def _place_foot(self, width: int, height: int) -> int:
        """Place dock or keyboard at the foot; gives the y where it begins."""
        self.sheet.setVisible(self._is_typing)
        self.dock.setVisible(not self._is_typing)
        if self._is_typing:
            tall = min(self.sheet.sizeHint().height(), round(height * 0.62))
            self.sheet.setGeometry(0, height - tall, width, tall)
            return height - tall
        tall = self.dock.height_for(self._theme)
        self.dock.setGeometry(0, height - tall, width, tall)
        return height - tall

    def _connect(self) -> None:
        self.attract.question_chosen.connect(self.question_asked)
        self.conversation.question_chosen.connect(self.question_asked)
        self.conversation.touched.connect(self.touched)
        self.conversation.talk_pressed.connect(self.talk_pressed)
        self.conversation.talk_released.connect(self.talk_released)
        self.message.continued.connect(self.touched)
        self.message.ended.connect(self.goodbye_requested)
        self.dock.typing_requested.connect(self.open_keyboard)
        self.dock.stop_requested.connect(self.stop_requested)
        self.dock.replay_requested.connect(self.replay_requested)
        self.dock.volume_changed.connect(self.volume_changed)
        self.dock.larger_text_toggled.connect(self.larger_text_toggled)
        self.dock.language_chosen.connect(self.language_chosen)
        self.dock.staff_called.connect(self.staff_called)
        self.sheet.submitted.connect(self._on_submitted)
        self.sheet.cancelled.connect(self.close_keyboard)
        self.sheet.edited.connect(self.touched)

    def _add_shortcuts(self, is_kiosk: bool) -> None:
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self).activated.connect(self._on_escape)
        keys = ("Ctrl+Alt+Q", "Ctrl+Alt+F11") if is_kiosk else ("Ctrl+Q", "F11")
        QShortcut(QKeySequence(keys[0]), self).activated.connect(self.close)
        QShortcut(QKeySequence(keys[1]), self).activated.connect(self._on_toggle_full_screen)

    def _set_typing(self, is_typing: bool) -> None:
        was_typing, self._is_typing = self._is_typing, is_typing
        if is_typing:
            self.sheet.open(self._state.language)
        else:
            self.sheet.clear()
            if was_typing:
                self.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def open_keyboard(self) -> None:
        """Show the keyboard in place of the controls."""
        self._set_typing(True)
        self._render(self._state)
        self.sheet.line.setFocus(Qt.FocusReason.OtherFocusReason)
        self.touched.emit()

    @Slot()
    def close_keyboard(self) -> None:
        """Put the keyboard away and forget what was typed."""
        self._set_typing(False)
        self._render(self._state)

    @Slot(str)
    def _on_submitted(self, question: str) -> None:
        self.close_keyboard()
        self.question_asked.emit(question)

    @Slot()
    def _on_escape(self) -> None:
        if self._is_typing:
            self.close_keyboard()
        elif self._state.phase.can_stop:
            self.stop_requested.emit()
        else:
            self.touched.emit()

    @Slot()
    def _on_toggle_full_screen(self) -> None:
        if self.isFullScreen():
            self.showNormal()
        else:
            self.showFullScreen()

    # -- Qt

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: D102
        self.operator.corner.press(event.position())
        self.touched.emit()
        if self._state.phase.can_stop and self.face.geometry().contains(event.position().toPoint()):
            self.face_touched.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: D102
        self.operator.corner.move(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: D102
        self.operator.corner.release()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: D102
        self.touched.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        self._render(self._state)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: D102
        self.face.close_gl()
        self.closing.emit()
        event.accept()


def _only_level_changed(old: ScreenState, new: ScreenState) -> bool:
    """Whether nothing but the loudness at the microphone differs: the case of fifteen times a second."""
    return replace(old, hearing_level=new.hearing_level) == new
