"""The one kind of button of the kiosk: icon and text, painted from the theme, large enough for a finger."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from kiosk.ui.icons import icon_pixmap
from kiosk.ui.theme import PALETTE, Theme


class Look(Enum):
    """How much a button asks to be pressed."""

    PRIMARY = "primary"
    NORMAL = "normal"
    LIST = "list"
    QUIET = "quiet"
    KEY = "key"


class TouchButton(QAbstractButton):
    """A button with an icon beside or above its text; the text wraps beside an icon and is never cut off.

    It knows its theme only; what it does is up to whoever connects `clicked`.
    """

    def __init__(self, icon: str, look: Look = Look.NORMAL, *, stacked: bool = False, parent: QWidget | None = None):
        """Make it without text.

        Args:
            icon: Name of the icon, or "" for none.
            look: How it is painted.
            stacked: Icon above the text instead of beside it.
            parent: The owner.
        """
        super().__init__(parent)
        self._icon = icon
        self._look = look
        self._stacked = stacked
        self._theme = Theme(16.0, "")
        self._text_size = 0
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(not stacked)
        self.setSizePolicy(policy)

    def apply(self, theme: Theme, text: str, *, text_size: int | None = None) -> None:
        """Take sizes from the theme and show the text; `text_size` in px overrules the scale."""
        self._theme = theme
        if text_size is not None:
            self._text_size = text_size
        elif self._stacked:
            self._text_size = theme.small
        else:
            self._text_size = theme.button
        self.setFont(theme.font(self._text_size, bold=self._look is Look.PRIMARY))
        self.setText(text)
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def set_icon(self, icon: str) -> None:
        """Show another icon."""
        if icon != self._icon:
            self._icon = icon
            self.update()

    def set_look(self, look: Look) -> None:
        """Paint it in another look."""
        if look is not self._look:
            self._look = look
            self.setFont(self._theme.font(self._text_size, bold=look is Look.PRIMARY))
            self.update()

    def text_fits(self) -> bool:
        """Whether the whole text is inside the button as it is now."""
        room = self._text_rect()
        needed = QFontMetrics(self.font()).boundingRect(room, self._flags(), self.text())
        return needed.width() <= room.width() and needed.height() <= room.height()

    # -- geometry

    def _padding(self) -> int:
        return self._theme.space(0.5 if self._look is Look.KEY or self._stacked else 1.5)

    def _icon_side(self) -> int:
        if not self._icon:
            return 0
        if self._stacked:
            return round(self._theme.base * 1.55)
        return round(self._text_size * 1.35)

    def _flags(self) -> int:
        if self._stacked or self._look is Look.KEY:
            return int(Qt.AlignmentFlag.AlignCenter)
        across = Qt.AlignmentFlag.AlignLeft if self._look is Look.LIST else Qt.AlignmentFlag.AlignHCenter
        return int(across) | int(Qt.AlignmentFlag.AlignVCenter) | int(Qt.TextFlag.TextWordWrap)

    def _text_rect(self) -> QRect:
        pad = self._padding()
        room = self.rect().adjusted(pad, pad // 2, -pad, -(pad // 2))
        if self._icon and self.text():
            if self._stacked:
                room.setTop(room.top() + self._icon_side())
            else:
                room.setLeft(room.left() + self._icon_side() + self._theme.space(0.8))
        return room

    # -- painting

    def _colors(self) -> tuple[str, str, str]:
        """Ground, border and ink."""
        if not self.isEnabled():
            ground = PALETTE.surface if self._look is Look.QUIET else PALETTE.raised
            return ground, ground, PALETTE.disabled
        if self._look is Look.PRIMARY:
            ground = PALETTE.accent_pressed if self.isDown() else PALETTE.accent
            return ground, ground, PALETTE.on_accent
        if self.isChecked():
            return PALETTE.pressed, PALETTE.accent, PALETTE.accent
        if self._look is Look.QUIET:
            ground = PALETTE.pressed if self.isDown() else PALETTE.surface
            return ground, ground, PALETTE.text
        ground = PALETTE.pressed if self.isDown() else PALETTE.raised
        return ground, PALETTE.line if self._look in (Look.NORMAL, Look.LIST) else ground, PALETTE.text

    # -- Qt

    def changeEvent(self, event: QEvent) -> None:  # noqa: D102
        if event.type() == QEvent.Type.EnabledChange:
            self.update()
        super().changeEvent(event)

    def sizeHint(self) -> QSize:  # noqa: D102
        metrics = QFontMetrics(self.font())
        pad, side = self._padding(), self._icon_side()
        if self._stacked:
            width = max(side, metrics.horizontalAdvance(self.text())) + 2 * pad
            return QSize(max(self._theme.touch, width), max(self._theme.touch, side + metrics.height() + 2 * pad))
        gap = self._theme.space(0.8) if self._icon and self.text() else 0
        width = metrics.horizontalAdvance(self.text()) + side + gap + 2 * pad + 2
        return QSize(max(self._theme.touch, width), self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return self.sizeHint() if self._stacked else QSize(self._theme.touch, self._theme.touch)

    def hasHeightForWidth(self) -> bool:  # noqa: D102
        return not self._stacked

    def heightForWidth(self, width: int) -> int:  # noqa: D102
        if self._stacked:
            return self.sizeHint().height()
        pad = self._padding()
        room = width - 2 * pad - (self._icon_side() + self._theme.space(0.8) if self._icon else 0)
        needed = QFontMetrics(self.font()).boundingRect(0, 0, max(1, room), 10_000, self._flags(), self.text())
        return max(self._theme.touch, needed.height() + self._theme.space(1.5))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        ground, border, ink = self._colors()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        radius = self._theme.radius * (0.6 if self._look is Look.KEY else 1.0)
        line = 3.0 if self.hasFocus() else 1.5
        painter.setPen(QPen(QColor(PALETTE.accent if self.hasFocus() else border), line))
        painter.setBrush(QColor(ground))
        inset = line / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), radius, radius)
        self._paint_icon(painter, ink)
        painter.setPen(QColor(ink))
        painter.setFont(self.font())
        painter.drawText(self._text_rect(), self._flags(), self.text())
        painter.end()

    def _paint_icon(self, painter: QPainter, ink: str) -> None:
        if not self._icon:
            return
        side, pad = self._icon_side(), self._padding()
        if not self.text():
            x, y = (self.width() - side) // 2, (self.height() - side) // 2
        elif self._stacked:
            text_height = QFontMetrics(self.font()).height()
            x = (self.width() - side) // 2
            y = max(pad // 2, (self.height() - side - text_height) // 2)
        else:
            y = (self.height() - side) // 2
            x = pad
            if self._look is not Look.LIST:
                room = self._text_rect()
                used = QFontMetrics(self.font()).boundingRect(room, self._flags(), self.text())
                x = max(pad, used.left() - side - self._theme.space(0.8))
        painter.drawPixmap(x, y, icon_pixmap(self._icon, ink, side, self.devicePixelRatioF()))
