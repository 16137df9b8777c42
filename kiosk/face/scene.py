"""The face in OpenGL 3.3: one scene for the window and for files.

Used with its context current, in the thread that owns the context. All GL objects are made in the constructor and in
`resize`; drawing only fills them. The still picture is made once per size at the screen's own resolution, so that a
frame costs one copy of it and the triangles of the face.
"""

from __future__ import annotations

from typing import Any

import cv2
import moderngl
import numpy as np
from numpy.typing import NDArray

from kiosk.errors import RenderError
from kiosk.face import shaders
from kiosk.face.framing import EYE_HEIGHT, Framing, compose_still, frame_portrait
from kiosk.face.mouth import NUM_VERTICES, Mouth, mouth_triangles, teeth_sprites
from kiosk.face.portrait import Portrait
from kiosk.face.types import FacePose
from kiosk.face.warp import FaceWarp

MIN_SIDE = 16  # px
_MARGIN = 0.03  # of the longer side: beyond the screen's edge, for parts that the moving head brings in
_FEATHER_PX = 1.2  # screen pixels over which the lips' inner rim fades into the mouth
_FLOOR = (0.12, 0.035, 0.035, 0.55)  # dark red, darker in the middle: seen between dark lips, too
_LOWER_TEETH = 0.75  # brightness of the lower row over the upper one's
_FLOATS = 4  # bytes
# The stubs of moderngl know neither None here nor separate factors for alpha, which must stay 1 in a window.
_NO_SCISSOR: Any = None
_BLENDING: Any = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ZERO, moderngl.ONE)

Viewport = tuple[int, int, int, int]
"""Left, bottom, width, height in pixels of the framebuffer."""


class FaceScene:
    """Draws one portrait in any pose. Does not know what drives it."""

    def __init__(self, ctx: moderngl.Context, portrait: Portrait, *, top_row_first: bool = False) -> None:
        """Compile the programs and upload what does not depend on the size.

        Args:
            ctx: OpenGL 3.3 or newer, current.
            portrait: The face.
            top_row_first: Turn the picture over, so that reading the framebuffer gives the upper row first.

        Raises:
            RenderError: The driver refuses the programs.
            AvatarError: The portrait's landmarks or the installation's face data are damaged.
        """
        self._ctx, self._portrait, self._top_row_first = ctx, portrait, top_row_first
        self._warp = FaceWarp(portrait.landmarks, portrait.depth)
        sprites = teeth_sprites(portrait, self._warp)
        aspects = [sprite.shape[0] / sprite.shape[1] for sprite in sprites]
        self._mouth = Mouth(self._warp, aspects[0], aspects[1], _FEATHER_PX)
        self._aspects = aspects
        self._still: moderngl.Texture | None = None
        self._at_rest: moderngl.Framebuffer | None = None
        self._framing: Framing | None = None
        self._size = (0, 0)
        try:
            self._programs = [
                ctx.program(vertex_shader=vertex, fragment_shader=fragment)
                for vertex, fragment in (
                    (shaders.STILL_VERTEX, shaders.STILL_FRAGMENT),
                    (shaders.FACE_VERTEX, shaders.FACE_FRAGMENT),
                    (shaders.MOUTH_VERTEX, shaders.MOUTH_FRAGMENT),
                )
            ]
            self._teeth = [self._texture(sprite, mipmaps=True) for sprite in sprites]
            self._make_buffers()
        except moderngl.Error as error:
            raise RenderError(
                "no-opengl", f"OpenGL 3.3 does not work here ({_first_line(error)}); update the graphics driver"
            ) from error

    def resize(self, width: int, height: int, eye_height: float = EYE_HEIGHT) -> None:
        """Prepare for a viewport of this size in real pixels (size of the window x device pixel ratio).

        Args:
            width: Pixels.
            height: Pixels.
            eye_height: Where the eyes go, in parts of the height from above.
        """
        width, height = max(width, MIN_SIDE), max(height, MIN_SIDE)
        framing = frame_portrait(self._portrait, width, height, eye_height)
        margin = round(_MARGIN * max(width, height))
        still = compose_still(self._portrait, framing, width, height, margin)
        self._release_still()
        self._still = self._texture(still, mipmaps=False)
        visible = still[margin : margin + height, margin : margin + width]
        self._at_rest_texture = self._texture(visible if self._top_row_first else visible[::-1], mipmaps=False)
        self._at_rest = self._ctx.framebuffer([self._at_rest_texture])
        self._framing, self._size = framing, (width, height)
        self._mouth = Mouth(self._warp, self._aspects[0], self._aspects[1], _FEATHER_PX / framing.scale)
        canvas = np.array([width + 2 * margin, height + 2 * margin])
        frame = (framing.scale, *framing.offset)
        still_program, face, mouth = self._programs
        still_program["corner"] = (float(margin), float(margin))
        face["texels"] = (*(1 / canvas), *(margin / canvas))
        for program in self._programs:
            program["span"] = (float(width), float(height))
            program["up"] = -1.0 if self._top_row_first else 1.0
        for program in (face, mouth):
            program["frame"] = frame
        mouth["floor_colour"] = _FLOOR

    @property
    def framing(self) -> Framing:
        """How portrait pixels map to the viewport's.

        Raises:
            RenderError: `resize` was not called yet.
        """
        if self._framing is None:
            raise _no_size()
        return self._framing

    def draw(self, pose: FacePose, framebuffer: moderngl.Framebuffer, viewport: Viewport | None = None) -> None:
        """Draw one frame over the whole viewport.

        Args:
            pose: The moment.
            framebuffer: Where to; in a window, `ctx.detect_framebuffer(number)`.
            viewport: Part of the framebuffer; by default the size given to `resize`, from the lower left corner.

        Raises:
            RenderError: `resize` was not called yet.
        """
        ctx, still_texture, at_rest = self._ctx, self._still, self._at_rest
        if still_texture is None or at_rest is None:
            raise _no_size()
        moved = self._warp.vertices(pose)
        shape = self._mouth.shape(moved, pose)
        self._places.write(moved.tobytes())
        self._mouth_buffer.write(shape.vertices.tobytes())
        still, face, mouth = self._programs
        mouth["upper_row"] = list(map(tuple, shape.upper))
        mouth["lower_row"] = list(map(tuple, shape.lower))
        mouth["teeth"] = (shape.brightness, shape.brightness * _LOWER_TEETH, shape.teeth)

        whole = (0, 0, *self._size)
        area: Any = viewport or whole
        framebuffer.scissor = _NO_SCISSOR
        framebuffer.viewport = area
        framebuffer.use()
        ctx.enable_only(moderngl.NOTHING)
        fills = area == whole
        if fills:
            ctx.copy_framebuffer(framebuffer, at_rest)  # without a GPU much cheaper than drawing a rectangle
        still["still"] = face["still"] = 0
        still_texture.use(0)
        if not fills:
            self._still_array.render(moderngl.TRIANGLES, vertices=3)
        self._face_array.render(moderngl.TRIANGLES)
        ctx.enable_only(moderngl.BLEND)
        ctx.blend_func = _BLENDING
        mouth["upper"], mouth["lower"] = 0, 1
        for unit, texture in enumerate(self._teeth):
            texture.use(unit)
        self._mouth_array.render(moderngl.TRIANGLES)
        ctx.enable_only(moderngl.NOTHING)

    def release(self) -> None:
        """Free all GL objects; the context must be current. May be called twice."""
        self._release_still()
        for thing in (*self._owned, *self._teeth, *self._programs):
            thing.release()
        self._owned.clear()
        self._teeth.clear()
        self._programs.clear()

    def _release_still(self) -> None:
        if self._still is not None and self._at_rest is not None:
            self._still.release()
            self._at_rest.release()
            self._at_rest_texture.release()
        self._still = self._at_rest = self._framing = None

    def _make_buffers(self) -> None:
        ctx, warp = self._ctx, self._warp
        still, face, mouth = self._programs
        rest = ctx.buffer(warp.rest.astype(np.float32).tobytes())
        faces = ctx.buffer(warp.triangles.astype(np.int32).tobytes())
        mouth_faces = ctx.buffer(mouth_triangles().tobytes())
        self._places = ctx.buffer(reserve=warp.rest.size * _FLOATS, dynamic=True)
        self._mouth_buffer = ctx.buffer(reserve=NUM_VERTICES * 4 * _FLOATS, dynamic=True)
        self._still_array = ctx.vertex_array(still, [])
        self._face_array = ctx.vertex_array(
            face, [(self._places, "2f", "place"), (rest, "2f", "rest")], index_buffer=faces
        )
        self._mouth_array = ctx.vertex_array(
            mouth, [(self._mouth_buffer, "2f 2f", "place", "depth_cover")], index_buffer=mouth_faces
        )
        self._owned: list[Any] = [
            self._still_array, self._face_array, self._mouth_array,
            self._places, self._mouth_buffer, rest, faces, mouth_faces,
        ]  # fmt: skip

    def _texture(self, image: NDArray[np.uint8], *, mipmaps: bool) -> moderngl.Texture:
        if image.shape[2] == 3:
            image = cv2.cvtColor(image, cv2.COLOR_RGB2RGBA)  # four bytes a texel: what drivers store anyway
        limit = self._ctx.info["GL_MAX_TEXTURE_SIZE"]
        if max(image.shape[:2]) > limit:
            raise RenderError(
                "too-large", f"this graphics driver draws at most {limit} pixels a side; use a smaller screen mode"
            )
        texture = self._ctx.texture((image.shape[1], image.shape[0]), 4, np.ascontiguousarray(image).tobytes())
        texture.repeat_x = texture.repeat_y = False
        texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
        if mipmaps:
            texture.build_mipmaps()
            texture.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
        return texture


def _no_size() -> RenderError:
    return RenderError("no-size", "the face was drawn before its size was known; this is a fault of the program")


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
