"""The scene in a real OpenGL context without a screen."""

import dataclasses

import cv2
import moderngl
import numpy as np
import pytest

from kiosk.errors import RenderError
from kiosk.face import topology as top
from kiosk.face.framing import compose_still, frame_portrait
from kiosk.face.offscreen import OffscreenRenderer, describe_opengl
from kiosk.face.portrait import load_portrait, shipped_avatars_dir
from kiosk.face.scene import FaceScene
from kiosk.face.types import UNIT_NAMES, FacePose

SIZES = [(1280, 720), (540, 960), (800, 600), (1280, 360)]


@pytest.fixture(scope="module", autouse=True)
def _egl():
    try:
        describe_opengl()
    except RenderError as error:
        pytest.skip(error.message)


@pytest.fixture(scope="module")
def mei():
    return load_portrait(shipped_avatars_dir() / "mei")


def pose(**units):
    weights = np.zeros(len(UNIT_NAMES), np.float32)
    for name, value in units.items():
        weights[UNIT_NAMES.index(name)] = value
    return FacePose(units=weights)


def at_rest(portrait, size):
    """The still as the scene makes it: with its margin, which is cut off here."""
    margin = round(0.03 * max(size))
    still = compose_still(portrait, frame_portrait(portrait, *size), *size, margin)
    return still[margin:-margin, margin:-margin]


def on_screen(portrait, index, size):
    framing = frame_portrait(portrait, *size)
    return portrait.landmarks[index] * framing.scale + framing.offset


@pytest.mark.parametrize("size", SIZES)
def test_at_rest_the_mesh_changes_nothing_of_the_still(mei, size):
    still = at_rest(mei, size)
    with OffscreenRenderer(mei, *size) as renderer:
        frame = renderer.frame(pose())
    difference = np.abs(frame.astype(int) - still)
    assert difference.max() <= 3
    assert difference.mean() < 0.1


@pytest.mark.parametrize("size", SIZES)
def test_the_face_is_large_upright_and_in_its_place(mei, size):
    right, left = (on_screen(mei, i, size) for i in (top.RIGHT_PUPIL, top.LEFT_PUPIL))
    eyes = (right + left) / 2
    assert eyes[0] == pytest.approx(size[0] / 2, abs=2)
    assert eyes[1] == pytest.approx(0.4 * size[1], abs=0.04 * size[1])
    assert 0.12 * min(size) < left[0] - right[0] < 0.35 * min(size)


def test_the_open_mouth_shows_its_inside_and_nothing_else_moves_far(mei):
    size = (720, 720)
    with OffscreenRenderer(mei, *size) as renderer:
        rest, opened = renderer.frame(pose()).astype(int), renderer.frame(pose(jawOpen=0.45)).astype(int)
    x, y = on_screen(mei, top.LOWER_LIP_MIDDLE, size).astype(int)
    assert opened[y + 8, x].sum() < 200 < rest[y + 8, x].sum()  # dark, where the lower lip was
    changed = np.abs(opened - rest).max(2) > 12
    columns, rows = np.flatnonzero(changed.any(0)), np.flatnonzero(changed.any(1))
    assert rows.min() > on_screen(mei, top.RIGHT_PUPIL, size)[1]  # nothing above the eyes
    assert np.ptp(columns) < 0.8 * size[0]


def test_lips_edge_shows_no_seam_where_the_mesh_ends(mei):
    size = (720, 720)
    with OffscreenRenderer(mei, *size) as renderer:
        rest = renderer.frame(pose()).astype(int)
        moved = renderer.frame(dataclasses.replace(pose(jawOpen=0.3), roll_degrees=3.0)).astype(int)
    ring = mei.landmarks[list(top.OVAL)]
    rim = (ring.mean(0) + (ring - ring.mean(0)) * 2.0) * frame_portrait(mei, *size).scale
    rim = (rim + frame_portrait(mei, *size).offset).astype(int)
    rim = rim[((rim > 2) & (rim < 717)).all(1)]
    assert len(rim) > 5
    step = [np.abs(moved[y - 2 : y + 3, x - 2 : x + 3] - rest[y - 2 : y + 3, x - 2 : x + 3]).mean() for x, y in rim]
    assert max(step) <= 2  # grey levels


def test_a_blink_hides_the_iris(mei):
    size = (720, 720)
    with OffscreenRenderer(mei, *size) as renderer:
        frames = [renderer.frame(pose(eyeBlinkLeft=b, eyeBlinkRight=b)) for b in (0.0, 1.0)]
    x, y = on_screen(mei, top.LEFT_PUPIL, size).astype(int)
    iris = [int(cv2.cvtColor(f, cv2.COLOR_RGB2GRAY)[y - 10, x]) for f in frames]
    assert iris[0] < 60
    assert iris[1] > 140  # skin of the lid


def test_every_shipped_avatar_draws_and_differs():
    frames = []
    for name in ("mei", "jun", "anna", "sam"):
        with OffscreenRenderer(load_portrait(shipped_avatars_dir() / name), 320, 240) as renderer:
            frames.append(renderer.frame(pose(jawOpen=0.3)))
    assert len({f.tobytes() for f in frames}) == 4


def test_resizing_keeps_drawing_right_and_makes_no_garbage(mei):
    context = moderngl.create_standalone_context(require=330, backend="egl")
    scene = FaceScene(context, mei, top_row_first=True)
    with pytest.raises(RenderError, match="size"):
        scene.draw(pose(), context.simple_framebuffer((64, 64)))
    for size in [(640, 360), (300, 500), (640, 360)]:
        scene.resize(*size)
        target = context.simple_framebuffer(size, 4)
        scene.draw(pose(), target)
        frame = np.frombuffer(target.read(components=3, alignment=1), np.uint8).reshape(size[1], size[0], 3)
        still = at_rest(mei, size)
        assert np.abs(frame.astype(int) - still).max() <= 3
        target.release()
    scene.release()
    scene.release()
    context.release()


def test_a_part_of_a_framebuffer_can_be_drawn_on(mei):
    context = moderngl.create_standalone_context(require=330, backend="egl")
    scene = FaceScene(context, mei)
    scene.resize(200, 150)
    target = context.simple_framebuffer((400, 300), 4)
    target.clear(1.0, 0.0, 0.0)
    scene.draw(pose(), target, (100, 50, 200, 150))
    frame = np.frombuffer(target.read(components=3, alignment=1), np.uint8).reshape(300, 400, 3)[::-1]
    still = at_rest(mei, (200, 150))
    inside = frame[100:250, 100:300].astype(int)  # the viewport counts from below
    assert np.abs(inside - still).max() <= 3
    outside = frame.copy()
    outside[100:250, 100:300] = (255, 0, 0)
    assert (outside == (255, 0, 0)).all()
    scene.release()
    context.release()


def test_no_gl_object_is_made_while_drawing(mei):
    with OffscreenRenderer(mei, 320, 240) as renderer:
        renderer.frame(pose())
        context = renderer._ctx

        def fail(*args, **kwargs):
            raise AssertionError("made while drawing")

        kept = {name: getattr(context, name) for name in ("buffer", "vertex_array", "texture", "program")}
        try:
            for name in kept:
                setattr(context, name, fail)
            renderer.frame(pose(jawOpen=0.3))
        finally:
            for name, method in kept.items():
                setattr(context, name, method)


def test_a_missing_egl_is_one_clear_line(monkeypatch):
    def no_egl(*args, **kwargs):
        raise Exception("libEGL.so: cannot open shared object file")

    monkeypatch.setattr(moderngl, "create_standalone_context", no_egl)
    with pytest.raises(RenderError, match="install EGL"):
        describe_opengl()


def test_a_photo_with_teeth_keeps_them_in_its_own_open_mouth(mei):
    size = (720, 720)
    with OffscreenRenderer(mei, 1080, 1080) as renderer:
        smiling = renderer.frame(pose(jawOpen=0.2, mouthUpperUpLeft=0.3, mouthUpperUpRight=0.3))
        framing = renderer._scene.framing
        moved = renderer._scene._warp.vertices(pose(jawOpen=0.2, mouthUpperUpLeft=0.3, mouthUpperUpRight=0.3))
    points = (moved[:478] * framing.scale + framing.offset).astype(np.float32)
    photo = dataclasses.replace(mei, image=smiling, landmarks=points, depth=mei.depth * np.float32(framing.scale))
    with OffscreenRenderer(photo, *size) as renderer:
        rest = renderer.frame(pose()).astype(int)
    still = at_rest(photo, size)
    x, y = on_screen(photo, [13, 14], size).mean(0).astype(int)
    mouth = np.s_[y - 20 : y + 21, x - 40 : x + 41]
    assert np.abs(rest[mouth] - still[mouth]).mean() < 2
