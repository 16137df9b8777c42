"""The ear: a thread that reads the microphone and finds utterances, also while the kiosk thinks and speaks.

Each pause gets the number of a turn that may begin there. If the turn ends in that pause, its utterance has the same
number, so that what was recognised and thought on trial is its own; if the visitor goes on, the number is abandoned.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import Signal

from kiosk.audio.capture import Capture
from kiosk.errors import KioskError
from kiosk.events import Pause, SpeechStarted, Utterance
from kiosk.hearing.own_doubt import OwnDoubt
from kiosk.hearing.results import (
    HearingResult,
    SpeechBegan,
    SpeechDropped,
    SpeechEnded,
    SpeechPaused,
    SpeechResumed,
)
from kiosk.hearing.segmenter import Segmenter
from kiosk.pipeline.engines import Ear
from kiosk.pipeline.inbox import Inbox
from kiosk.pipeline.progress import Progress, StageState
from kiosk.pipeline.scope import TurnScope
from kiosk.pipeline.stage import WatchedThread, set_niceness
from models.errors import ModelError
from models.types import FloatArray
from models.vad.base import SAMPLE_RATE

log = logging.getLogger("hearing")

READ_TIMEOUT_S = 0.1
LEVEL_EVERY_BLOCKS = 10  # of 10 ms: ten news of the level a second
LEVEL_FLOOR_DB = -55.0
CONTINUES_WITHIN_NS = 2_500_000_000
"""Speech that begins so soon after a turn was closed, before a word of the answer was heard, belongs to that turn."""


class HearingThread(WatchedThread):
    """Microphone blocks → segmenter → utterances.

    Signals: `loaded(name)` once; `speech_began(SpeechStarted)`; `speech_paused()` when a pause may be the end;
    `speech_resumed()` when it was not; `speech_dropped()` when it was no speech; `utterance_ended(Utterance)`, before
    it lies in the recogniser's inbox; `level_changed(float)`, 0..1, ten times a second; `errored(StageError)`.
    """

    speech_began = Signal(object)
    speech_paused = Signal()
    speech_resumed = Signal()
    speech_dropped = Signal()
    utterance_ended = Signal(object)
    level_changed = Signal(float)

    name = "hearing"

    def __init__(
        self,
        load: Callable[[], Ear],
        capture: Capture,
        outbox: Inbox,
        scope: TurnScope,
        niceness: int = 0,
        abandoned: Callable[[int], object] = lambda turn_id: None,
        progress: Progress | None = None,
    ) -> None:
        """Make the thread; `start()` loads the networks.

        Args:
            load: Makes segmenter and networks, in the thread.
            capture: The microphone.
            outbox: Takes pauses and utterances.
            scope: Numbers of turns.
            niceness: As for `StageThread`.
            abandoned: Called in this thread with the number of each candidate that never begins.
            progress: Where it shows signs of life, if anybody watches.
        """
        super().__init__(progress or Progress(self.name))
        self._abandoned = abandoned
        self._load = load
        self._capture = capture
        self._outbox = outbox
        self._scope = scope
        self._niceness = niceness
        self._segmenter: Segmenter | None = None
        self._is_open = False
        self._is_answering = False
        self._is_interruption = False
        self._candidate: int | None = None
        self._continues: int | None = None
        self._unanswered: tuple[int, int] | None = None  # the turn closed last and the end of its speech
        self._undecided: tuple[int, int] | None = None  # the same of an interruption whose words are not known yet
        self._doubt = OwnDoubt()
        self._speech_start_ns = 0
        self._loudest = 0.0
        self._blocks = 0

    def set_open(self, is_open: bool) -> None:
        """Listen or not, from the next block on; from any thread."""
        self._is_open = is_open
        if self._segmenter is not None:
            self._segmenter.set_gate(is_open)

    def set_answering(self, is_answering: bool) -> None:
        """The kiosk thinks or speaks from now on, or no longer: what is said meanwhile interrupts it."""
        self._is_answering = is_answering

    def note_sound(self, turn_id: int) -> None:
        """A word of this turn's answer is heard: what is said from now on is no continuation of its question."""
        if self._unanswered is not None and self._unanswered[0] <= turn_id:
            self._unanswered = None

    def note_begun(self, turn_id: int) -> None:
        """An interruption turned out to be a question."""
        if self._undecided is not None and self._undecided[0] == turn_id:
            self._unanswered = self._undecided

    def note_text(self, speech_end_ns: int, text: str) -> None:
        """What was recognised on trial for the pause after `speech_end_ns`; from any thread."""
        if self._segmenter is not None:
            self._segmenter.note_text(speech_end_ns, text)

    def reset_visitor(self) -> None:
        """Another visitor: forget how the last one paused."""
        if self._segmenter is not None:
            self._segmenter.reset_visitor()

    def press_to_talk(self, is_held: bool) -> None:
        """The talk button went down or up; from any thread."""
        if self._segmenter is not None:
            if is_held:
                self._segmenter.press()
            else:
                self._segmenter.release()

    def run(self) -> None:
        """Load, then listen until stopped or abandoned."""
        threading.current_thread().name = self.name  # for the log
        set_niceness(self._niceness)
        self.progress.enter(StageState.LOADING)
        ear: Ear | None = None
        is_loaded = False
        try:
            ear = self._load()
            self._segmenter = ear.segmenter
            ear.segmenter.set_gate(self._is_open)
            if self.progress.enter(StageState.IDLE):
                is_loaded = True
                self.loaded.emit(self.name)
                self._listen(ear.segmenter)
        except (KioskError, ModelError) as error:
            self._fail(str(error), is_loaded)
        except Exception:  # thread border: PySide6 would lose it and the kiosk would go deaf unseen
            log.exception("hearing failed")
            self._fail("hearing: an internal error; see the log file", is_loaded)
        finally:
            self.progress.enter(StageState.ENDED if self.isInterruptionRequested() else StageState.FAILED)
            if ear is not None:
                ear.close()

    def _listen(self, segmenter: Segmenter) -> None:
        # A microphone that is away is no stall: waiting for a block counts as idle.
        while not self.isInterruptionRequested() and self.progress.enter(StageState.IDLE):
            block = self._capture.read(READ_TIMEOUT_S)
            if block is not None:
                self.progress.enter(StageState.WORKING)
                self._news_of_level(block.samples)
                self._doubt.note(block.captured_ns, block.visitor_evidence)
                evidence = block.visitor_evidence or 0.0
                for result in segmenter.push(
                    block.samples, block.captured_ns, block.is_own_voice, evidence, to_recognise=block.to_recognise
                ):
                    self._pass_on(result)

    def _pass_on(self, result: HearingResult) -> None:
        match result:
            case SpeechBegan():
                self._begin(result)
            case SpeechPaused():
                self._pause(result)
            case SpeechResumed():
                self._abandon_candidate()
                self.speech_resumed.emit()
            case SpeechEnded():
                self._end(result)
            case SpeechDropped():
                self._abandon_candidate()
                self.speech_dropped.emit()

    def _begin(self, began: SpeechBegan) -> None:
        self._is_interruption = self._is_answering
        self._speech_start_ns = began.speech_start_ns
        self._continues = None
        if self._unanswered is not None and began.speech_start_ns - self._unanswered[1] < CONTINUES_WITHIN_NS:
            self._continues = self._unanswered[0]
        self.speech_began.emit(SpeechStarted(turn_id=self._scope.current, is_interruption=self._is_interruption))

    def _pause(self, paused: SpeechPaused) -> None:
        self._abandon_candidate()
        if self._is_own(paused.speech_end_ns):
            self.speech_dropped.emit()  # until more is heard
            return
        self._candidate = self._scope.reserve()
        self._outbox.offer(
            Pause(
                turn_id=self._candidate,
                samples=paused.samples,
                speech_end_ns=paused.speech_end_ns,
                is_interruption=self._is_interruption,
            )
        )
        self.speech_paused.emit()

    def _end(self, ended: SpeechEnded) -> None:
        if ended.ended_by != "button" and self._is_own(ended.speech_end_ns):
            log.info("the kiosk's own voice, %.1f s of it", len(ended.samples) / SAMPLE_RATE)
            self._abandon_candidate()
            self.speech_dropped.emit()
            return
        turn_id = self._scope.reserve() if self._candidate is None else self._candidate
        self._candidate = None
        utterance = Utterance(
            turn_id=turn_id,
            samples=ended.samples,
            speech_end_ns=ended.speech_end_ns,
            ended_by=ended.ended_by,
            is_interruption=self._is_interruption or self._is_answering,  # a typed question may have come meanwhile
            continues=self._continues,
        )
        if utterance.is_interruption:
            self._undecided = (turn_id, ended.speech_end_ns)
        else:
            self._is_answering = True  # until the conversation says otherwise
            self._scope.begin(turn_id)
            self._unanswered = (turn_id, ended.speech_end_ns)
        if self.progress.enter(StageState.WAITING, turn_id):
            self.utterance_ended.emit(utterance)  # first: the recogniser may have its words ready
            self._outbox.put(utterance)

    def _is_own(self, speech_end_ns: int) -> bool:
        return self._is_interruption and self._doubt.is_own(self._speech_start_ns, speech_end_ns)

    def _abandon_candidate(self) -> None:
        if self._candidate is not None:
            self._scope.abandon(self._candidate)
            self._abandoned(self._candidate)
            self._candidate = None

    def _news_of_level(self, samples: FloatArray) -> None:
        self._loudest = max(self._loudest, float(np.sqrt(np.mean(np.square(samples)))))
        self._blocks += 1
        if self._blocks % LEVEL_EVERY_BLOCKS == 0:
            decibels = 20 * math.log10(max(self._loudest, 1e-6))
            self.level_changed.emit(min(1.0, max(0.0, 1 - decibels / LEVEL_FLOOR_DB)))
            self._loudest = 0.0

    def _fail(self, message: str, is_loaded: bool) -> None:
        """A first load that failed is for the operator; anything later is tried again."""
        self.report_error(self._scope.current, message, is_permanent=not is_loaded and not self.progress.is_reload)
