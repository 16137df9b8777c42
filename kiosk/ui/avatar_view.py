"""The face on the screen: the two places where OpenGL draws a `FaceDrawing`. GUI thread only.

`AvatarWidget` works everywhere: Qt puts its picture together with the rest of the window. `AvatarWindow` is a native
window inside another one: nothing is put together, which costs a processor that also draws as much as the face.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import (
    QExposeEvent,
    QHideEvent,
    QOffscreenSurface,
    QOpenGLContext,
    QShowEvent,
    QSurface,
    QSurfaceFormat,
    QWindow,
)
from PySide6.QtOpenGLWidgets import QOpenGLWidget
from PySide6.QtWidgets import QWidget

from kiosk.ui.face_drawing import FaceDrawing

_GL_VERSION = (3, 3)
_CONTEXT_REFUSED = "OpenGL is not available on this screen; install a graphics driver (Linux: libgl1-mesa-dri)"


def surface_format() -> QSurfaceFormat:
    """What the face needs of OpenGL: 3.3 core, no depth, no multisampling."""
    wanted = QSurfaceFormat()
    wanted.setVersion(*_GL_VERSION)
    wanted.setProfile(QSurfaceFormat.OpenGLContextProfile.CoreProfile)
    wanted.setDepthBufferSize(0)
    wanted.setStencilBufferSize(0)
    wanted.setSamples(0)
    return wanted


def opengl_problem() -> str | None:
    """Why OpenGL cannot draw the face on this screen, in one line; None when it can. Needs a QGuiApplication."""
    context = QOpenGLContext()
    context.setFormat(surface_format())
    surface = QOffscreenSurface()
    surface.setFormat(context.format())
    surface.create()
    try:
        if not context.create() or not context.makeCurrent(surface):
            return _CONTEXT_REFUSED
        version = context.format().version()
        context.doneCurrent()
        if tuple(version) < _GL_VERSION:
            return f"OpenGL {version[0]}.{version[1]} is too old, 3.3 is needed; update the graphics driver"
    finally:
        surface.destroy()
    return None


class AvatarWidget(QOpenGLWidget):
    """The face as a widget; others may lie over it."""

    def __init__(self, drawing: FaceDrawing, parent: QWidget | None = None) -> None:
        """Make it and own the drawing; nothing of OpenGL is touched before it is shown."""
        super().__init__(parent)
        self.setFormat(surface_format())
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.drawing = drawing
        drawing.setParent(self)
        drawing.frame_due.connect(self.update)

    def close_gl(self) -> None:
        """Free what lies on the graphics card. Called before the window goes; may be called twice."""
        self.drawing.halt()
        if self.drawing.has_context:
            self.makeCurrent()
            self.drawing.release()
            self.doneCurrent()

    # -- Qt

    def initializeGL(self) -> None:  # noqa: D102
        # Runs again with a new context when the window is re-created, such as on a change to full screen.
        self.drawing.begin()

    def paintGL(self) -> None:  # noqa: D102
        # Qt makes the framebuffer of size × ratio, rounded in this way.
        self.drawing.draw(self.size() * self.devicePixelRatioF(), self.defaultFramebufferObject())

    def showEvent(self, event: QShowEvent) -> None:  # noqa: D102
        super().showEvent(event)
        self.drawing.run()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: D102
        self.drawing.halt()
        super().hideEvent(event)


class AvatarWindow(QWindow):
    """The face as a native window, to be placed inside that of a widget; touches go to what lies under it.

    Who places it calls `drawing.run` and `drawing.halt`: X11 does not tell a window that its parent was hidden.
    """

    def __init__(self, drawing: FaceDrawing) -> None:
        """Make it and own the drawing; nothing of OpenGL is touched before it is exposed."""
        super().__init__()
        self.setSurfaceType(QSurface.SurfaceType.OpenGLSurface)
        self.setFlag(Qt.WindowType.WindowTransparentForInput)
        wanted = surface_format()
        wanted.setSwapInterval(0)  # a swap that waits for the screen would stop the GUI thread
        self.setFormat(wanted)
        self._gl: QOpenGLContext | None = None
        self._is_closed = False
        self.drawing = drawing
        drawing.setParent(self)
        drawing.frame_due.connect(self._on_frame_due)

    def close_gl(self) -> None:
        """Free what lies on the graphics card. Called before the window goes; may be called twice."""
        self.drawing.halt()
        self._is_closed = True
        if self._gl is not None:
            self._gl.makeCurrent(self)
            self.drawing.release()
            self._gl.doneCurrent()
            self._gl = None

    def size_in_pixels(self) -> QSize:
        """Device pixels, rounded as Qt rounds the size of the window on the screen."""
        return self.size() * self.devicePixelRatio()

    def _begin(self) -> QOpenGLContext | None:
        made = QOpenGLContext()
        made.setFormat(self.requestedFormat())
        if not made.create() or not made.makeCurrent(self):
            self.drawing.fail(_CONTEXT_REFUSED)
            return None
        self._gl = made
        self.drawing.begin()
        return made

    @Slot()
    def _on_frame_due(self) -> None:
        if self._is_closed or self.drawing.has_failed or not self.isExposed():
            return
        context = self._gl or self._begin()
        if context is not None and context.makeCurrent(self) and self.drawing.draw(self.size_in_pixels(), 0):
            context.swapBuffers(self)

    # -- Qt

    def exposeEvent(self, event: QExposeEvent) -> None:  # noqa: D102
        self._on_frame_due()
