"""What was said, by both sides, in large written form."""

from __future__ import annotations

import math

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFontMetrics, QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QScroller, QSizePolicy, QVBoxLayout, QWidget

from kiosk.ui.labels import label
from kiosk.ui.theme import Theme


def line_height(theme: Theme) -> int:
    """Height of one line of a caption in px, as Qt lays it out: rounded up."""
    return math.ceil(QFontMetricsF(theme.font(theme.caption)).lineSpacing())


class CaptionCard(QFrame):
    """A heading and a text on a card; a text that is longer than the card scrolls to its newest words.

    Signals: `touched()` when a finger is laid on the text.
    """

    touched = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._theme = Theme(16.0, "")
        self._heading = label("label")
        self._text = label("caption", wrap=True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self._text.setSizePolicy(policy)
        self._scroll = QScrollArea()
        self._scroll.setWidget(self._text)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        QScroller.grabGesture(self._scroll.viewport(), QScroller.ScrollerGestureType.LeftMouseButtonGesture)
        QScroller.scroller(self._scroll.viewport()).stateChanged.connect(self._on_scroller_changed)
        self._layout = QVBoxLayout(self)
        self._layout.addWidget(self._heading)
        self._layout.addWidget(self._scroll, 1)
        self._newest = QTimer(self)
        self._newest.setSingleShot(True)
        self._newest.timeout.connect(self._on_show_newest)

    @property
    def text_label(self) -> QLabel:
        """The label that holds the words."""
        return self._text

    @property
    def shows_newest(self) -> bool:
        """Whether the end of the text is in view."""
        bar = self._scroll.verticalScrollBar()
        return bar.value() == bar.maximum()

    def apply(self, theme: Theme, heading: str, text: str) -> None:
        """Show the text and, when it changed, its end."""
        self._heading.setText(heading)
        self._heading.setVisible(bool(heading))
        if (theme, text) == (self._theme, self._text.text()):
            return
        self._theme = theme
        self._layout.setSpacing(theme.space(0.25))
        self._text.setText(text)
        self._keep_lines_whole()
        self._newest.start(0)

    def height_for(self, width: int, max_lines: int) -> int:
        """Height in px that shows the text whole, or `max_lines` of it."""
        theme = self._theme
        metrics = QFontMetrics(theme.font(theme.caption))
        inner = max(1, width - 2 * theme.space(1.5) - theme.space())
        flags = int(Qt.TextFlag.TextWordWrap)
        needed = metrics.boundingRect(0, 0, inner, 100_000, flags, self._text.text()).height()
        line = line_height(theme)
        lines = max(1, min(math.ceil(needed / line), max_lines))
        return self._chrome() + lines * line

    def _chrome(self) -> int:
        """Height in px of all but the text."""
        self._heading.ensurePolished()  # a label that was never shown has not got its font yet
        heading = self._heading.sizeHint().height() + self._layout.spacing() if self._heading.text() else 0
        return heading + 2 * self._theme.space()

    def _keep_lines_whole(self) -> None:
        """Widen the foot so that a scrolled text never shows half a line."""
        theme = self._theme
        line = line_height(theme)
        room = self.height() - self._chrome()
        spare = room % line if room > line else 0
        pad = theme.space(1.5)
        self._layout.setContentsMargins(pad, theme.space(), pad, theme.space() + spare)

    @Slot(QScroller.State)
    def _on_scroller_changed(self, state: QScroller.State) -> None:
        if state == QScroller.State.Pressed:
            self.touched.emit()

    @Slot()
    def _on_show_newest(self) -> None:
        bar = self._scroll.verticalScrollBar()
        bar.setValue(bar.maximum())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        super().resizeEvent(event)
        self._keep_lines_whole()
        self._newest.start(0)

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(0, 0)
