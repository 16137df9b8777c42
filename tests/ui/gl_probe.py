"""Started by test_avatar_view.py in a process with OpenGL; prints one JSON object of what it saw."""

import json
import sys

import moderngl
import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from kiosk.errors import RenderError
from kiosk.face.portrait import avatar_folders, load_portrait
from kiosk.face.types import FacePose
from kiosk.ui.avatar_view import AvatarView
from kiosk.ui.face_panel import FacePanel, StillFace
from kiosk.ui.gallery import sample_states, settle
from kiosk.ui.state import Phase
from kiosk.ui.window import KioskWindow


def neutral() -> FacePose:
    return FacePose(units=np.zeros(52, np.float32))


def open_mouth() -> FacePose:
    units = np.zeros(52, np.float32)
    units[24] = 0.4  # jawOpen
    return FacePose(units=units)


class Quarters:
    """A scene of four known colours; tells sizes and releases."""

    sizes: list[tuple[int, int]] = []  # noqa: RUF012
    released = 0

    def __init__(self, ctx: moderngl.Context, portrait: object) -> None:
        self._ctx = ctx

    def resize(self, width: int, height: int) -> None:
        self._size = width, height
        Quarters.sizes.append(self._size)

    def draw(self, pose: FacePose, framebuffer: moderngl.Framebuffer) -> None:
        width, height = self._size
        framebuffer.use()
        framebuffer.viewport = 0, 0, width, height
        for x, y, color in ((0, 0, (1, 0, 0)), (1, 0, (0, 1, 0)), (0, 1, (0, 0, 1)), (1, 1, (1, 1, 1))):
            framebuffer.clear(
                *color, viewport=(x * width // 2, y * height // 2, width - width // 2, height - height // 2)
            )

    def release(self) -> None:
        Quarters.released += 1


def pixels(widget: AvatarView) -> np.ndarray:
    image = widget.grabFramebuffer().convertToFormat(widget.grabFramebuffer().Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).astype(int)


def sizes(portrait: object) -> dict[str, object]:
    found = []
    for width in (431, 640, 641):
        window = QWidget()
        window.resize(width + 20, 500)
        view = AvatarView(portrait, neutral, make_scene=Quarters, parent=window)
        view.setGeometry(5, 7, width, 333)
        window.show()
        settle(300)
        shot = pixels(view)
        height, wide = shot.shape[:2]
        corners = [shot[y, x].tolist() for y in (2, height - 3) for x in (2, wide - 3)]
        on_screen = np.array(view.size().toTuple()) * view.devicePixelRatioF()
        found.append(
            {
                "expected": on_screen.tolist(),
                "viewport": view.viewport_size,
                "framebuffer": [wide, height],
                "corners": corners,
            }
        )
        view.close_gl()
        view.close_gl()
        window.close()
        window.deleteLater()
        settle(20)
    return {"views": found, "released": Quarters.released}


def face(portrait: object) -> dict[str, object]:
    poses = [neutral]
    window = QWidget()
    window.resize(480, 360)
    view = AvatarView(portrait, lambda: poses[0](), parent=window)
    view.setGeometry(0, 0, 480, 360)
    window.show()
    settle(600)
    still = StillFace(portrait)
    still.resize(480, 360)
    image = still.grab().toImage().convertToFormat(view.grabFramebuffer().Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    painted = rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).astype(int)
    closed = pixels(view)
    poses[0] = open_mouth
    settle(300)
    opened = pixels(view)
    changed = np.abs(opened - closed).max(-1) > 25
    drawn = view.stats().drawn
    window.showFullScreen()  # may bring a new context
    settle(400)
    full = pixels(view)
    view.close_gl()
    window.close()
    return {
        "difference_to_still": float(np.abs(painted - closed).mean()),
        "changed_share": float(changed.mean()),
        "changed_row": float(np.argwhere(changed)[:, 0].mean() / closed.shape[0]) if changed.any() else None,
        "drawn": drawn,
        "drawn_after": view.stats().drawn,
        "full_is_face": float(full.std()),
    }


def failure(portrait: object) -> dict[str, object]:
    def refuse(_ctx: object, _portrait: object) -> Quarters:
        raise RenderError("no-opengl", "OpenGL 3.3 does not work here; update the graphics driver")

    heard: list[str] = []
    panel = FacePanel(portrait, neutral)
    panel.view.deleteLater()
    panel.view = AvatarView(portrait, neutral, make_scene=refuse, parent=panel)
    panel.view.gl_failed.connect(panel._on_gl_failed)
    panel.gl_failed.connect(heard.append)
    panel.resize(400, 300)
    panel.show()
    settle(400)
    shot = panel.grab().toImage()
    middle = shot.pixelColor(200, 140)
    panel.close_gl()
    panel.close()
    return {"heard": heard, "skin": middle.red() - middle.blue(), "still_shown": panel.still is not None}


def closing(portrait: object) -> dict[str, object]:
    rates, touched = {}, []
    for name, state in sample_states("zh").items():
        window = KioskWindow(FacePanel(portrait, open_mouth))
        window.resize(1280, 720)
        window.show()
        window.show_state(state)
        settle(700 if state.phase in (Phase.SPEAKING, Phase.ATTRACT) else 60)
        window.touched.connect(lambda: touched.append(True))
        QTest.mouseClick(window.face.windowHandle() or window.windowHandle(), Qt.MouseButton.LeftButton)
        stats = window.face.stats()
        rates[name] = [stats.drawn, stats.fps]
        window.close()
        window.deleteLater()
        settle(10)
    return {"rates": rates, "touched": len(touched)}


def main() -> None:
    application = QApplication(sys.argv)
    portrait = load_portrait(avatar_folders()["mei"])
    report = {"sizes": sizes, "face": face, "failure": failure, "closing": closing}[sys.argv[1]](portrait)
    print(json.dumps(report))
    application.quit()


main()
