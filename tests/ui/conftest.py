"""Fixtures for the screen. Widgets run on Qt's offscreen platform; what needs OpenGL has its own process on Xvfb."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before the first QApplication

import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer
from PySide6.QtWidgets import QApplication

from kiosk.face.portrait import Portrait, avatar_folders, load_portrait
from kiosk.face.types import FacePose
from kiosk.ui.face_panel import FacePanel
from kiosk.ui.window import KioskWindow


def still_pose() -> FacePose:
    return FacePose(units=np.zeros(52, np.float32))


@pytest.fixture(scope="session")
def portrait() -> Portrait:
    return load_portrait(avatar_folders()["mei"])


@pytest.fixture(autouse=True)
def nothing_left_over(qapp: QApplication) -> Iterator[None]:
    """Fails a test that leaves a top-level widget or a thread behind."""
    before = set(map(id, qapp.topLevelWidgets())), threading.active_count()
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    left = [widget for widget in qapp.topLevelWidgets() if id(widget) not in before[0]]
    assert left == []
    assert threading.active_count() <= before[1]


@pytest.fixture
def make_window(qapp: QApplication, portrait: Portrait) -> Iterator[Callable[..., KioskWindow]]:
    """Makes windows of a size that are laid out and polished, and painted only with `on_screen`."""
    made: list[KioskWindow] = []

    def make(width: int = 1280, height: int = 720, *, is_kiosk: bool = True, on_screen: bool = False) -> KioskWindow:
        window = KioskWindow(FacePanel(portrait, still_pose), is_kiosk=is_kiosk)
        window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen, not on_screen)
        window.resize(width, height)
        window.show()
        made.append(window)
        return window

    yield make
    for window in made:
        window.close()
        running = [timer for timer in window.findChildren(QTimer) if timer.isActive() and not timer.isSingleShot()]
        assert running == [], "timers run on in a closed window"
        window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def window(make_window: Callable[..., KioskWindow]) -> KioskWindow:
    return make_window()
