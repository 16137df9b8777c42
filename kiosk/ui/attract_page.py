"""The page that invites: greeting, how to begin in both languages, and questions worth asking."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from kiosk.ui.icons import icon_pixmap
from kiosk.ui.labels import label
from kiosk.ui.state import ScreenState
from kiosk.ui.suggestions import SuggestionList
from kiosk.ui.texts import Texts
from kiosk.ui.theme import PALETTE, Theme


class AttractPage(QWidget):
    """Large greeting and invitation. Signals: `question_chosen(str)`."""

    question_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = Theme(16.0, "")
        self.title = label("display", wrap=True, parent=self)
        self.symbol = label("muted", parent=self)
        self.invitation = label("invitation", wrap=True, parent=self)
        self.other = label("other", wrap=True, parent=self)
        self.heading = label("label", parent=self)
        self.suggestions = SuggestionList(self)
        self.suggestions.chosen.connect(self.question_chosen)
        self.foot = label("small", wrap=True, parent=self)
        for made in (self.title, self.invitation, self.other):
            made.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)

    def apply(self, theme: Theme, texts: Texts, state: ScreenState) -> None:
        """Show the invitation."""
        self._theme = theme
        self.title.setText(texts.attract_title)
        self.invitation.setText(texts.attract_invitation)
        self.other.setText(texts.attract_other)
        self.heading.setText(texts.attract_suggestions)
        self.suggestions.apply(theme, state.suggestions)
        self.foot.setText(state.ticker or texts.privacy_note)
        side = round(theme.base * 3.4)
        self.symbol.setPixmap(icon_pixmap("touch", PALETTE.accent, side, self.devicePixelRatioF()))
        self._arrange()

    def _arrange(self) -> None:
        theme = self._theme
        pad = theme.space(2)
        width, bottom = max(1, self.width() - 2 * pad), self.height() - theme.space(1.5)
        foot = self.foot.heightForWidth(width)
        self.foot.setGeometry(pad, bottom - foot, width, foot)
        bottom -= foot + theme.space()
        side = round(theme.base * 3.4)
        inner = width - side - theme.space(1.5)
        heights = [
            self.title.heightForWidth(width),
            self.invitation.heightForWidth(inner),
            self.other.heightForWidth(inner),
        ]
        invitation = max(side, heights[1] + heights[2])
        text = heights[0] + theme.space(2) + invitation
        heading = self.heading.sizeHint().height() + theme.space(0.5)
        room = bottom - text - heading - theme.space(5)
        questions = self.suggestions.height_within(width, room)
        self.foot.setVisible(questions > 0)
        if questions == 0:  # on a small screen with large text the questions matter more than the foot
            bottom += foot + theme.space()
            questions = self.suggestions.height_within(width, room + foot + theme.space(3))
        for widget in (self.heading, self.suggestions):
            widget.setVisible(questions > 0)
        if questions > 0:
            self.suggestions.setGeometry(pad, bottom - questions, width, questions)
            bottom -= questions + heading
            self.heading.setGeometry(pad, bottom, width, heading)
            bottom -= theme.space(2)
        top = max(theme.space(1.5), (bottom - text) // 2)
        self.title.setGeometry(pad, top, width, heights[0])
        top += heights[0] + theme.space(2)
        self.symbol.setGeometry(pad, top + (invitation - side) // 2, side, side)
        left = pad + side + theme.space(1.5)
        top += (invitation - heights[1] - heights[2]) // 2
        self.invitation.setGeometry(left, top, inner, heights[1])
        self.other.setGeometry(left, top + heights[1], inner, heights[2])

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        self._arrange()

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(0, 0)
