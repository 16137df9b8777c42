"""The place of the face: the OpenGL view, or a still picture where OpenGL does not work; always with the AI label."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from kiosk.face.framing import EYE_HEIGHT, compose_still, frame_portrait
from kiosk.face.portrait import BACKDROP, Portrait
from kiosk.ui.avatar_view import AvatarView, PoseSource, opengl_problem
from kiosk.ui.frame_stats import FrameStats
from kiosk.ui.labels import label
from kiosk.ui.texts import Texts
from kiosk.ui.theme import Theme

_EYES_OF_PART = 0.36
"""Height of the eyes, in parts of the panel, when only a part of the picture is shown: the chin just fits below."""


SCREEN_BACKDROP = ((116, 146, 162), (36, 55, 68))
"""RGB behind a cut-out: the palette's blue, lit behind the head, so that face and controls are one picture."""


class StillFace(QWidget):
    """The portrait without motion, painted by QPainter."""

    def __init__(self, portrait: Portrait, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._portrait = portrait
        self._image = QImage()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        size = self.size() * self.devicePixelRatioF()
        if size.isEmpty():
            return
        if self._image.size() != size:
            framing = frame_portrait(self._portrait, size.width(), size.height())
            still = np.ascontiguousarray(compose_still(self._portrait, framing, size.width(), size.height(), 0))
            line = 3 * size.width()  # bytes; given, because Qt assumes lines of a multiple of four
            self._image = QImage(still.data, size.width(), size.height(), line, QImage.Format.Format_RGB888).copy()
        painter = QPainter(self)
        painter.drawImage(self.rect(), self._image)
        painter.end()


class FacePanel(QWidget):
    """Shows the face by the best means this machine has. Signals: `gl_failed(str)` once, with what to do."""

    gl_failed = Signal(str)

    def __init__(
        self, portrait: Portrait, pose_source: PoseSource, *, max_fps: int = 30, parent: QWidget | None = None
    ) -> None:
        """Make the panel.

        Args:
            portrait: The face.
            pose_source: Gives the pose for now, in the GUI thread.
            max_fps: Frames per second at most.
            parent: The owner.
        """
        super().__init__(parent)
        if portrait.is_cut_out and portrait.backdrop == BACKDROP:
            portrait = replace(portrait, backdrop=SCREEN_BACKDROP)
        self._portrait = portrait
        self._full_height: int | None = None
        self.problem = opengl_problem()
        """Why the picture does not move, or None."""
        self.view: AvatarView | None = None
        self.still: StillFace | None = None
        if self.problem is None:
            self.view = AvatarView(portrait, pose_source, max_fps=max_fps, parent=self)
            self.view.gl_failed.connect(self._on_gl_failed)
        else:
            self.still = StillFace(portrait, self)
        self.ai_label = label("ai", parent=self)
        if self.view is not None and QGuiApplication.platformName() == "xcb":
            # With an X window of its own only the face is put together anew for each frame, not the whole screen:
            # a quarter less work per frame on a processor that also draws (measured with Mesa's llvmpipe).
            self.setAttribute(Qt.WidgetAttribute.WA_DontCreateNativeAncestors)
            self.setAttribute(Qt.WidgetAttribute.WA_NativeWindow)

    def apply(self, theme: Theme, texts: Texts) -> None:
        """Take sizes and the text of the AI label."""
        self.ai_label.setText(texts.ai_label)
        self.ai_label.adjustSize()
        self.ai_label.move(theme.space(1.5), theme.space(1.5))
        self.ai_label.raise_()

    def show_part(self, full_height: int | None) -> None:
        """Keep the picture as if the panel were `full_height` px tall and show the part round the eyes and mouth.

        Preparing the face for a new size takes a moment that would be seen when the keyboard opens; moving it, none.
        None: the picture fills the panel.
        """
        if full_height != self._full_height:
            self._full_height = full_height
            self._place()

    def _place(self) -> None:
        height = max(self._full_height or 0, self.height())
        hidden = round(EYE_HEIGHT * height - _EYES_OF_PART * self.height())
        above = min(max(0, hidden), height - self.height())
        for face in (self.view, self.still):
            if face is not None:
                face.setGeometry(0, -above, self.width(), height)

    def set_idle(self, is_idle: bool) -> None:
        """Draw fewer frames while nobody is there."""
        if self.view is not None:
            self.view.set_idle(is_idle)

    def stats(self) -> FrameStats | None:
        """Figures of the moving picture; None when it is still."""
        return self.view.stats() if self.view is not None else None

    def close_gl(self) -> None:
        """Free what lies on the graphics card; may be called twice."""
        if self.view is not None:
            self.view.close_gl()

    @Slot(str)
    def _on_gl_failed(self, message: str) -> None:
        self.problem = message
        if self.still is None:
            self.still = StillFace(self._portrait, self)
            self._place()
            self.still.show()
            self.ai_label.raise_()
        self.gl_failed.emit(message)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        self._place()

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(0, 0)
