"""The whole pipeline with real threads, queues and conversation; only ear, models and loudspeaker are scripted."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from pytestqt.qtbot import QtBot

from kiosk.audio.conversion import AudioBlock
from kiosk.config import SessionConfig
from kiosk.dialogue.answer import Answerer
from kiosk.events import EndOfReply, NothingHeard, Question, ReplyClause
from kiosk.face.animator import FaceAnimator
from kiosk.hearing.results import HearingResult, SpeechBegan, SpeechEnded, SpeechPaused, SpeechResumed
from kiosk.pipeline.conversation import Conversation
from kiosk.pipeline.engines import Ear, Engines
from kiosk.pipeline.performer import Performer, QueuedSound
from kiosk.pipeline.phase import Phase
from kiosk.pipeline.pipeline import Pipeline
from kiosk.profile import load_profile
from kiosk.tools.desk import Desk
from models.asr.base import Recognition
from models.llm.base import ChatMessage
from models.tts.base import SynthesisedSpeech
from models.types import FloatArray, Language, PhonemeTime, ShouldStop, never_stop
from tests.pipeline.test_performer import RATE, HandPlayback

PATIENCE_MS = 5000
PROFILE = load_profile("bank")


class Microphone:
    """Gives silent blocks in real time."""

    def read(self, timeout_s: float) -> AudioBlock:
        time.sleep(0.01)
        return AudioBlock(samples=np.zeros(160, np.float32), captured_ns=time.monotonic_ns())


class ScriptedSegmenter:
    """Reports what the test says."""

    def __init__(self) -> None:
        self.due: deque[HearingResult] = deque()
        self.texts: list[str] = []

    def push(
        self,
        block: FloatArray,
        captured_ns: int,
        is_own_voice: bool = False,
        evidence: float = 0.0,
        *,
        to_recognise: FloatArray | None = None,
    ) -> list[HearingResult]:
        return [self.due.popleft()] if self.due else []

    def note_text(self, speech_end_ns: int, text: str) -> None:
        self.texts.append(text)

    def set_gate(self, is_open: bool) -> None: ...
    def reset_visitor(self) -> None: ...
    def close(self) -> None: ...


class Words:
    """Recognises the text that was given the number in the sound, piece by piece."""

    max_seconds = 30.0

    def __init__(self) -> None:
        self.texts: list[str] = [""]

    def sound(self, text: str) -> FloatArray:
        self.texts.append(text)
        return np.full(160, len(self.texts) - 1, np.float32)

    def warm_up(self) -> None: ...
    def transcribe(
        self, samples: FloatArray, language: Language | None = None, should_stop: ShouldStop = never_stop
    ) -> Recognition:
        text = "".join(self.texts[int(number)] for number in dict.fromkeys(samples.tolist()))
        return Recognition(text=text, language="zh", average_log_probability=-0.2, no_speech_probability=0.1)

    def close(self) -> None: ...


class Mind:
    """Answers each question with two clauses; before each of them it may be made to wait."""

    name = "scripted"
    context_tokens = 4096

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.begins, self.goes_on = threading.Event(), threading.Event()
        self.begins.set()
        self.goes_on.set()

    def warm_up(self, systems: Sequence[str] = ()) -> None: ...
    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        return 10

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_new_tokens: int,
        likely: Sequence[str] = (),
        should_stop: ShouldStop = never_stop,
    ) -> Iterator[str]:
        question = messages[-1].content
        self.asked.append(question)
        pieces = (f"您问的是这个问题：{question.strip('？')}，", "这就是我的回答。")
        for gate, piece in zip((self.begins, self.goes_on), pieces, strict=True):
            while not gate.wait(0.01):
                if should_stop():
                    return
            if should_stop():
                return
            yield piece

    def close(self) -> None: ...


class Voice:
    """A tenth of a second for each character."""

    sample_rate = RATE

    def warm_up(self) -> None: ...
    def synthesise(self, text: str, language: Language, should_stop: ShouldStop = never_stop) -> SynthesisedSpeech:
        seconds = 0.1 * len(text)
        samples = np.full(int(seconds * RATE), 0.1, np.float32)
        phonemes = (PhonemeTime(symbol="a", start_s=0.0, end_s=seconds),)
        return SynthesisedSpeech(samples=samples, sample_rate=RATE, phonemes=phonemes)

    def stream(
        self, text: str, language: Language, should_stop: ShouldStop = never_stop
    ) -> Iterator[SynthesisedSpeech]:
        yield self.synthesise(text, language, should_stop)

    def close(self) -> None: ...


class Hall:
    """A kiosk and what a visitor does in front of it."""

    def __init__(self, qtbot: QtBot, desk: Callable[[], Desk] | None = None) -> None:
        self._bot = qtbot
        self.segmenter, self.words, self.mind, self.loudspeaker = (
            ScriptedSegmenter(),
            Words(),
            Mind(),
            HandPlayback(),
        )
        self.answerers: list[Answerer] = []
        self.sounds: list[QueuedSound] = []
        self._end_ns = 0
        sound = cast("Any", SimpleNamespace(capture=Microphone(), close=lambda: None))
        network = cast("Any", SimpleNamespace(close=lambda: None))

        def answerer(model: Any, history: Any) -> Answerer:
            made = Answerer(model, PROFILE, max_new_tokens=50, history=history)
            self.answerers.append(made)
            return made

        engines = Engines(
            ear=lambda: Ear(segmenter=cast("Any", self.segmenter), vad=network, end_of_turn=network),
            recogniser=lambda: self.words,
            repair=lambda: lambda text, language: text,
            chat_model=lambda: self.mind,
            answerer=answerer,
            synthesiser=Voice,
            desk=desk,
        )
        self.performer = Performer(self.loudspeaker, FaceAnimator(seed=1))
        self.pipeline = Pipeline(engines, sound, self.performer)
        self.visit = Conversation(PROFILE, SessionConfig(filler_after_s=60), "zh", self.pipeline)
        self._connect()
        with qtbot.waitSignal(self.pipeline.ready, timeout=PATIENCE_MS):
            self.pipeline.start()
        self.pipeline.listen(True, False)

    def _connect(self) -> None:
        pipeline, visit, now = self.pipeline, self.visit, time.monotonic
        pipeline.speech_began.connect(lambda _: visit.speech_began(now()))
        pipeline.speech_paused.connect(lambda: visit.speech_paused(now()))
        pipeline.speech_resumed.connect(lambda: visit.speech_resumed(now()))
        pipeline.utterance_ended.connect(lambda utterance: visit.utterance_ended(utterance, now()))
        pipeline.sound_queued.connect(self._on_sound)
        pipeline.produced.connect(self._on_produced)

    def _on_sound(self, sound: QueuedSound) -> None:
        self.sounds.append(sound)
        self.visit.sound_began(sound.clip.turn_id, time.monotonic())

    def _on_produced(self, event: object) -> None:
        now_s = time.monotonic()
        if isinstance(event, Question):
            self.visit.question_heard(event, now_s)
        elif isinstance(event, NothingHeard):
            self.visit.nothing_heard(event, now_s)
        elif isinstance(event, ReplyClause):
            self.visit.clause_made(event, now_s)
        elif isinstance(event, EndOfReply):
            self.visit.reply_complete(event)

    # What the visitor does

    def begin(self) -> None:
        """Open the mouth."""
        self.segmenter.due.append(SpeechBegan(speech_start_ns=time.monotonic_ns()))

    def pause(self, text: str) -> FloatArray:
        """Pause after these words."""
        self._end_ns = time.monotonic_ns()
        samples = self.words.sound(text)
        self.segmenter.due.append(SpeechPaused(samples=samples, speech_end_ns=self._end_ns))
        return samples

    def go_on(self) -> None:
        """Speak again."""
        self.segmenter.due.append(SpeechResumed())

    def end(self, samples: FloatArray) -> None:
        """Say no more."""
        ended = SpeechEnded(
            samples=samples, speech_start_ns=self._end_ns, speech_end_ns=self._end_ns, ended_by="model"
        )
        self.segmenter.due.append(ended)

    def say(self, text: str) -> None:
        """All of it in one go."""
        self.begin()
        self.end(self.pause(text))

    # What is to be seen and heard

    def until(self, condition: Any) -> None:
        """Let things happen until something is so."""
        self._bot.waitUntil(lambda: bool(condition()), timeout=PATIENCE_MS)

    def settle(self) -> None:
        """Let things happen for a moment."""
        self._bot.wait(150)

    def settle_shortly(self) -> None:
        """Let what is queued be handled."""
        self._bot.wait(10)

    @property
    def now(self) -> float:
        """The conversation's time, in seconds."""
        return time.monotonic()

    def has_ended(self, phase: Phase) -> bool:
        """Play on; whether the conversation has come to this phase."""
        self.play(0.5)
        return self.visit.phase is phase

    def play(self, seconds: float) -> None:
        """The loudspeaker plays on."""
        self.loudspeaker.now += int(seconds * RATE)
        self.visit.tick(time.monotonic(), self.performer.is_audible)

    @property
    def remembered(self) -> list[tuple[str, str]]:
        """Questions and answers that the next one can lean on."""
        return [(turn.question, turn.answer) for turn in self.answerers[-1].turns()]

    def close(self) -> list[str]:
        """The evening."""
        self.mind.begins.set()
        self.mind.goes_on.set()
        return self.pipeline.stop()
