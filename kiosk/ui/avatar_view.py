"""The face on the screen: a QOpenGLWidget that draws a `FaceScene` through moderngl. GUI thread only."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Protocol

import moderngl
from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QOffscreenSurface, QOpenGLContext, QShowEvent, QSurfaceFormat
from PySide6.QtOpenGLWidgets import QOpenGLWidget
from PySide6.QtWidgets import QWidget

from kiosk.errors import KioskError
from kiosk.face.portrait import Portrait
from kiosk.face.scene import FaceScene
from kiosk.face.types import FacePose
from kiosk.ui.frame_stats import FrameCounter, FrameStats

log = logging.getLogger("ui")

IDLE_FPS = 12
"""Frames per second while nobody speaks to the kiosk: enough for breathing and blinks, a third of the work."""
_GL_VERSION = (3, 3)


class Scene(Protocol):
    """What the view draws; `kiosk.face.scene.FaceScene` is the real one."""

    def resize(self, width: int, height: int) -> None:
        """Prepare for a viewport of this many device pixels."""

    def draw(self, pose: FacePose, framebuffer: moderngl.Framebuffer) -> None:
        """Draw one frame."""

    def release(self) -> None:
        """Free the GL objects."""


PoseSource = Callable[[], FacePose]
SceneFactory = Callable[[moderngl.Context, Portrait], Scene]


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
            return "OpenGL is not available on this screen; install a graphics driver (Linux: libgl1-mesa-dri)"
        version = context.format().version()
        context.doneCurrent()
        if tuple(version) < _GL_VERSION:
            return f"OpenGL {version[0]}.{version[1]} is too old, 3.3 is needed; update the graphics driver"
    finally:
        surface.destroy()
    return None


class AvatarView(QOpenGLWidget):
    """Asks for a pose and draws it, at most `max_fps` times a second.

    Signals: `gl_failed(str)` once, when OpenGL refuses; the view draws nothing from then on.
    It does not know where poses come from, nor what the kiosk is doing.
    """

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
        """Make the view; nothing of OpenGL is touched before it is shown.

        Args:
            portrait: The face.
            pose_source: Gives the pose for now; called in the GUI thread for each frame.
            max_fps: Frames per second at most.
            make_scene: Builds what is drawn.
            parent: The owner.
        """
        super().__init__(parent)
        self.setFormat(surface_format())
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._portrait = portrait
        self._pose_source = pose_source
        self._max_fps = max_fps
        self._fps = max_fps
        self._make_scene = make_scene
        self._context: moderngl.Context | None = None
        self._scene: Scene | None = None
        self._viewport = (0, 0)
        self._has_failed = False
        self._counter = FrameCounter(max_fps)
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(round(1000 / max_fps))
        self._timer.timeout.connect(self._on_tick)

    def set_idle(self, is_idle: bool) -> None:
        """Draw fewer frames while nobody is there."""
        fps = min(IDLE_FPS, self._max_fps) if is_idle else self._max_fps
        if fps != self._fps:
            self._fps = fps
            self._counter.set_rate(fps)
            self._timer.setInterval(round(1000 / fps))

    def stats(self) -> FrameStats:
        """Frames drawn and late, rate and longest gap."""
        return self._counter.stats()

    @property
    def viewport_size(self) -> tuple[int, int]:
        """Device pixels that the scene was told to fill: the widget's size × its device pixel ratio."""
        return self._viewport

    def close_gl(self) -> None:
        """Free what lies on the graphics card. Called before the window goes; may be called twice."""
        self._timer.stop()
        if self._context is None:
            return
        self.makeCurrent()
        if self._scene is not None:
            self._scene.release()
            self._scene = None
        self._context.release()
        self._context = None
        self.doneCurrent()

    def _device_size(self) -> tuple[int, int]:
        # Qt makes the framebuffer of size × ratio, rounded in this way.
        size = self.size() * self.devicePixelRatioF()
        return size.width(), size.height()

    def _fail(self, message: str) -> None:
        self._has_failed = True
        self._timer.stop()
        log.error("%s", message)
        self.gl_failed.emit(message)

    @Slot()
    def _on_tick(self) -> None:
        self.update()

    # -- Qt

    def initializeGL(self) -> None:  # noqa: D102
        # Runs again with a new context when the window is re-created, such as on a change to full screen.
        self._scene = None
        self._viewport = (0, 0)
        try:
            self._context = moderngl.create_context(require=330)
            self._scene = self._make_scene(self._context, self._portrait)
        except KioskError as error:
            self._fail(error.message)
        except Exception as error:  # noqa: BLE001 - moderngl raises plain Exception when the driver lacks something
            self._fail(f"OpenGL 3.3 does not work here ({error}); update the graphics driver")

    def paintGL(self) -> None:  # noqa: D102
        if self._scene is None or self._context is None or self._has_failed:
            return
        begin = time.monotonic()
        try:
            if self._viewport != self._device_size():
                self._viewport = self._device_size()
                self._scene.resize(*self._viewport)
            framebuffer = self._context.detect_framebuffer(self.defaultFramebufferObject())
            self._scene.draw(self._pose_source(), framebuffer)
        except KioskError as error:
            self._fail(error.message)
        self._counter.count(begin, time.monotonic())

    def showEvent(self, event: QShowEvent) -> None:  # noqa: D102
        super().showEvent(event)
        self._counter.pause()
        if not self._has_failed:
            self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: D102
        self._timer.stop()
        super().hideEvent(event)
