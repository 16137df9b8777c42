"""The three stages that make an answer: recognition, thinking, speaking. Testable without any thread."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator
from typing import cast

from kiosk.dialogue.answer import Answerer
from kiosk.dialogue.reply import ReplyBuilder
from kiosk.events import (
    EndOfReply,
    Event,
    FirstToken,
    NothingHeard,
    Pause,
    Question,
    ReplyClause,
    Source,
    SpeechClip,
    Utterance,
)
from kiosk.pipeline.scope import TurnScope
from models.asr.base import Recogniser, Recognition
from models.llm.base import ChatModel
from models.tts.base import Synthesiser
from models.types import Language, ShouldStop, never_stop

Repair = Callable[[str, Language], str]
"""Transcript with its language → the words that were meant."""


SAME_END_NS = 16_000_000
"""Half a window of voice activity: the clock of the microphone trembles, the end of speech moves by whole windows."""


class RecognitionStage:
    """Utterance → question or nothing heard."""

    name = "recogniser"

    def __init__(
        self, load: Callable[[], Recogniser], scope: TurnScope, load_repair: Callable[[], Repair] | None = None
    ) -> None:
        self._load = load
        self._load_repair = load_repair
        self._scope = scope
        self._recogniser: Recogniser | None = None
        self._repair: Repair | None = None
        self._on_trial: tuple[int, Recognition] | None = None  # end of speech, what was recognised up to there

    def load(self, should_stop: ShouldStop = never_stop) -> None:
        """Load and warm up the recogniser and what repairs its text."""
        if self._load_repair is not None:
            self._repair = self._load_repair()
        self._recogniser = self._load()
        if not should_stop():
            self._recogniser.warm_up()

    def process(self, event: Event) -> Iterator[Event]:
        """Recognise one `Utterance`; at a `Pause` recognise on trial, so that the end of the turn finds it done."""
        assert self._recogniser is not None
        if isinstance(event, Pause):
            self._on_trial = (event.speech_end_ns, self._recogniser.transcribe(event.samples))
            return
        assert isinstance(event, Utterance)
        if self._on_trial is not None and abs(self._on_trial[0] - event.speech_end_ns) < SAME_END_NS:
            heard = self._on_trial[1]
        else:
            heard = self._recogniser.transcribe(event.samples, None, self._scope.stop_test(event.turn_id))
        self._on_trial = None
        if heard.text:
            text = heard.text if self._repair is None else self._repair(heard.text, heard.language)
            yield Question(
                turn_id=event.turn_id, text=text, language=heard.language, speech_end_ns=event.speech_end_ns
            )
        else:
            yield NothingHeard(turn_id=event.turn_id)

    def close(self) -> None:
        """Free the recogniser."""
        if self._recogniser is not None:
            self._recogniser.close()
            self._recogniser = None


class ThinkingStage:
    """Question → clauses → end of reply."""

    name = "language model"

    def __init__(
        self, load: Callable[[], ChatModel], make_answerer: Callable[[ChatModel], Answerer], scope: TurnScope
    ) -> None:
        self._load = load
        self._make_answerer = make_answerer
        self._scope = scope
        self._model: ChatModel | None = None
        self._answerer: Answerer | None = None

    def load(self, should_stop: ShouldStop = never_stop) -> None:
        """Load and warm up the chat model."""
        self._model = self._load()
        self._answerer = self._make_answerer(self._model)
        self._answerer.warm_up(should_stop)

    def process(self, event: Event) -> Iterator[Event]:
        """Answer one `Question`."""
        assert isinstance(event, Question)
        assert self._answerer is not None
        deltas = self._answerer.answer(event.text, event.language, self._scope.stop_test(event.turn_id))
        with contextlib.closing(cast("Generator[str]", deltas)):
            yield from clauses_of(deltas, event.turn_id, event.language, "model")

    def forget(self) -> None:
        """Forget the conversation so far; may be called from any thread."""
        if self._answerer is not None:
            self._answerer.clear()

    def close(self) -> None:
        """Free the chat model."""
        self._answerer = None
        if self._model is not None:
            self._model.close()
            self._model = None


class SpeakingStage:
    """Clause → clip; the end of reply is passed on."""

    name = "voice"

    def __init__(self, load: Callable[[], Synthesiser], scope: TurnScope) -> None:
        self._load = load
        self._scope = scope
        self._synthesiser: Synthesiser | None = None

    def load(self, should_stop: ShouldStop = never_stop) -> None:
        """Load and warm up the synthesiser."""
        self._synthesiser = self._load()
        if not should_stop():
            self._synthesiser.warm_up()

    def process(self, event: Event) -> Iterator[Event]:
        """Speak one `ReplyClause`."""
        if not isinstance(event, ReplyClause):
            yield event
            return
        assert self._synthesiser is not None
        if event.spoken:
            stop = self._scope.stop_test(event.turn_id)
            for part in self._synthesiser.stream(event.spoken, event.language, stop):
                yield SpeechClip(
                    turn_id=event.turn_id,
                    clause=event,
                    samples=part.samples,
                    sample_rate=part.sample_rate,
                    phonemes=part.phonemes,
                )

    def close(self) -> None:
        """Free the synthesiser."""
        if self._synthesiser is not None:
            self._synthesiser.close()
            self._synthesiser = None


def clauses_of(deltas: Iterator[str], turn_id: int, language: Language, source: Source) -> Iterator[Event]:
    """Cut streamed text into clauses: `FirstToken`, `ReplyClause` …, `EndOfReply`."""
    builder = ReplyBuilder(language)
    is_first = True
    index = 0
    for delta in _with_end(deltas):
        if is_first:
            is_first = False
            yield FirstToken(turn_id=turn_id)
        for clause in builder.finish() if delta is None else builder.push(delta):
            yield ReplyClause(
                turn_id=turn_id,
                index=index,
                written=clause.written,
                spoken=clause.spoken,
                language=language,
                source=source,
            )
            index += 1
    yield EndOfReply(turn_id=turn_id)


def _with_end(deltas: Iterator[str]) -> Iterator[str | None]:
    yield from deltas
    yield None
