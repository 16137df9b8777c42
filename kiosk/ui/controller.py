"""Connects the window, the conversation and the pipeline. Lives in the window's thread.

News of the stages come in as queued signals, go through the conversation (a pure state machine), and what comes out
is shown as one `ScreenState`. It knows neither models nor sound devices beyond their status.
"""

from __future__ import annotations

import logging
import time

from PySide6.QtCore import QObject, QTimer, Slot

from kiosk.audio.sound import Sound
from kiosk.config import Config
from kiosk.events import (
    EndOfReply,
    Event,
    FirstToken,
    NothingHeard,
    Question,
    ReplyClause,
    StageError,
    Utterance,
)
from kiosk.face.types import Mood
from kiosk.pipeline.conversation import Conversation
from kiosk.pipeline.interruption import InterruptedBy
from kiosk.pipeline.latency import TurnLatency
from kiosk.pipeline.performer import Performer, QueuedSound
from kiosk.pipeline.phase import Phase as VisitPhase
from kiosk.pipeline.pipeline import Pipeline
from kiosk.pipeline.progress import StageState
from kiosk.profile import Profile
from kiosk.trace import Trace
from kiosk.ui.operator_desk import OperatorDesk
from kiosk.ui.presenter import Status, present
from kiosk.ui.state import StepState
from kiosk.ui.visit_trace import VisitTrace
from kiosk.ui.window import KioskWindow
from models.types import LANGUAGES, Language

log = logging.getLogger("controller")

TICK_MS = 20  # the end of an answer is noticed within one tick; also tells how long the window was blocked
MOODS = {
    VisitPhase.LISTENING: Mood.LISTENING,
    VisitPhase.THINKING: Mood.THINKING,
    VisitPhase.SPEAKING: Mood.SPEAKING,
    VisitPhase.GREETING: Mood.SPEAKING,
    VisitPhase.FAREWELL: Mood.SPEAKING,
}


class KioskController(QObject):
    """Decides what the screen shows and passes on what the visitor does."""

    def __init__(
        self,
        window: KioskWindow,
        pipeline: Pipeline,
        performer: Performer,
        sound: Sound,
        profile: Profile,
        config: Config,
        trace: Trace,
    ) -> None:
        super().__init__()
        self._window = window
        self._pipeline = pipeline
        self._performer = performer
        self._sound = sound
        self._trace = VisitTrace(trace)
        self._profile = profile
        self._conversation = Conversation(
            profile,
            config.session,
            config.screen.language,
            pipeline,
            is_interruptible=config.hearing.interruptible,
        )
        self._status = Status(
            profile=profile,
            steps={thread.objectName(): StepState.PENDING for thread in pipeline.threads},
            volume=config.sound.volume,
            larger_text=config.screen.larger_text,
            push_to_talk=config.hearing.push_to_talk,
            idle_seconds_total=config.session.farewell_s,
        )
        if window.face.problem is not None:
            self._status.warning = window.face.problem
        self._latency: TurnLatency | None = None
        self._shown_phase: VisitPhase | None = None
        self._recovering: set[str] = set()
        self._prepares = config.language_model.prepare_suggested
        self._last_tick_s = time.monotonic()
        self._longest_tick_s = 0.0
        self._desk = OperatorDesk(
            window.operator,
            pipeline.watchdog,
            sound,
            phase=lambda: self._conversation.phase.value if self._status.is_ready else "loading",
            level=lambda: self._status.hearing_level,
        )
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._on_tick)
        self._connect()

    @property
    def failure(self) -> str:
        """Why the kiosk could not begin or had to give up, in one line; empty when it works."""
        return self._status.failure

    def start(self) -> None:
        """Show the loading page and load the models."""
        self._show()
        self._timer.start()
        self._desk.start()
        self._pipeline.start()

    def stop(self) -> None:
        """No more news; may be called twice."""
        self._timer.stop()
        self._desk.stop()

    def _connect(self) -> None:
        window, pipeline = self._window, self._pipeline
        window.touched.connect(self._on_touched)
        window.face_touched.connect(self._on_face_touched)
        window.question_asked.connect(self._on_question_asked)
        window.stop_requested.connect(self._on_stop_requested)
        window.replay_requested.connect(self._on_replay_requested)
        window.language_chosen.connect(self._on_language_chosen)
        window.volume_changed.connect(self._on_volume_changed)
        window.larger_text_toggled.connect(self._on_larger_text_toggled)
        window.staff_called.connect(self._on_staff_called)
        window.goodbye_requested.connect(self._on_goodbye_requested)
        window.face.gl_failed.connect(self._on_gl_failed)
        window.talk_pressed.connect(self._on_talk_pressed)
        window.talk_released.connect(self._on_talk_released)
        pipeline.loading.connect(self._on_loading)
        pipeline.loaded.connect(self._on_loaded)
        pipeline.ready.connect(self._on_ready)
        pipeline.produced.connect(self._on_produced)
        pipeline.sound_queued.connect(self._on_sound_queued)
        pipeline.errored.connect(self._on_errored)
        pipeline.stage_state_changed.connect(self._on_stage_state_changed)
        pipeline.speech_began.connect(self._on_speech_began)
        pipeline.speech_paused.connect(self._on_speech_paused)
        pipeline.speech_resumed.connect(self._on_speech_resumed)
        pipeline.speech_dropped.connect(self._on_speech_dropped)
        pipeline.utterance_ended.connect(self._on_utterance_ended)
        pipeline.level_changed.connect(self._on_level_changed)

    # What the visitor does

    @Slot()
    def _on_touched(self) -> None:
        if self._status.is_ready:
            self._conversation.touched(time.monotonic())
            self._show()

    @Slot()
    def _on_face_touched(self) -> None:
        self._conversation.stopped(time.monotonic(), InterruptedBy.TOUCH)
        self._show()

    @Slot(str)
    def _on_question_asked(self, text: str) -> None:
        if self._status.is_ready:
            sent_ns = time.monotonic_ns()
            self._conversation.question_typed(text, time.monotonic())
            self._latency = TurnLatency(turn_id=self._conversation.turn_id, speech_end_ns=sent_ns)
            self._show()

    @Slot()
    def _on_stop_requested(self) -> None:
        self._conversation.stopped(time.monotonic())
        self._show()

    @Slot()
    def _on_replay_requested(self) -> None:
        self._conversation.replay(time.monotonic())
        self._show()

    @Slot(str)
    def _on_language_chosen(self, language: Language) -> None:
        self._conversation.language_chosen(language, time.monotonic())
        self._show()

    @Slot(float)
    def _on_volume_changed(self, volume: float) -> None:
        self._status.volume = volume
        self._sound.playback.volume = volume
        self._show()

    @Slot(bool)
    def _on_larger_text_toggled(self, is_larger: bool) -> None:
        self._status.larger_text = is_larger
        self._show()

    @Slot()
    def _on_staff_called(self) -> None:
        if self._status.is_ready:
            self._conversation.staff_called(time.monotonic())
            self._show()

    @Slot()
    def _on_goodbye_requested(self) -> None:
        self._conversation.goodbye(time.monotonic())
        self._show()

    @Slot()
    def _on_talk_pressed(self) -> None:
        self._conversation.touched(time.monotonic())
        self._pipeline.press_to_talk(True)

    @Slot()
    def _on_talk_released(self) -> None:
        self._pipeline.press_to_talk(False)

    # What the pipeline reports

    @Slot(str)
    def _on_loading(self, name: str) -> None:
        self._status.steps[name] = StepState.RUNNING
        self._trace.write("loading", stage=name)
        self._show()

    @Slot(str)
    def _on_loaded(self, name: str) -> None:
        self._status.steps[name] = StepState.DONE
        self._trace.write("loaded", stage=name)
        self._show()

    @Slot()
    def _on_ready(self) -> None:
        self._status.is_ready = True
        self._pipeline.listen(True, False)
        suggested = self._questions() if self._prepares else []
        self._pipeline.preparation.add(self._ready_lines(), [*suggested, *self._pipeline.often_asked])
        log.info("ready")
        self._trace.write("ready")
        self._show()

    @Slot(object)
    def _on_speech_began(self, event: Event) -> None:
        if self._status.is_ready:
            self._conversation.speech_began(time.monotonic())
            self._trace.write("speech_began")
            self._show()

    @Slot()
    def _on_speech_paused(self) -> None:
        self._conversation.speech_paused(time.monotonic())
        self._show()

    @Slot()
    def _on_speech_resumed(self) -> None:
        self._conversation.speech_resumed(time.monotonic())
        self._show()

    @Slot()
    def _on_speech_dropped(self) -> None:
        self._conversation.speech_dropped(time.monotonic())
        self._show()

    @Slot(object)
    def _on_utterance_ended(self, utterance: Utterance) -> None:
        self._conversation.utterance_ended(utterance, time.monotonic())
        self._latency = TurnLatency(
            turn_id=utterance.turn_id, speech_end_ns=utterance.speech_end_ns, turn_end_ns=utterance.created_ns
        )
        self._trace.utterance(utterance)
        self._show()

    @Slot(float)
    def _on_level_changed(self, level: float) -> None:
        self._status.hearing_level = level
        if self._status.is_ready:
            self._show()

    @Slot(object)
    def _on_produced(self, event: Event) -> None:
        if isinstance(event, ReplyClause) and event.turn_id < self._conversation.turn_id:
            return  # it was under way when its turn was ended
        now_s = time.monotonic()
        latency = self._latency if self._latency and self._latency.turn_id == event.turn_id else None
        if isinstance(event, Question):
            self._conversation.question_heard(event, now_s)
            self._trace.question(event)
            if latency and not event.is_trial:
                latency.transcript_ns = event.created_ns
        elif isinstance(event, NothingHeard):
            self._conversation.nothing_heard(event, now_s)
            self._trace.nothing_heard(event)
        elif isinstance(event, FirstToken):
            if latency:
                latency.first_token_ns = event.created_ns
        elif isinstance(event, ReplyClause):
            self._conversation.clause_made(event, now_s)
            self._trace.clause(event)
            if latency and latency.first_clause_ns is None:
                latency.first_clause_ns = event.created_ns
        elif isinstance(event, EndOfReply):
            self._conversation.reply_complete(event)
        self._show()

    @Slot(object)
    def _on_sound_queued(self, sound: QueuedSound) -> None:
        turn_id = sound.clip.turn_id
        if turn_id < self._conversation.turn_id:
            return  # it was under way when its turn was ended
        self._trace.sound(sound.clip, sound.heard_ns)
        if sound.clip.clause.is_filler:
            return
        self._conversation.sound_began(turn_id, time.monotonic())
        latency = self._latency
        if latency and latency.turn_id == turn_id and latency.first_sound_ns is None:
            latency.first_clip_ns = sound.clip.created_ns
            latency.first_sound_ns = sound.heard_ns
            parts = latency.parts_ms()
            log.info("turn %d: %s", turn_id, parts)
            self._trace.write("latency", turn=turn_id, **parts)
            self._desk.note_turn(parts)
        self._show()

    @Slot(object)
    def _on_errored(self, error: StageError) -> None:
        self._trace.error(error)
        self._desk.note_error(error)
        if error.is_permanent:
            if error.stage in self._status.steps and not self._status.is_ready:
                self._status.steps[error.stage] = StepState.FAILED
            self._status.failure = error.message
        else:
            self._conversation.stage_failed(error, time.monotonic())
        self._show()

    @Slot(str)
    def _on_gl_failed(self, message: str) -> None:
        log.error("%s", message)
        self._status.warning = message
        self._show()

    @Slot(str, object)
    def _on_stage_state_changed(self, name: str, state: StageState) -> None:
        self._trace.write("stage", stage=name, state=state.value)
        if self._status.is_ready:
            if state.is_ready or state is StageState.GIVEN_UP:
                self._recovering.discard(name)
            else:
                self._recovering.add(name)
            self._status.is_recovering = bool(self._recovering)
            self._show()

    @Slot()
    def _on_tick(self) -> None:
        now_s = time.monotonic()
        self._longest_tick_s = max(self._longest_tick_s, now_s - self._last_tick_s)
        self._last_tick_s = now_s
        self._look_at_devices()
        if self._status.is_ready:
            self._conversation.tick(time.monotonic(), self._performer.is_audible)
            if self._conversation.phase is VisitPhase.ATTRACT:
                self._pipeline.preparation.next()
        self._show()

    def _show(self) -> None:
        conversation, status = self._conversation, self._status
        self._trace.turn_taking(conversation)
        if conversation.phase is not self._shown_phase:
            self._shown_phase = conversation.phase
            self._performer.set_mood(MOODS.get(conversation.phase, Mood.IDLE))
            self._trace.write("phase", phase=conversation.phase.value, **self._pace())
        self._window.show_state(present(conversation, status, time.monotonic()))

    def _ready_lines(self) -> list[tuple[str, Language]]:
        return [(text, language) for language in LANGUAGES for text in self._profile.text(language).ready_lines]

    def _questions(self) -> list[tuple[str, Language]]:
        """Those that the screen suggests, both languages in turn."""
        texts = zip(*(self._profile.text(language).suggested_questions for language in LANGUAGES), strict=False)
        return [(text, language) for row in texts for text, language in zip(row, LANGUAGES, strict=True)]

    def _pace(self) -> dict[str, float]:
        """How smoothly the window ran since the last phase."""
        stats = self._window.face.stats()
        pace = {"longest_tick_gap_ms": round(self._longest_tick_s * 1000, 1)}
        self._longest_tick_s = 0.0
        if stats is not None:
            pace |= {"frames": stats.drawn, "fps": round(stats.fps, 1), "draw_ms": round(stats.mean_draw_ms, 2)}
        return pace

    def _look_at_devices(self) -> None:
        microphone, loudspeaker = self._sound.capture.status, self._sound.playback.status
        if (microphone, loudspeaker) != (self._status.microphone, self._status.loudspeaker):
            self._status.microphone, self._status.loudspeaker = microphone, loudspeaker
            self._trace.write("devices", microphone=microphone.value, loudspeaker=loudspeaker.value)
