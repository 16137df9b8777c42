"""Started by test_avatar_view.py in a process with OpenGL; prints one JSON object of what it saw."""

import json
import sys
from dataclasses import replace

import moderngl
import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from kiosk.errors import RenderError
from kiosk.face.portrait import avatar_folders, load_portrait
from kiosk.face.types import FacePose
from kiosk.ui.avatar_view import AvatarWidget, AvatarWindow
from kiosk.ui.face_drawing import FaceDrawing
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


def pixels(view: AvatarWidget | AvatarWindow) -> np.ndarray:
    """What the screen shows of the native window, or what is in the widget's framebuffer."""
    if isinstance(view, QWindow):
        return rgb(view.screen().grabWindow(view.winId()).toImage())
    return rgb(view.grabFramebuffer())


def rgb(image: QImage) -> np.ndarray:
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).astype(int)


def sizes(portrait: object) -> dict[str, object]:
    found = []
    cases = [(width, is_native) for is_native in (True, False) for width in (431, 640, 641)]
    for width, is_native in cases:
        window = QWidget()
        window.resize(width + 20, 500)
        if is_native:
            panel = FacePanel(portrait, neutral, make_scene=Quarters, parent=window)
            panel.ai_label.hide()
            panel.setGeometry(5, 7, width, 333)
            view = panel.view
            assert isinstance(view, AvatarWindow)
        else:
            view = AvatarWidget(FaceDrawing(portrait, neutral, make_scene=Quarters), window)
            view.setGeometry(5, 7, width, 333)
        window.show()
        settle(300)
        shot = pixels(view)
        height, wide = shot.shape[:2]
        corners = [shot[y, x].tolist() for y in (2, height - 3) for x in (2, wide - 3)]
        on_screen = np.array(view.size().toTuple()) * window.devicePixelRatioF()
        found.append(
            {
                "expected": on_screen.tolist(),
                "viewport": view.drawing.viewport_size,
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
    panel = FacePanel(portrait, lambda: poses[0](), parent=window)
    panel.ai_label.hide()
    panel.setGeometry(0, 0, 480, 360)
    view = panel.view
    window.show()
    settle(600)
    still = StillFace(panel._portrait)
    still.resize(480, 360)
    painted = rgb(still.grab().toImage())
    closed = pixels(view)
    poses[0] = open_mouth
    settle(300)
    opened = pixels(view)
    changed = np.abs(opened - closed).max(-1) > 25
    drawn = view.drawing.stats().drawn
    poses[0] = neutral
    window.showFullScreen()  # may bring a new context
    settle(400)
    full = pixels(view)
    window.resize(960, 700)
    panel.resize(window.size())
    still.resize(window.size())
    settle(1500)
    grown = np.abs(rgb(still.grab().toImage()) - pixels(view)).mean()
    view.close_gl()
    window.close()
    return {
        "difference_to_still": float(np.abs(painted - closed).mean()),
        "changed_share": float(changed.mean()),
        "changed_row": float(np.argwhere(changed)[:, 0].mean() / closed.shape[0]) if changed.any() else None,
        "drawn": drawn,
        "drawn_after": view.drawing.stats().drawn,
        "full_is_face": float(full.std()),
        "grown": list(view.drawing.viewport_size),
        "grown_difference_to_still": float(grown),
    }


def failure(portrait: object) -> dict[str, object]:
    def refuse(_ctx: object, _portrait: object) -> Quarters:
        raise RenderError("no-opengl", "OpenGL 3.3 does not work here; update the graphics driver")

    heard: list[str] = []
    panel = FacePanel(portrait, neutral, make_scene=refuse)
    panel.gl_failed.connect(heard.append)
    panel.resize(400, 300)
    panel.show()
    settle(400)
    shot = panel.screen().grabWindow(panel.winId()).toImage()
    middle = shot.pixelColor(200, 140)
    panel.close_gl()
    panel.close()
    return {"heard": heard, "skin": middle.red() - middle.blue(), "still_shown": panel.still is not None}


def label(portrait: object) -> dict[str, object]:
    """The AI label drawn with the face: its distance from the widget's own picture, and its place while typing."""
    window = KioskWindow(FacePanel(portrait, neutral))
    window.resize(1280, 720)
    window.show()
    found: dict[str, object] = {}
    for language in ("zh", "en"):
        for larger in (False, True):
            window.show_state(replace(sample_states(language)["listening"], larger_text=larger))
            for is_typing in (False, True):
                window.open_keyboard() if is_typing else window.close_keyboard()
                settle(500)
                widget = window.face.ai_label
                shown = rgb(window.screen().grabWindow(window.winId()).toImage())
                ratio = window.devicePixelRatioF()
                left, top = (round(part * ratio) for part in widget.mapTo(window, QPoint(0, 0)).toTuple())
                alone = rgb(widget.grab().toImage())
                height, width = alone.shape[:2]
                rim = height // 2  # the ends are round
                there = shown[top : top + height, left + rim : left + width - rim]
                different = np.abs(there - alone[:, rim : width - rim]).mean()
                found[f"{language} {larger} {is_typing}"] = [float(different), float(alone.std())]
            window.close_keyboard()
    window.close()
    return found


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
    report = {"sizes": sizes, "face": face, "failure": failure, "label": label, "closing": closing}[sys.argv[1]](
        portrait
    )
    print(json.dumps(report))
    application.quit()


main()
