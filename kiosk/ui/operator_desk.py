"""Once a second: looks after the stages, and tells staff how the kiosk is doing (operator page, health file)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, QTimer, Slot

from kiosk.audio.sound import Sound
from kiosk.events import StageError
from kiosk.health_file import EVERY_S, HealthFile, health_path
from kiosk.operator_facts import DeviceFacts, OperatorFacts
from kiosk.pipeline.operator_log import OperatorLog
from kiosk.pipeline.watchdog import Watchdog
from kiosk.ui.operator_page import OperatorPage

SECOND_MS = 1000


class OperatorDesk(QObject):
    """Lives in the window's thread. It sees no word of a visitor."""

    def __init__(
        self,
        page: OperatorPage,
        watchdog: Watchdog,
        sound: Sound,
        phase: Callable[[], str],
        level: Callable[[], float],
    ) -> None:
        """Connect; nothing is watched until `start`.

        Args:
            page: Shows the facts while it is open.
            watchdog: Looks after the stages.
            sound: Microphone and loudspeaker.
            phase: What the screen shows.
            level: Loudness at the microphone, 0..1.
        """
        super().__init__()
        self._page = page
        self._watchdog = watchdog
        self._sound = sound
        self._phase = phase
        self._level = level
        self._log = OperatorLog()
        self._file = HealthFile(health_path())
        self._seconds = 0
        self._timer = QTimer(self)
        self._timer.setInterval(SECOND_MS)
        self._timer.timeout.connect(self._on_second)
        page.opened.connect(self._on_opened)

    def start(self) -> None:
        """Begin to watch and to write."""
        self._timer.start()

    def stop(self) -> None:
        """End; the health file goes. May be called twice."""
        self._timer.stop()
        self._file.close()

    def note_turn(self, parts_ms: Mapping[str, float]) -> None:
        """An answer has begun to sound; `parts_ms` as `TurnLatency` gives them."""
        self._log.note_turn(parts_ms)

    def note_error(self, error: StageError) -> None:
        """A stage failed."""
        self._log.note_error(error)

    @Slot()
    def _on_second(self) -> None:
        self._watchdog.check(time.monotonic_ns())
        self._seconds += 1
        is_due = self._seconds % max(1, round(EVERY_S)) == 0
        if is_due or self._page.is_open:
            facts = self._facts()
            self._page.show_facts(facts)
            if is_due:
                self._file.hand_over(facts)

    @Slot()
    def _on_opened(self) -> None:
        self._page.show_facts(self._facts())

    def _facts(self) -> OperatorFacts:
        capture, playback = self._sound.capture, self._sound.playback
        return self._log.facts(
            self._phase(),
            self._watchdog.reports(),
            DeviceFacts(name=capture.message, state=capture.status.value, level=round(self._level(), 2)),
            DeviceFacts(name=playback.message, state=playback.status.value),
            playback.offset_ms,
        )
