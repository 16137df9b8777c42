"""The place of the face: the OpenGL view, or a still picture where OpenGL does not work; always with the AI label."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QGuiApplication,
    QHideEvent,
    QImage,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QWidget

from kiosk.face.framing import EYE_HEIGHT, compose_still, frame_portrait
from kiosk.face.portrait import BACKDROP, Portrait
from kiosk.face.scene import FaceScene
from kiosk.ui.avatar_view import AvatarWidget, AvatarWindow, opengl_problem
from kiosk.ui.face_drawing import FaceDrawing, PoseSource, SceneFactory
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
        self,
        portrait: Portrait,
        pose_source: PoseSource,
        *,
        max_fps: int = 30,
        make_scene: SceneFactory = FaceScene,
        parent: QWidget | None = None,
    ) -> None:
        """Make the panel.

        Args:
            portrait: The face.
            pose_source: Gives the pose for now, in the GUI thread.
            max_fps: Frames per second at most.
            make_scene: Builds what OpenGL draws.
            parent: The owner.
        """
        super().__init__(parent)
        if portrait.is_cut_out and portrait.backdrop == BACKDROP:
            portrait = replace(portrait, backdrop=SCREEN_BACKDROP)
        self._portrait = portrait
        self._full_height: int | None = None
        self.problem = opengl_problem()
        """Why the picture does not move, or None."""
        self.view: AvatarWidget | AvatarWindow | None = None
        self.still: StillFace | None = None
        if self.problem is None:
            drawing = FaceDrawing(portrait, pose_source, max_fps=max_fps, make_scene=make_scene)
            drawing.failed.connect(self._on_gl_failed)
            self.view = self._make_view(drawing)
        else:
            self.still = StillFace(portrait, self)
        self.ai_label = label("ai", parent=self)

    def _make_view(self, drawing: FaceDrawing) -> AvatarWidget | AvatarWindow:
        if QGuiApplication.platformName() != "xcb":
            return AvatarWidget(drawing, self)
        # The panel has an X window of its own, too, which cuts off what of the face is not to be seen.
        self.setAttribute(Qt.WidgetAttribute.WA_DontCreateNativeAncestors)
        self.setAttribute(Qt.WidgetAttribute.WA_NativeWindow)
        return AvatarWindow(drawing)

    def apply(self, theme: Theme, texts: Texts) -> None:
        """Take sizes and the text of the AI label."""
        self.ai_label.setText(texts.ai_label)
        self.ai_label.adjustSize()
        self.ai_label.move(theme.space(1.5), theme.space(1.5))
        self.ai_label.raise_()
        self._draw_label()

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
        self._draw_label()

    def _draw_label(self) -> None:
        """Have the label drawn with the face where a window of its own covers the widget."""
        # A hidden label would be laid out anew by render().
        if isinstance(self.view, AvatarWindow) and self.ai_label.isVisible():
            ratio = self.devicePixelRatioF()
            place = (self.ai_label.pos() - self.view.position()) * ratio
            picture = QImage(self.ai_label.size() * ratio, QImage.Format.Format_ARGB32_Premultiplied)
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            self.ai_label.render(picture, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
            self.view.drawing.set_label(picture, place)

    def set_idle(self, is_idle: bool) -> None:
        """Draw fewer frames while nobody is there."""
        if self.view is not None:
            self.view.drawing.set_idle(is_idle)

    def stats(self) -> FrameStats | None:
        """Figures of the moving picture; None when it is still."""
        return self.view.drawing.stats() if self.view is not None else None

    def close_gl(self) -> None:
        """Free what lies on the graphics card; may be called twice."""
        if self.view is not None:
            self.view.close_gl()

    @Slot(str)
    def _on_gl_failed(self, message: str) -> None:
        self.problem = message
        if isinstance(self.view, AvatarWindow):
            self.view.hide()
        if self.still is None:
            self.still = StillFace(self._portrait, self)
            self._place()
            self.still.show()
            self.ai_label.raise_()
        self.gl_failed.emit(message)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        self._place()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: D102
        if isinstance(self.view, AvatarWindow) and not self.view.drawing.has_failed:
            self.view.setParent(self.windowHandle())
            self._place()
            self.view.show()
            self.view.drawing.run()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: D102
        if isinstance(self.view, AvatarWindow):
            self.view.drawing.halt()

    def minimumSizeHint(self) -> QSize:  # noqa: D102
        return QSize(0, 0)
