"""The ear: a thread that reads the microphone and finds utterances."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QThread, Signal

from kiosk.audio.capture import Capture
from kiosk.errors import KioskError
from kiosk.events import Pause, SpeechStarted, StageError, Utterance
from kiosk.hearing.results import HearingResult, SpeechBegan, SpeechEnded, SpeechPaused
from kiosk.hearing.segmenter import Segmenter
from kiosk.pipeline.engines import Ear
from kiosk.pipeline.inbox import Inbox
from kiosk.pipeline.scope import TurnScope
from kiosk.pipeline.stage import set_niceness
from models.errors import ModelError
from models.types import FloatArray

log = logging.getLogger("hearing")

READ_TIMEOUT_S = 0.1
LEVEL_EVERY_BLOCKS = 10  # of 10 ms: ten news of the level a second
LEVEL_FLOOR_DB = -55.0


class HearingThread(QThread):
    """Microphone blocks → segmenter → utterances.

    Signals: `loaded(name)` once; `speech_began(SpeechStarted)`; `utterance_ended(Utterance)`, after it lies in the
    recogniser's inbox; `level_changed(float)`, 0..1, ten times a second; `errored(StageError)`.
    """

    loaded = Signal(str)
    speech_began = Signal(object)
    utterance_ended = Signal(object)
    level_changed = Signal(float)
    errored = Signal(object)

    name = "hearing"

    def __init__(
        self,
        load: Callable[[], Ear],
        capture: Capture,
        outbox: Inbox,
        scope: TurnScope,
        niceness: int = 0,
    ) -> None:
        super().__init__()
        self.setObjectName(self.name)
        self._load = load
        self._capture = capture
        self._outbox = outbox
        self._scope = scope
        self._niceness = niceness
        self._segmenter: Segmenter | None = None
        self._is_open = False
        self._loudest = 0.0
        self._blocks = 0

    def set_open(self, is_open: bool) -> None:
        """Listen or not, from the next block on; from any thread."""
        self._is_open = is_open
        if self._segmenter is not None:
            self._segmenter.set_gate(is_open)

    def press_to_talk(self, is_held: bool) -> None:
        """The talk button went down or up; from any thread."""
        if self._segmenter is not None:
            if is_held:
                self._segmenter.press()
            else:
                self._segmenter.release()

    def stop(self) -> None:
        """Ask the thread to end."""
        self.requestInterruption()

    def run(self) -> None:
        """Load, then listen until stopped."""
        threading.current_thread().name = self.name  # for the log
        set_niceness(self._niceness)
        ear: Ear | None = None
        try:
            ear = self._load()
            self._segmenter = ear.segmenter
            ear.segmenter.set_gate(self._is_open)
            self.loaded.emit(self.name)
            self._listen(ear.segmenter)
        except (KioskError, ModelError) as error:
            self._report(str(error))
        except Exception:  # thread border: PySide6 would lose it and the kiosk would go deaf unseen
            log.exception("hearing failed")
            self._report("hearing: an internal error; see the log file")
        finally:
            if ear is not None:
                ear.close()

    def _listen(self, segmenter: Segmenter) -> None:
        while not self.isInterruptionRequested():
            block = self._capture.read(READ_TIMEOUT_S)
            if block is not None:
                self._news_of_level(block.samples)
                for result in segmenter.push(block.samples, block.captured_ns):
                    self._pass_on(result)

    def _pass_on(self, result: HearingResult) -> None:
        if isinstance(result, SpeechBegan):
            self.speech_began.emit(SpeechStarted(turn_id=self._scope.current))
        elif isinstance(result, SpeechPaused):
            self._outbox.offer(
                Pause(turn_id=self._scope.current, samples=result.samples, speech_end_ns=result.speech_end_ns)
            )
        elif isinstance(result, SpeechEnded) and self._is_open:
            self.set_open(False)  # until the conversation opens the ear again
            utterance = Utterance(
                turn_id=self._scope.advance(),
                samples=result.samples,
                speech_end_ns=result.speech_end_ns,
                ended_by=result.ended_by,
            )
            self._outbox.put(utterance)
            self.utterance_ended.emit(utterance)

    def _news_of_level(self, samples: FloatArray) -> None:
        self._loudest = max(self._loudest, float(np.sqrt(np.mean(np.square(samples)))))
        self._blocks += 1
        if self._blocks % LEVEL_EVERY_BLOCKS == 0:
            decibels = 20 * math.log10(max(self._loudest, 1e-6))
            self.level_changed.emit(min(1.0, max(0.0, 1 - decibels / LEVEL_FLOOR_DB)))
            self._loudest = 0.0

    def _report(self, message: str) -> None:
        log.error("%s", message)
        self.errored.emit(
            StageError(turn_id=self._scope.current, stage=self.name, message=message, is_permanent=True)
        )
