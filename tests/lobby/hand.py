"""A finger on the screen and on the keys, through the XTEST extension of the virtual screen; no library needed."""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from types import TracebackType

from models.types import Language
from tests.lobby.stage_set import StageSet

_KEY_PRESS, _KEY_RELEASE, _BUTTON_PRESS, _BUTTON_RELEASE, _MOTION = 2, 3, 4, 5, 6
_QUERY_EXTENSION, _QUERY_POINTER, _FAKE_INPUT = 98, 38, 2
_ESCAPE_CODE = 9
"""Of the Escape key on the keyboard that Xvfb has."""
PRESS_S = 0.05
Point = tuple[int, int]


class Hand:
    """Touches the screen of a stage set; a context manager."""

    def __init__(self, stage_set: StageSet) -> None:
        self._set = stage_set
        self._socket = socket.socket(socket.AF_UNIX)
        self._opcode = self._root = 0

    def __enter__(self) -> Hand:
        number = self._set.env["DISPLAY"].removeprefix(":")
        self._socket.connect(f"/tmp/.X11-unix/X{number}")
        self._socket.sendall(struct.pack("<BxHHHHxx", ord("l"), 11, 0, 0, 0))
        head = self._read(8)
        if head[0] != 1:
            raise RuntimeError("the virtual screen refuses the connection")
        screens = self._read(4 * struct.unpack_from("<H", head, 6)[0])
        maker, formats = struct.unpack_from("<H", screens, 16)[0], screens[21]
        self._root = struct.unpack_from("<I", screens, 32 + (maker + 3) // 4 * 4 + 8 * formats)[0]
        name = b"XTEST"
        self._send(_QUERY_EXTENSION, 0, struct.pack("<Hxx", len(name)) + name.ljust(8, b"\0"))
        answer = self._read(32)
        if not answer[8]:
            raise RuntimeError("the virtual screen has no XTEST extension")
        self._opcode = answer[9]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def touch(self, point: Point) -> int:
        """Press and let go at a place in pixels; gives the time of the press, time.monotonic_ns()."""
        self._fake(_MOTION, 0, point)
        self._fake(_BUTTON_PRESS, 1)
        pressed_ns = time.monotonic_ns()
        time.sleep(PRESS_S)
        self._fake(_BUTTON_RELEASE, 1)
        return pressed_ns

    def press_escape(self) -> int:
        """The key that stops an answer; gives the time of the press."""
        self._fake(_KEY_PRESS, _ESCAPE_CODE)
        pressed_ns = time.monotonic_ns()
        time.sleep(PRESS_S)
        self._fake(_KEY_RELEASE, _ESCAPE_CODE)
        return pressed_ns

    def pointer(self) -> Point:
        """Where the screen has it."""
        self._send(_QUERY_POINTER, 0, struct.pack("<I", self._root))
        x, y = struct.unpack_from("<hh", self._read(32), 16)
        return x, y

    def _fake(self, kind: int, detail: int, point: Point = (0, 0)) -> None:
        self._send(self._opcode, _FAKE_INPUT, struct.pack("<BBxxII8xhh8x", kind, detail, 0, 0, *point))

    def _send(self, opcode: int, data: int, body: bytes) -> None:
        self._socket.sendall(struct.pack("<BBH", opcode, data, 1 + len(body) // 4) + body)

    def _read(self, count: int) -> bytes:
        out = b""
        while len(out) < count:
            part = self._socket.recv(count - len(out))
            if not part:
                raise RuntimeError("the virtual screen closed the connection")
            out += part
        return out


@cache
def places(width: int, height: int, language: Language = "zh") -> dict[str, Point]:
    """Where to touch: the middles of the face, of the dock's buttons and of the suggested questions.

    The real window is laid out in another process, without a screen. Keys: face, stop, replay, language, staff,
    question 0, question 1 … (while it listens, before any question), attract 0 … (on the attract page).
    """
    done = subprocess.run(
        [sys.executable, "-m", "tests.lobby.hand", str(width), str(height), language],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=True,
    )
    return {name: (x, y) for name, (x, y) in json.loads(done.stdout.splitlines()[-1]).items()}


def _print_places(width: int, height: int, language: Language) -> None:
    from PySide6.QtCore import QPoint
    from PySide6.QtWidgets import QApplication, QWidget

    from kiosk.face.animator import FaceAnimator
    from kiosk.face.avatar_import import find_avatar
    from kiosk.profile import load_profile
    from kiosk.ui.face_panel import FacePanel
    from kiosk.ui.state import Phase, ScreenState
    from kiosk.ui.window import KioskWindow

    app = QApplication([])
    animator = FaceAnimator(seed=1)
    window = KioskWindow(FacePanel(find_avatar("mei"), lambda: animator.pose(0.0, None, 0.0)), is_kiosk=False)
    window.resize(width, height)
    window.show()
    questions = load_profile("bank").text(language).suggested_questions
    found: dict[str, Point] = {}

    def note(name: str, widget: QWidget) -> None:
        if widget.isVisible():
            middle = widget.mapTo(window, QPoint(widget.width() // 2, widget.height() // 2))
            found[name] = (middle.x(), middle.y())

    def show(phase: Phase) -> None:
        window.show_state(ScreenState(phase=phase, language=language, suggestions=questions))
        app.processEvents()

    show(Phase.ATTRACT)
    _note_questions("attract", window.attract.suggestions, note)
    show(Phase.LISTENING)
    _note_questions("question", window.conversation.suggestions, note)
    note("face", window.face)
    for name in ("stop", "replay", "language", "staff"):
        note(name, getattr(window.dock, name))
    sys.stdout.write(json.dumps(found) + "\n")


def _note_questions(name: str, suggestions: object, note: Callable[[str, object], None]) -> None:
    for number, button in enumerate(suggestions._buttons):  # type: ignore[attr-defined]
        note(f"{name} {number}", button)


if __name__ == "__main__":
    _print_places(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])  # type: ignore[arg-type]
