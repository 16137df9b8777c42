"""Frames of the face without a screen: an OpenGL context through EGL, the same scene, pictures as arrays.

Belongs to the thread that made it.
"""

from __future__ import annotations

from types import TracebackType

import moderngl
import numpy as np
from numpy.typing import NDArray

from kiosk.errors import RenderError
from kiosk.face.portrait import Portrait
from kiosk.face.scene import FaceScene
from kiosk.face.types import FacePose


class OffscreenRenderer:
    """Draws a portrait into memory. Use it in a `with` statement, or call `close`."""

    def __init__(self, portrait: Portrait, width: int, height: int) -> None:
        """Open a context of its own.

        Args:
            portrait: The face.
            width: Pixels.
            height: Pixels.

        Raises:
            RenderError: There is no EGL, or its OpenGL is older than 3.3.
            AvatarError: The portrait is damaged.
        """
        self.width, self.height = width, height
        self._ctx = _open_context()
        try:
            self._scene = FaceScene(self._ctx, portrait, top_row_first=True)
            self._colour = self._ctx.renderbuffer((width, height), 4)
            self._framebuffer = self._ctx.framebuffer([self._colour])
            self._scene.resize(width, height)
        except moderngl.Error as error:
            self._ctx.release()
            raise RenderError(
                "too-large", f"cannot draw pictures of {width}x{height} pixels here ({error})"
            ) from error
        except BaseException:
            self._ctx.release()
            raise
        self._closed = False

    def frame(self, pose: FacePose) -> NDArray[np.uint8]:
        """One picture, RGB, shape (height, width, 3)."""
        self._scene.draw(pose, self._framebuffer)
        data = self._framebuffer.read(components=3, alignment=1)
        return np.frombuffer(data, np.uint8).reshape(self.height, self.width, 3)

    def close(self) -> None:
        """Free the context; may be called twice."""
        if not self._closed:
            self._closed = True
            self._scene.release()
            self._framebuffer.release()
            self._colour.release()
            self._ctx.release()

    def __enter__(self) -> OffscreenRenderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def describe_opengl() -> str:
    """Name and version of the OpenGL that draws without a screen.

    Raises:
        RenderError: There is none.
    """
    context = _open_context()
    try:
        return f"{context.info['GL_RENDERER']}, OpenGL {context.version_code / 100:.1f}"
    finally:
        context.release()


def _open_context() -> moderngl.Context:
    try:
        return moderngl.create_standalone_context(require=330, backend="egl")  # type: ignore[arg-type]  # wrong stub
    except Exception as error:  # glcontext reports a missing EGL with a plain Exception
        raise RenderError(
            "no-egl", f"no OpenGL 3.3 without a screen ({error}); install EGL (package libegl1 and libgl1-mesa-dri)"
        ) from error
