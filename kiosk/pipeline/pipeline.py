"""The assembled pipeline: threads, queues and sound devices, with one start, one stop and one stream of news.

    capture ─► hearing ─► [4] ─► recogniser ─► [4] ─► language model ─► [16] ─► voice ─► loudspeaker and timeline

Threads load one after the other so that the loading screen can tell, and so that two cores are not torn between them.
"""

from __future__ import annotations

import logging
import time

from PySide6.QtCore import QObject, Signal, Slot

from kiosk.audio.sound import Sound
from kiosk.events import EndOfReply, Event, Question, ReplyClause, SpeechClip
from kiosk.pipeline.engines import Engines
from kiosk.pipeline.hearing import HearingThread
from kiosk.pipeline.inbox import Inbox
from kiosk.pipeline.performer import Performer
from kiosk.pipeline.scope import TurnScope
from kiosk.pipeline.stage import StageThread
from kiosk.pipeline.stages import RecognitionStage, SpeakingStage, ThinkingStage, clauses_of
from models.types import Language

log = logging.getLogger("pipeline")

# Window and sound come first, then what the visitor waits for, last the model that works in the background of speech.
NICENESS_HEARING, NICENESS_RECOGNISER, NICENESS_VOICE, NICENESS_LANGUAGE_MODEL = 0, 3, 3, 19
STOP_WITHIN_S = 4.0


class Pipeline(QObject):
    """Everything between microphone and loudspeaker. Implements `Effects` of the conversation.

    Signals (all in the window's thread): `loading(name)`, `loaded(name)`, `ready()`; `produced(Event)` for questions,
    clauses, clips and ends; `sound_queued(QueuedSound)` for each clip; `errored(StageError)`.
    """

    loading = Signal(str)
    loaded = Signal(str)
    ready = Signal()
    produced = Signal(object)
    sound_queued = Signal(object)
    errored = Signal(object)

    def __init__(self, engines: Engines, sound: Sound, performer: Performer) -> None:
        super().__init__()
        self._sound = sound
        self._performer = performer
        self._scope = TurnScope()
        self._utterances = Inbox(4, self._scope)  # full: the ear waits
        self._questions = Inbox(4, self._scope)  # full: the recogniser waits
        self._clauses = Inbox(16, self._scope)  # full: the language model waits
        self._thinking = ThinkingStage(engines.chat_model, engines.answerer, self._scope)
        self.hearing = HearingThread(engines.ear, sound.capture, self._utterances, self._scope, NICENESS_HEARING)
        stages = [
            StageThread(
                RecognitionStage(engines.recogniser, self._scope, engines.repair),
                self._utterances,
                self._scope,
                [self._pass_question],
                NICENESS_RECOGNISER,
            ),
            StageThread(self._thinking, self._questions, self._scope, [self._pass_clause], NICENESS_LANGUAGE_MODEL),
            StageThread(
                SpeakingStage(engines.synthesiser, self._scope),
                self._clauses,
                self._scope,
                [self._pass_clip],
                NICENESS_VOICE,
            ),
        ]
        self.threads: list[HearingThread | StageThread] = [self.hearing, *stages]
        self._to_load = iter(self.threads)
        for thread in self.threads:
            thread.loaded.connect(self._on_loaded)
            thread.errored.connect(self.errored)
        recogniser, language_model, voice = stages
        recogniser.produced.connect(self.produced)
        language_model.produced.connect(self._on_thought)
        voice.produced.connect(self.produced)

    def start(self) -> None:
        """Load the first model; the others follow by themselves."""
        self._load_next()

    def stop(self) -> list[str]:
        """End all threads and free the sound devices.

        Returns:
            Names of threads that are still inside a computation after `STOP_WITHIN_S`.
        """
        self._to_load = iter(())  # a thread that has just finished loading must not start the next
        self._scope.advance()
        for thread in self.threads:
            thread.stop()
        for inbox in (self._utterances, self._questions, self._clauses):
            inbox.close()
        deadline = time.monotonic() + STOP_WITHIN_S
        late = []
        for thread in self.threads:
            if not thread.wait(max(1, int(1000 * (deadline - time.monotonic())))):
                log.error("thread %s did not end", thread.objectName())
                late.append(thread.objectName())
        self._sound.close()
        return late

    # Effects of the conversation

    def new_turn(self) -> int:
        """End the running turn everywhere and return the number of the next."""
        return self._scope.advance()

    def ask(self, question: Question) -> None:
        """Hand a typed question to the language model."""
        self._questions.put(question)

    def say(self, turn_id: int, text: str, language: Language) -> None:
        """Have a fixed text spoken, clause by clause."""
        for event in clauses_of(iter([text]), turn_id, language, "approved"):
            if isinstance(event, ReplyClause | EndOfReply):
                self._clauses.put(event)
                if isinstance(event, ReplyClause):
                    self.produced.emit(event)

    def silence(self) -> None:
        """Drop all queued sound."""
        self._performer.stop()

    def listen(self, is_open: bool) -> None:
        """Open or shut the ear."""
        self.hearing.set_open(is_open)

    def forget(self) -> None:
        """Forget the conversation."""
        self._thinking.forget()

    # Sinks, each in its stage's thread

    def _pass_question(self, event: Event) -> None:
        if isinstance(event, Question):
            self._questions.put(event)

    def _pass_clause(self, event: Event) -> None:
        if isinstance(event, ReplyClause | EndOfReply):
            self._clauses.put(event)

    def _pass_clip(self, event: Event) -> None:
        if isinstance(event, SpeechClip) and len(event.samples):
            self.sound_queued.emit(self._performer.play(event))

    @Slot(object)
    def _on_thought(self, event: Event) -> None:
        if not isinstance(event, EndOfReply):  # the voice passes it on once all clips are queued
            self.produced.emit(event)

    # Loading

    def _load_next(self) -> None:
        thread = next(self._to_load, None)
        if thread is None:
            self.ready.emit()
        else:
            self.loading.emit(thread.objectName())
            thread.start()

    @Slot(str)
    def _on_loaded(self, name: str) -> None:
        self.loaded.emit(name)
        self._load_next()
