"""The window program.

Order of start: log and crash file → configuration, profile, avatar → window with its loading page → sound devices →
models one by one → ready. Stop runs backwards and may be asked for twice.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from PySide6.QtCore import QMessageLogContext, QObject, Qt, QTimer, QtMsgType, Slot, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from kiosk.audio.sound import Sound
from kiosk.config import Config, ScreenConfig
from kiosk.face.animator import FaceAnimator
from kiosk.face.avatar_import import find_avatar
from kiosk.face.portrait import Portrait
from kiosk.log import start_logging
from kiosk.paths import data_dir
from kiosk.pipeline.engines import plan_engines
from kiosk.pipeline.performer import Performer
from kiosk.pipeline.pipeline import Pipeline
from kiosk.profile import Profile, load_profile
from kiosk.trace import Trace
from kiosk.ui.controller import KioskController
from kiosk.ui.face_panel import FacePanel
from kiosk.ui.window import KioskWindow

log = logging.getLogger("init")

WINDOW_SIZE = (1280, 720)
SWITCH_INTERVAL_S = 0.001  # Python gives the window its turn this often while workers run Python code
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line adds to the configuration."""

    trace: Path | None = None
    """Write a trace for tests there."""
    debug: bool = False
    """Log personal words as well."""


class Quitter(QObject):
    """Closes everything once, whoever asks: the window, the operator's keys or a signal from outside."""

    def __init__(
        self, app: QApplication, window: KioskWindow, controller: KioskController, pipeline: Pipeline
    ) -> None:
        super().__init__()
        self._app = app
        self._window = window
        self._controller = controller
        self._pipeline = pipeline
        self._is_done = False
        self.late_threads: list[str] = []

    @Slot()
    def shut_down(self) -> None:
        """Stop the timers, then the threads and devices, then the picture, then the event loop."""
        if self._is_done:
            return
        self._is_done = True
        log.info("shutting down")
        self._controller.stop()
        self._window.hide()
        self.late_threads = self._pipeline.stop()
        self._window.face.close_gl()
        self._app.quit()

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """SIGTERM and SIGINT end the program as the window's closing does."""
        QTimer.singleShot(0, self.shut_down)


def run(config: Config, options: Options) -> int:
    """Run the kiosk until its window is closed.

    Returns:
        The exit code: 0, or 1 when the kiosk could not work.

    Raises:
        KioskError: The profile, the avatar or the trace file is wrong; nothing was shown yet.
    """
    start_logging(data_dir() / "logs", debug=options.debug)
    profile = load_profile(config.profile)
    portrait = find_avatar(config.avatar)
    trace = Trace(options.trace)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    qInstallMessageHandler(_log_qt)
    QApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("kiosk")
    app.setQuitOnLastWindowClosed(False)  # the quitter decides
    try:
        return _run_window(app, config, profile, portrait, trace)
    finally:
        trace.close()


def _run_window(app: QApplication, config: Config, profile: Profile, portrait: Portrait, trace: Trace) -> int:
    sound = Sound(config.sound)
    performer = Performer(sound.playback, FaceAnimator(seed=1))
    pipeline = Pipeline(
        plan_engines(config, profile, portrait), sound, performer, speculates=config.language_model.speculate
    )
    face = FacePanel(portrait, performer.pose, max_fps=config.screen.max_fps)
    window = KioskWindow(face, is_kiosk=not config.screen.windowed)
    controller = KioskController(window, pipeline, performer, sound, profile, config, trace)
    quitter = Quitter(app, window, controller, pipeline)
    window.closing.connect(quitter.shut_down)
    signal.signal(signal.SIGTERM, quitter.on_signal)
    signal.signal(signal.SIGINT, quitter.on_signal)
    _show(window, config.screen)
    sound.open()
    controller.start()
    app.exec()
    quitter.shut_down()
    for _ in range(3):
        app.processEvents()  # let queued deletions happen while the application still lives
    if controller.failure:
        sys.stderr.write(f"error: {controller.failure}\n")
    if quitter.late_threads:
        _leave_at_once(1 if controller.failure else 0)
    log.info("ended; %d threads left", threading.active_count() - 1)
    return 1 if controller.failure else 0


def _show(window: KioskWindow, screen: ScreenConfig) -> None:
    if screen.windowed:
        window.resize(*WINDOW_SIZE)
        window.show()
    else:
        window.showFullScreen()


def _leave_at_once(code: int) -> None:
    """End the process while a native computation still runs: destroying its thread would abort the program."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _log_qt(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    logging.getLogger("qt").log(_LEVELS.get(kind, logging.WARNING), "%s", message)
