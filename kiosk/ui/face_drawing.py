"""What is drawn of the face and when, whoever owns the OpenGL context. GUI thread only."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Protocol

import moderngl
from PySide6.QtCore import QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage

from kiosk.errors import KioskError
from kiosk.face.portrait import Portrait
from kiosk.face.scene import FaceScene
from kiosk.face.types import FacePose
from kiosk.ui.frame_stats import FrameCounter, FrameStats
from kiosk.ui.gl_sticker import Sticker

log = logging.getLogger("ui")

IDLE_FPS = 12
"""Frames per second while nobody speaks to the kiosk: enough for breathing and blinks, a third of the work."""


class Scene(Protocol):
    """What is drawn; `kiosk.face.scene.FaceScene` is the real one."""

    def resize(self, width: int, height: int) -> None:
        """Prepare for a viewport of this many device pixels."""

    def draw(self, pose: FacePose, framebuffer: moderngl.Framebuffer) -> None:
        """Draw one frame."""

    def release(self) -> None:
        """Free the GL objects."""


PoseSource = Callable[[], FacePose]
SceneFactory = Callable[[moderngl.Context, Portrait], Scene]


class FaceDrawing(QObject):
    """Asks for a pose and draws it, at most `max_fps` times a second, into the context that its owner makes current.

    Signals: `frame_due()`, upon which the owner calls `draw`; `failed(str)` once, when OpenGL refuses: nothing is
    drawn from then on. It does not know where poses come from, nor what the kiosk is doing.
    """

    frame_due = Signal()
    failed = Signal(str)

    def __init__(
        self,
        portrait: Portrait,
        pose_source: PoseSource,
        *,
        max_fps: int = 30,
        make_scene: SceneFactory = FaceScene,
        parent: QObject | None = None,
    ) -> None:
        """Make it; nothing of OpenGL is touched before `begin`.

        Args:
            portrait: The face.
            pose_source: Gives the pose for now; called in the GUI thread for each frame.
            max_fps: Frames per second at most.
            make_scene: Builds what is drawn.
            parent: The owner.
        """
        super().__init__(parent)
        self._portrait = portrait
        self._pose_source = pose_source
        self._max_fps = max_fps
        self._fps = max_fps
        self._make_scene = make_scene
        self._context: moderngl.Context | None = None
        self._scene: Scene | None = None
        self._label: tuple[QImage, QPoint] | None = None
        self._sticker: Sticker | None = None
        self._viewport = (0, 0)
        self._has_failed = False
        self._counter = FrameCounter(max_fps)
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(round(1000 / max_fps))
        self._timer.timeout.connect(self.frame_due)

    def set_idle(self, is_idle: bool) -> None:
        """Draw fewer frames while nobody is there."""
        fps = min(IDLE_FPS, self._max_fps) if is_idle else self._max_fps
        if fps != self._fps:
            self._fps = fps
            self._counter.set_rate(fps)
            self._timer.setInterval(round(1000 / fps))

    def set_label(self, picture: QImage, place: QPoint) -> None:
        """Draw this over the face; `place` of its upper left corner in device pixels from the viewport's."""
        self._label = picture, place
        if self._sticker is not None:
            self._sticker.show(picture, place)

    def stats(self) -> FrameStats:
        """Frames drawn and late, rate and longest gap."""
        return self._counter.stats()

    @property
    def viewport_size(self) -> tuple[int, int]:
        """Device pixels that the scene was told to fill."""
        return self._viewport

    @property
    def has_context(self) -> bool:
        """Whether there is something to `release`."""
        return self._context is not None

    @property
    def has_failed(self) -> bool:
        """Whether OpenGL has refused."""
        return self._has_failed

    def run(self) -> None:
        """The face is to be seen: frames are due from now on."""
        self._counter.pause()
        if not self._has_failed:
            self._timer.start()

    def halt(self) -> None:
        """Nothing is to be seen: no more frames."""
        self._timer.stop()

    def begin(self) -> None:
        """Make the scene in the context that is current; again where the owner got a new one."""
        self._scene = self._sticker = None
        self._viewport = (0, 0)
        try:
            self._context = moderngl.create_context(require=330)
            self._scene = self._make_scene(self._context, self._portrait)
            self._sticker = Sticker(self._context)
            if self._label is not None:
                self._sticker.show(*self._label)
        except KioskError as error:
            self.fail(error.message)
        except Exception as error:  # noqa: BLE001 - moderngl raises plain Exception when the driver lacks something
            self.fail(f"OpenGL 3.3 does not work here ({error}); update the graphics driver")

    def draw(self, size: QSize, framebuffer: int) -> bool:
        """Draw a frame of this many device pixels into the framebuffer of this number; tells whether it did."""
        if self._scene is None or self._context is None or self._has_failed:
            return False
        begin = time.monotonic()
        try:
            if self._viewport != size.toTuple():
                self._viewport = (size.width(), size.height())
                self._scene.resize(*self._viewport)
            target = self._context.detect_framebuffer(framebuffer)
            self._scene.draw(self._pose_source(), target)
            if self._sticker is not None:
                self._sticker.draw(target, self._viewport)
        except KioskError as error:
            self.fail(error.message)
        self._counter.count(begin, time.monotonic())
        return not self._has_failed

    def fail(self, message: str) -> None:
        """Give up: OpenGL refuses."""
        self._has_failed = True
        self._timer.stop()
        log.error("%s", message)
        self.failed.emit(message)

    def release(self) -> None:
        """Free what lies on the graphics card; the context must be current. May be called twice."""
        self._timer.stop()
        for thing in (self._sticker, self._scene, self._context):
            if thing is not None:
                thing.release()
        self._sticker = self._scene = self._context = None
