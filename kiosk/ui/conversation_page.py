"""The page of a conversation: both captions, suggested questions and, where set, the talk button."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from kiosk.ui.buttons import Look, TouchButton
from kiosk.ui.captions import CaptionCard
from kiosk.ui.labels import label
from kiosk.ui.state import Phase, ScreenState
from kiosk.ui.suggestions import SuggestionList
from kiosk.ui.texts import Texts
from kiosk.ui.theme import Theme

_VISITOR_LINES = 2
"""The visitor knows what they said: more lines only take room from the answer."""
_NO_WORDS_YET = "…"
_EXAMPLES = 3
"""Questions shown as text while somebody types."""
_LEAST_LINES = 4
"""Lines of an answer that suggestions never take while the kiosk listens."""
_BUSY_SHARE = 0.62
"""Share of the page that captions keep while the kiosk thinks or speaks."""


class ConversationPage(QWidget):
    """Captions and suggestions. Signals: `question_chosen(str)`, `talk_pressed()`, `talk_released()`,
    `touched()` when the captions are scrolled.

    Places its parts itself, because how many suggestions are shown depends on the height that is left.
    """

    question_chosen = Signal(str)
    talk_pressed = Signal()
    talk_released = Signal()
    touched = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = Theme(16.0, "")
        self._state = ScreenState()
        self._compact = False
        self.visitor = CaptionCard(parent=self)
        self.reply = CaptionCard(parent=self)
        self.visitor.touched.connect(self.touched)
        self.reply.touched.connect(self.touched)
        self.heading = label("label", parent=self)
        self.suggestions = SuggestionList(self)
        self.suggestions.chosen.connect(self.question_chosen)
        self.talk = TouchButton("mic", Look.PRIMARY, parent=self)
        self.talk.pressed.connect(self.talk_pressed)
        self.talk.released.connect(self.talk_released)
        self.talk.pressed.connect(self._on_talk_changed)
        self.talk.released.connect(self._on_talk_changed)
        self._talk_texts = ("", "")

    def apply(self, theme: Theme, texts: Texts, state: ScreenState, *, compact: bool) -> None:
        """Show the captions and questions of the state; `compact` leaves room for the keyboard."""
        self._theme, self._state, self._compact = theme, state, compact
        self.visitor.apply(theme, texts.you_said, state.visitor_caption)
        waits = state.phase in (Phase.LISTENING, Phase.ATTRACT)
        if waits and not state.visitor_caption and not state.reply_caption:
            if compact:  # the buttons give way to the keyboard; what one could ask is still to be read
                self.reply.apply(theme, texts.suggestions_title, "\n".join(state.suggestions[:_EXAMPLES]))
            else:
                self.reply.apply(theme, "", texts.listening_hint)
        else:
            self.reply.apply(theme, texts.reply, state.reply_caption or _NO_WORDS_YET)
        self.heading.setText(texts.suggestions_title)
        self.suggestions.apply(theme, state.suggestions)
        self._talk_texts = (texts.hold_to_talk, texts.release_to_send)
        self._on_talk_changed()
        self._arrange()

    @Slot()
    def _on_talk_changed(self) -> None:
        self.talk.apply(self._theme, self._talk_texts[self.talk.isDown()], text_size=self._theme.caption)

    def _arrange(self) -> None:
        theme, state = self._theme, self._state
        pad, gap = theme.space(2), theme.space()
        width, top, bottom = max(0, self.width() - 2 * pad), theme.space(), self.height() - theme.space()
        self.talk.setVisible(state.push_to_talk and not self._compact)
        if not self.talk.isHidden():
            height = round(theme.touch * 1.25)
            self.talk.setGeometry(pad, bottom - height, width, height)
            bottom -= height + gap
        visitor = self.visitor.height_for(width, _VISITOR_LINES) if state.visitor_caption else 0
        needed = self.reply.height_for(width, _LEAST_LINES) + (visitor + gap if visitor else 0)
        if state.phase in (Phase.THINKING, Phase.SPEAKING):
            needed = max(needed, round((bottom - top) * _BUSY_SHARE))
        bottom = self._arrange_suggestions(pad, width, top + needed, bottom)
        self.visitor.setVisible(visitor > 0)
        if visitor:
            self.visitor.setGeometry(pad, top, width, min(visitor, max(0, bottom - top)))
            top += visitor + gap
        self.reply.setVisible(bottom > top)
        self.reply.setGeometry(pad, top, width, max(0, bottom - top))

    def _arrange_suggestions(self, pad: int, width: int, top: int, bottom: int) -> int:
        """Place heading and questions between `top` and `bottom`; gives the y above which the captions may use."""
        theme = self._theme
        heading = self.heading.sizeHint().height() + theme.space(0.5)
        room = bottom - top - heading - theme.space()
        height = 0 if self._compact else self.suggestions.height_within(width, room)
        self.heading.setVisible(height > 0)
        self.suggestions.setVisible(height > 0)
        if height <= 0:
            return bottom
        self.suggestions.setGeometry(pad, bottom - height, width, height)
        self.heading.setGeometry(pad, bottom - height - heading, width, heading)
        return bottom - height - heading - theme.space()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        self._arrange()

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(0, 0)
