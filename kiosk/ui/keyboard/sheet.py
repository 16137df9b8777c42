"""The sheet for typing a question: text line, send, cancel, candidates and keys."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from kiosk.ui.buttons import Look, TouchButton
from kiosk.ui.keyboard.candidate_bar import CandidateBar
from kiosk.ui.keyboard.keypad import Keypad
from kiosk.ui.keyboard.pinyin import Candidate, Composer, Lexicon
from kiosk.ui.texts import Texts
from kiosk.ui.theme import Theme
from models.types import Language

_LONGEST_QUESTION = 200
"""Characters; longer than any question at a counter, short enough for every language model's prompt."""


class TypingSheet(QFrame):
    """Typing by finger or by a real keyboard (the text line takes the system's input methods too).

    Signals: `submitted(str)` a question that is not blank, `cancelled()`, `edited()` on every change.
    """

    submitted = Signal(str)
    cancelled = Signal()
    edited = Signal()

    def __init__(self, lexicon: Lexicon, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "sheet")
        self._composer = Composer(lexicon)
        self._theme = Theme(16.0, "")
        self._texts: Texts | None = None
        self._is_chinese = True
        self.line = QLineEdit()
        self.line.setMaxLength(_LONGEST_QUESTION)
        self.line.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.line.textChanged.connect(self._on_text_changed)
        self.line.returnPressed.connect(self._on_send)
        self.send = TouchButton("send", Look.PRIMARY)
        self.send.clicked.connect(self._on_send)
        self.cancel = TouchButton("close", Look.NORMAL)
        self.cancel.clicked.connect(self.cancelled)
        self.candidates = CandidateBar()
        self.candidates.chosen.connect(self._on_chosen)
        self.keypad = Keypad()
        self.keypad.typed.connect(self._on_typed)
        self.keypad.deleted.connect(self._on_deleted)
        self.keypad.language_toggled.connect(self._on_language_toggled)
        self._top = QHBoxLayout()
        self._top.addWidget(self.line, 1)
        self._top.addWidget(self.send)
        self._top.addWidget(self.cancel)
        self._layout = QVBoxLayout(self)
        self._layout.addLayout(self._top)
        self._layout.addWidget(self.candidates)
        self._layout.addWidget(self.keypad, 1)

    def open(self, language: Language) -> None:
        """Begin with an empty line in this language."""
        self.clear()
        self.keypad.reset()
        self._is_chinese = language == "zh"
        self._refresh()
        self.line.setFocus(Qt.FocusReason.OtherFocusReason)

    def clear(self) -> None:
        """Forget what was typed, also its undo history."""
        self._composer.clear()
        self.line.setText("")
        self._refresh()

    def apply(self, theme: Theme, texts: Texts) -> None:
        """Take sizes and words."""
        if (theme, texts) == (self._theme, self._texts):
            return
        self._theme, self._texts = theme, texts
        pad = theme.space(1.5)
        self._layout.setContentsMargins(pad, theme.space(), pad, theme.space(1.5))
        self._layout.setSpacing(theme.space(0.6))
        self._top.setSpacing(theme.space())
        self.line.setFixedHeight(theme.touch)
        self.line.setPlaceholderText(texts.typing_placeholder)
        self.send.apply(theme, texts.send)
        self.cancel.apply(theme, texts.cancel)
        self._refresh()

    def _refresh(self) -> None:
        if self._texts is None:
            return
        self.keypad.apply(self._theme, self._texts, chinese=self._is_chinese)
        self.candidates.apply(self._theme, self._texts.key_more)
        self.candidates.setFixedHeight(self.candidates.sizeHint().height() if self._is_chinese else 0)
        self._show_candidates()

    def _show_candidates(self) -> None:
        self.candidates.show_candidates(self._composer.shown, self._composer.candidates())
        self.send.setEnabled(bool(self.line.text().strip() or self._composer.typed))

    @Slot(str)
    def _on_typed(self, character: str) -> None:
        self.edited.emit()
        is_letter = character.isascii() and character.isalpha()
        if self._is_chinese and is_letter and character.islower():
            self._composer.type(character)
            self._show_candidates()
            return
        if self._composer.typed:
            self._take_first()
            if character == " ":
                return
        self.line.insert(character)

    def _take_first(self) -> None:
        """Put the likeliest candidate of the pinyin into the line."""
        found = self._composer.candidates(1)
        if found:
            self.line.insert(self._composer.choose(found[0]))
        self.line.insert(self._composer.typed)
        self._composer.clear()
        self._show_candidates()

    @Slot()
    def _on_deleted(self) -> None:
        self.edited.emit()
        if self._composer.delete():
            self._show_candidates()
        else:
            self.line.backspace()

    @Slot(object)
    def _on_chosen(self, candidate: Candidate) -> None:
        self.edited.emit()
        self.line.insert(self._composer.choose(candidate))
        self._show_candidates()

    @Slot()
    def _on_language_toggled(self) -> None:
        self.line.insert(self._composer.typed)
        self._composer.clear()
        self._is_chinese = not self._is_chinese
        self._refresh()

    @Slot(str)
    def _on_text_changed(self, text: str) -> None:
        self.send.setEnabled(bool(text.strip() or self._composer.typed))
        self.edited.emit()

    @Slot()
    def _on_send(self) -> None:
        if self._composer.typed:
            self._take_first()
        question = self.line.text().strip()
        if question:
            self.clear()
            self.submitted.emit(question)

    def sizeHint(self) -> QSize:  # noqa: D102
        theme = self._theme
        candidates = self.candidates.sizeHint().height() if self._is_chinese else 0
        return QSize(theme.touch * 10, theme.touch + candidates + self.keypad.sizeHint().height() + theme.space(4))
