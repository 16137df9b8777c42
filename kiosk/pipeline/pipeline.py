"""The assembled pipeline: threads, queues and sound devices, with one start, one stop and one stream of news.

    capture ─► hearing ─► [4] ─► recogniser ─► [4] ─► answers ─► [4] ─► language model ─► [16] ─► voice ─► loudspeaker
                                                         └───────────────────────────────► [16]

Threads load one after the other so that the loading screen can tell, and so that two cores are not torn between them.

A question on trial goes the whole way like any other, under the number of a turn that has not begun: its clips wait
in the performer and its news here, until the turn begins or is abandoned.
"""

from __future__ import annotations

import logging
import time

from PySide6.QtCore import QObject, Signal, Slot

from kiosk.audio.sound import Sound
from kiosk.dialogue.history import History
from kiosk.events import (
    EndOfReply,
    Event,
    FirstToken,
    NothingHeard,
    PrepareAnswer,
    PrepareSpeech,
    Question,
    ReplyClause,
    SpeechClip,
    Utterance,
)
from kiosk.pipeline.answering import AnswerStage, RehearsedAnswers
from kiosk.pipeline.ear_first import EarFirst
from kiosk.pipeline.engines import Engines
from kiosk.pipeline.fixed_words import FixedWords
from kiosk.pipeline.hearing import HearingThread
from kiosk.pipeline.inbox import Inbox
from kiosk.pipeline.performer import Performer, QueuedSound
from kiosk.pipeline.preparation import Preparation
from kiosk.pipeline.progress import Progress
from kiosk.pipeline.scope import TurnScope
from kiosk.pipeline.speculation import may_be_final
from kiosk.pipeline.stages import RecognitionStage, SpeakingStage, ThinkingStage
from kiosk.pipeline.supervisor import StageSupervisor, ThreadSupervisor
from kiosk.pipeline.watchdog import Watchdog
from models.types import Language

log = logging.getLogger("pipeline")

# Window and sound come first, then what the visitor waits for, last the model that works in the background of speech.
NICENESS_HEARING, NICENESS_RECOGNISER, NICENESS_ANSWERS, NICENESS_VOICE, NICENESS_LANGUAGE_MODEL = 0, 3, 3, 3, 19
STOP_WITHIN_S = 4.0


class Pipeline(QObject):
    """Everything between microphone and loudspeaker. Implements `Effects` of the conversation.

    Signals (all in the window's thread): `loading(name)`, `loaded(name)`, `ready()`; those of `HearingThread`;
    `stage_state_changed(name, StageState)` when a stage is started again;
    `produced(Event)` for questions, clauses, clips and ends of turns that have begun; `sound_queued(QueuedSound)` for
    each clip; `errored(StageError)`.
    """

    loading = Signal(str)
    loaded = Signal(str)
    ready = Signal()
    speech_began = Signal(object)
    speech_paused = Signal()
    speech_resumed = Signal()
    speech_dropped = Signal()
    level_changed = Signal(float)
    stage_state_changed = Signal(str, object)
    utterance_ended = Signal(object)
    produced = Signal(object)
    sound_queued = Signal(object)
    errored = Signal(object)

    def __init__(self, engines: Engines, sound: Sound, performer: Performer, *, speculates: bool = True) -> None:
        """Make the threads; `start` runs them.

        Args:
            engines: How to load the models.
            sound: Microphone and loudspeaker.
            performer: Plays the clips.
            speculates: Think about a question at a pause that may be its end.
        """
        super().__init__()
        self._engines = engines
        self._sound = sound
        self._performer = performer
        self._speculates = speculates
        self._scope = TurnScope()
        self._utterances = Inbox(4, self._scope)  # full: the ear waits
        self._questions = Inbox(4, self._scope)  # full: the recogniser waits
        self._thoughts = Inbox(4, self._scope)  # full: the stage before the language model waits
        self._clauses = Inbox(16, self._scope)  # full: the language model waits
        # What a stage must still know when it is started again:
        self._history = History()
        self._rehearsed: RehearsedAnswers = {}
        self._is_listening = self._is_answering = False
        self._asked = 0  # the newest turn whose question is on its way to an answer
        self.often_asked = engines.often_asked
        """Questions whose answers are worth preparing."""
        self._begun = 0  # the newest turn of which the window knows
        self._early: list[Event] = []  # news of turns of which it does not know yet
        self.preparation = Preparation(self._scope, self._questions, self._clauses)
        self._fixed_words = FixedWords(engines.prepared_speech, self._clauses, self._pass_clip, self.produced.emit)
        self._hearing: HearingThread
        ear_first = EarFirst()
        hearing = ThreadSupervisor(HearingThread.name, self._make_hearing, self._scope)
        stages = [
            StageSupervisor(
                RecognitionStage.name,
                lambda turns: RecognitionStage(engines.recogniser, turns, engines.repair, ear_first),
                self._utterances,
                self._scope,
                [self._pass_question],
                NICENESS_RECOGNISER,
            ),
            StageSupervisor(
                AnswerStage.name,
                lambda _: AnswerStage(
                    self._history,
                    engines.history_use,
                    self._rehearsed,
                    engines.approved,
                    self._instead_of_thinking,
                    engines.desk,
                ),
                self._questions,
                self._scope,
                [self._pass_answer],
                NICENESS_ANSWERS,
            ),
            StageSupervisor(
                ThinkingStage.name,
                lambda turns: ThinkingStage(
                    engines.chat_model, engines.answerer, ear_first.turns(turns), self._history, self._rehearsed
                ),
                self._thoughts,
                self._scope,
                [self._pass_clause],
                NICENESS_LANGUAGE_MODEL,
            ),
            StageSupervisor(
                SpeakingStage.name,
                lambda turns: SpeakingStage(engines.synthesiser, ear_first.turns(turns), engines.prepared_speech),
                self._clauses,
                self._scope,
                [self._pass_clip],
                NICENESS_VOICE,
            ),
        ]
        self.threads: list[ThreadSupervisor] = [hearing, *stages]
        self.watchdog = Watchdog(self.threads)
        self._to_load = iter(self.threads)
        for thread in self.threads:
            thread.loaded.connect(self._on_loaded)
            thread.errored.connect(self.errored)
            thread.stage_state_changed.connect(self.stage_state_changed)
        recogniser, answers, language_model, voice = stages
        recogniser.produced.connect(self._on_recognised)
        answers.produced.connect(self._on_thought)
        self._language_model, self._voice = language_model, voice
        language_model.produced.connect(self._on_thought)
        voice.produced.connect(self._on_voiced)

    def _make_hearing(self, progress: Progress) -> HearingThread:
        hearing = HearingThread(
            self._engines.ear,
            self._sound.capture,
            self._utterances,
            self._scope,
            NICENESS_HEARING,
            self._drop_candidate,
            progress,
        )
        hearing.set_answering(self._is_answering)
        hearing.set_open(self._is_listening)
        hearing.speech_began.connect(self.speech_began)
        hearing.speech_paused.connect(self.speech_paused)
        hearing.speech_resumed.connect(self.speech_resumed)
        hearing.speech_dropped.connect(self.speech_dropped)
        hearing.utterance_ended.connect(self._on_utterance_ended)
        hearing.level_changed.connect(self.level_changed)
        self._hearing = hearing
        return hearing

    def press_to_talk(self, is_held: bool) -> None:
        """The talk button went down or up."""
        self._hearing.press_to_talk(is_held)

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
        for inbox in (self._utterances, self._questions, self._thoughts, self._clauses):
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
        turn_id = self._scope.advance()
        self._release(turn_id)
        return turn_id

    def begin_turn(self, turn_id: int) -> None:
        """Let the turn of an interruption run; the interrupted one is over everywhere."""
        self._scope.begin(turn_id)
        self._performer.stop()
        self._release(turn_id)
        self._hearing.note_begun(turn_id)

    def dismiss(self, turn_id: int) -> None:
        """An interruption was none: its turn never begins."""
        self._scope.abandon(turn_id)

    def ask(self, question: Question) -> None:
        """Have a question answered."""
        self._asked = question.turn_id
        self._questions.put(question)

    def say(self, turn_id: int, text: str, language: Language) -> None:
        """Have a fixed text spoken, clause by clause."""
        self._fixed_words.say(turn_id, text, language)

    def fill(self, turn_id: int, text: str, language: Language) -> None:
        """Have a few words spoken that bridge the wait, if their sound is ready."""
        self._fixed_words.fill(turn_id, text, language)

    def silence(self) -> None:
        """Drop all queued sound."""
        self._performer.stop()

    def hold(self) -> bool:
        """Be silent because somebody speaks, and keep what was not heard; whether there was anything."""
        return self._performer.hold()

    def resume(self) -> None:
        """Go on where the sound was held."""
        for sound in self._performer.resume():
            self._announce(sound)

    def heard(self, turn_id: int) -> str:
        """What was heard of a turn's answer."""
        return self._performer.heard(turn_id)

    @property
    def is_voice_busy(self) -> bool:
        """Whether more of an answer is being spoken or waits for the voice."""
        return not self._clauses.is_empty or self._voice.report().is_busy

    def remember_only(self, turn_id: int, said: str) -> None:
        """Keep only these words of an answer in the history."""
        self._history.correct(turn_id, said)

    def listen(self, is_open: bool, is_answering: bool) -> None:
        """Open or shut the ear, and say whether what is heard interrupts an answer."""
        self._is_listening, self._is_answering = is_open, is_answering
        self._hearing.set_answering(is_answering)
        self._hearing.set_open(is_open)

    def forget(self) -> None:
        """Forget the conversation."""
        self._history.clear()
        self._hearing.reset_visitor()

    # Sinks, each in its stage's thread

    def _pass_question(self, event: Event) -> None:
        if isinstance(event, Question | NothingHeard) and event.is_trial and event.speech_end_ns is not None:
            self._hearing.note_text(event.speech_end_ns, event.text if isinstance(event, Question) else "")
        if not isinstance(event, Question) or event.is_interruption:
            return  # the conversation decides
        is_new = event.turn_id > self._asked
        if not event.is_trial or (is_new and self._speculates and may_be_final(event.text)):
            self.ask(event)

    def _pass_answer(self, event: Event) -> None:
        if isinstance(event, Question | PrepareAnswer):
            self._thoughts.put(event)
        else:
            self._pass_clause(event)

    def _pass_clause(self, event: Event) -> None:
        if isinstance(event, ReplyClause | EndOfReply | PrepareSpeech):
            self._clauses.put(event)

    def _pass_clip(self, event: Event) -> None:
        if isinstance(event, SpeechClip) and len(event.samples):
            sound = self._performer.play(event)
            if sound is not None:
                self._announce(sound)

    def _instead_of_thinking(self, language: Language) -> str | None:
        """In the stage before the language model: the words for a question that it cannot be given."""
        is_usable = self._language_model.report().is_usable(time.monotonic_ns())
        return None if is_usable else self._engines.without_model[language]

    def _drop_candidate(self, turn_id: int) -> None:
        """In the hearing's thread: the visitor went on, what was thought on trial never was."""
        self._history.correct(turn_id, "")

    def _announce(self, sound: QueuedSound) -> None:
        if not sound.clip.clause.is_filler:
            self._hearing.note_sound(sound.clip.turn_id)
        self.sound_queued.emit(sound)

    # News, in the window's thread

    @Slot(object)
    def _on_utterance_ended(self, utterance: Utterance) -> None:
        if not self._scope.is_over(utterance.turn_id):  # else a question was typed at the same moment
            self.utterance_ended.emit(utterance)

    @Slot(object)
    def _on_recognised(self, event: Event) -> None:
        self.produced.emit(event)  # also on trial and of interruptions: the conversation decides
        is_final = isinstance(event, Question) and not event.is_trial and not event.is_interruption
        if is_final and not self._scope.is_over(event.turn_id):
            self._release(event.turn_id)

    @Slot(object)
    def _on_thought(self, event: Event) -> None:
        if isinstance(event, ReplyClause | FirstToken):  # the voice passes the end on once all clips are queued
            self._emit_when_begun(event)

    @Slot(object)
    def _on_voiced(self, event: Event) -> None:
        if isinstance(event, PrepareSpeech):
            self.preparation.done(event)
        else:
            self._emit_when_begun(event)

    def _emit_when_begun(self, event: Event) -> None:
        if event.turn_id > self._begun:
            self._early = [early for early in self._early if not self._scope.is_over(early.turn_id)]
            self._early.append(event)
        else:
            self.produced.emit(event)

    def _release(self, turn_id: int) -> None:
        """A turn has begun: let out its sound and its news."""
        self._begun = turn_id
        early, self._early = self._early, []
        for event in early:
            if event.turn_id == turn_id:
                self.produced.emit(event)
        for sound in self._performer.admit(turn_id):
            self._announce(sound)

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
