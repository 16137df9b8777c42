"""A small picture over whatever else is drawn with OpenGL. GUI thread only, with the context current."""

from __future__ import annotations

from typing import Any

import moderngl
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage

_VERTEX = """#version 330
uniform vec4 area;  // left, top, width, height in pixels
uniform vec2 span;  // of the viewport, in pixels
out vec2 texel;
void main() {
  texel = vec2(gl_VertexID % 2, gl_VertexID / 2) * area.zw;
  vec2 p = (area.xy + texel) / span;
  gl_Position = vec4(p.x * 2.0 - 1.0, 1.0 - p.y * 2.0, 0.0, 1.0);
}"""
_FRAGMENT = """#version 330
uniform sampler2D picture;
in vec2 texel;
out vec4 colour;
void main() { colour = texelFetch(picture, ivec2(texel), 0); }"""
# The stubs of moderngl know no separate factors for alpha, which must stay 1 in a window.
_OVER: Any = (moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ZERO, moderngl.ONE)


class Sticker:
    """Draws one picture, pixel by pixel, at one place."""

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._program = context.program(vertex_shader=_VERTEX, fragment_shader=_FRAGMENT)
        self._array = context.vertex_array(self._program, [])
        self._picture = QImage()
        self._place = QPoint()
        self._is_new = False
        self._texture: moderngl.Texture | None = None

    def show(self, picture: QImage, place: QPoint) -> None:
        """Take a picture and the place of its upper left corner in pixels from the viewport's; without context."""
        if picture != self._picture:
            self._picture = picture
            self._is_new = True
        self._place = place

    def draw(self, framebuffer: moderngl.Framebuffer, span: tuple[int, int]) -> None:
        """Draw it over what is there; `span` is width and height of the viewport in pixels."""
        if self._is_new:
            self._upload()
        if self._texture is None:
            return
        framebuffer.use()
        self._program["area"] = (self._place.x(), self._place.y(), *self._texture.size)
        self._program["span"] = span
        self._texture.use(0)
        self._context.enable_only(moderngl.BLEND)
        self._context.blend_func = _OVER
        self._array.render(moderngl.TRIANGLE_STRIP, vertices=4)
        self._context.enable_only(moderngl.NOTHING)

    def release(self) -> None:
        """Free all GL objects. May be called twice."""
        for thing in (self._texture, self._array, self._program):
            if thing is not None:
                thing.release()
        self._texture = None

    def _upload(self) -> None:
        self._is_new = False
        if self._texture is not None:
            self._texture.release()
            self._texture = None
        image = self._picture.convertToFormat(QImage.Format.Format_RGBA8888_Premultiplied)
        if not image.isNull():
            self._texture = self._context.texture((image.width(), image.height()), 4, bytes(image.constBits()))
