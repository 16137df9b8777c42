"""The three stages that make an answer: recognition, thinking, speaking. Testable without any thread."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import cast

import numpy as np

from kiosk.dialogue.answer import Answerer
from kiosk.dialogue.backchannel import Remark, kind_of_remark, starts_anew, without_opening
from kiosk.dialogue.history import History
from kiosk.dialogue.same_question import question_key
from kiosk.events import (
    Event,
    NothingHeard,
    Pause,
    PrepareAnswer,
    PrepareSpeech,
    Question,
    ReplyClause,
    Utterance,
)
from kiosk.hearing.whole_question import is_whole_question
from kiosk.pipeline.answering import RehearsedAnswers
from kiosk.pipeline.prepared_speech import PreparedSpeech
from kiosk.pipeline.progress import Turns
from kiosk.pipeline.replies import clauses_of, clips_of, sound_of
from models.asr.base import Recogniser, Recognition
from models.llm.base import ChatModel
from models.tts.base import Synthesiser
from models.types import FloatArray, Language, ShouldStop, never_stop

Repair = Callable[[str, Language], str]
"""Transcript with its language → the words that were meant."""


MIN_REST_SAMPLES = 16_000
"""So much sound after a pause must have changed the words, or its own words were passed over."""
SAME_SAMPLES = 1600
"""A turn's beginning, to know it again."""
MAX_JOINED_SAMPLES = 28 * 16_000
"""A continuation that makes an utterance longer than this is taken by itself."""


class RecognitionStage:
    """Pause → question on trial; utterance → question or nothing heard."""

    name = "recogniser"

    def __init__(
        self,
        load: Callable[[], Recogniser],
        scope: Turns,
        load_repair: Callable[[], Repair] | None = None,
        reading: contextlib.AbstractContextManager[None] | None = None,
    ) -> None:
        """Remember how to load; nothing is loaded yet.

        Args:
            load: Loads the recogniser.
            scope: Tells which turns are over.
            load_repair: Loads what repairs its text; None: nothing does.
            reading: Entered while it reads; None: nobody is to know.
        """
        self._load = load
        self._reading = reading or contextlib.nullcontext()
        self._load_repair = load_repair
        self._scope = scope
        self._recogniser: Recogniser | None = None
        self._repair: Repair | None = None
        self._on_trial: tuple[int, Recognition] | None = None  # turn, what was recognised at its pause
        self._paused: tuple[FloatArray, Recognition] | None = None  # sound and words up to the last pause
        self._last: tuple[int, FloatArray, Recognition] | None = None  # turn, sound and words of the last question

    def load(self, should_stop: ShouldStop = never_stop) -> None:
        """Load and warm up the recogniser and what repairs its text."""
        if self._load_repair is not None:
            self._repair = self._load_repair()
        self._recogniser = self._load()
        if not should_stop():
            self._recogniser.warm_up()

    def process(self, event: Event) -> Iterator[Event]:
        """Recognise an `Utterance`, or a `Pause` on trial, so that the end of the turn finds it done."""
        assert isinstance(event, Pause | Utterance)
        is_trial = isinstance(event, Pause)
        if self._on_trial is not None and self._on_trial[0] == event.turn_id:
            heard = self._on_trial[1]
        else:
            heard = self._read(event.samples, event.turn_id)
            if self._paused is not None:
                heard = self._with_rest(event.samples, heard, self._paused, event.turn_id)
            self._paused = (event.samples, heard)
        self._on_trial = (event.turn_id, heard) if is_trial else None
        if isinstance(event, Utterance):
            samples, heard = self._joined(event, heard)
            if kind_of_remark(heard.text) is Remark.SPEECH:
                self._last = (event.turn_id, samples, heard)
        if heard.text:
            yield Question(
                turn_id=event.turn_id,
                text=heard.text if self._repair is None else self._repair(heard.text, heard.language),
                language=heard.language,
                speech_end_ns=event.speech_end_ns,
                is_trial=is_trial,
                is_interruption=event.is_interruption,
                log_probability=heard.average_log_probability,
            )
        else:
            yield NothingHeard(
                turn_id=event.turn_id,
                speech_end_ns=event.speech_end_ns,
                is_trial=is_trial,
                is_interruption=event.is_interruption,
            )

    def _joined(self, utterance: Utterance, heard: Recognition) -> tuple[FloatArray, Recognition]:
        """An utterance that goes on with an unfinished one, read as a whole with it."""
        last = self._last
        if (
            last is None
            or last[0] != utterance.continues
            or not heard.text
            or kind_of_remark(heard.text) is not Remark.SPEECH
            or starts_anew(heard.text)
            or is_whole_question(last[2].text)
            or (is_whole_question(heard.text) and heard.language != last[2].language)
            or len(last[1]) + len(utterance.samples) > MAX_JOINED_SAMPLES
        ):
            return utterance.samples, heard
        samples = np.concatenate([last[1], utterance.samples])
        whole = self._read(samples, utterance.turn_id)
        if kind_of_remark(heard.text) is Remark.SPEECH and _is_no_more(whole, last[2]):
            return utterance.samples, heard
        return (samples, whole) if whole.text else (utterance.samples, heard)

    def _with_rest(
        self, samples: FloatArray, heard: Recognition, paused: tuple[FloatArray, Recognition], turn_id: int
    ) -> Recognition:
        """A recogniser may stop after a pause, above all where another language begins: the rest is read alone."""
        before, words = paused
        is_same_turn = len(before) < len(samples) and np.array_equal(before[:SAME_SAMPLES], samples[:SAME_SAMPLES])
        if not is_same_turn or len(samples) - len(before) < MIN_REST_SAMPLES or not _is_no_more(heard, words):
            return heard
        rest = self._read(samples[len(before) :], turn_id)
        if kind_of_remark(rest.text) is not Remark.SPEECH:
            return heard
        if rest.language != words.language and is_whole_question(rest.text):
            return rest
        return replace(rest, text=f"{words.text} {rest.text}", language=words.language)

    def _read(self, samples: FloatArray, turn_id: int) -> Recognition:
        assert self._recogniser is not None
        with self._reading:
            return self._recogniser.transcribe(samples, None, self._scope.stop_test(turn_id))

    def close(self) -> None:
        """Free the recogniser."""
        if self._recogniser is not None:
            self._recogniser.close()
            self._recogniser = None


class ThinkingStage:
    """Question → clauses → end of reply, by the language model."""

    name = "language model"

    def __init__(
        self,
        load: Callable[[], ChatModel],
        make_answerer: Callable[[ChatModel, History], Answerer],
        scope: Turns,
        history: History | None = None,
        rehearsed: RehearsedAnswers | None = None,
    ) -> None:
        """Remember how to load; nothing is loaded yet.

        Args:
            load: Loads the chat model.
            make_answerer: Makes what answers with it.
            scope: Tells which turns are over.
            history: Of the conversation; None: a new one.
            rehearsed: Where answers that were rehearsed are put; None: nowhere. Both outlive this stage when it is
                started again.
        """
        self._load = load
        self._make_answerer = make_answerer
        self._scope = scope
        self._history = History() if history is None else history
        self._rehearsed: RehearsedAnswers = {} if rehearsed is None else rehearsed
        self._model: ChatModel | None = None
        self._answerer: Answerer | None = None

    def load(self, should_stop: ShouldStop = never_stop) -> None:
        """Load and warm up the chat model."""
        self._model = self._load()
        self._answerer = self._make_answerer(self._model, self._history)
        self._answerer.warm_up(should_stop)

    def process(self, event: Event) -> Iterator[Event]:
        """Answer one `Question`, or rehearse a `PrepareAnswer`: its sound is asked for, too."""
        assert self._answerer is not None
        if isinstance(event, PrepareAnswer):
            yield from self._rehearse(self._answerer, event)
            return
        assert isinstance(event, Question)
        should_stop = self._scope.stop_test(event.turn_id)
        deltas = self._answerer.answer(without_opening(event.text), event.language, should_stop, event.turn_id)
        with contextlib.closing(cast("Generator[str]", deltas)):
            yield from clauses_of(deltas, event.turn_id, event.language, "model")

    def close(self) -> None:
        """Free the chat model."""
        self._answerer = None
        if self._model is not None:
            self._model.close()
            self._model = None

    def _rehearse(self, answerer: Answerer, event: PrepareAnswer) -> Iterator[Event]:
        should_stop = self._scope.stop_test(event.turn_id)
        text = "".join(answerer.rehearse(event.text, event.language, should_stop))
        if not should_stop():
            self._rehearsed[event.language, question_key(event.text, event.language)] = text
            yield from sound_of(text, event)


class SpeakingStage:
    """Clause → clip; the end of reply is passed on. Clauses that were prepared are given at once."""

    name = "voice"

    def __init__(self, load: Callable[[], Synthesiser], scope: Turns, prepared: PreparedSpeech | None = None) -> None:
        """Remember how to load; nothing is loaded yet.

        Args:
            load: Loads the synthesiser.
            scope: Tells which turns are over.
            prepared: Sound that is ready; None: none. It outlives this stage when it is started again.
        """
        self._load = load
        self._scope = scope
        self._prepared = PreparedSpeech() if prepared is None else prepared
        self._synthesiser: Synthesiser | None = None

    def load(self, should_stop: ShouldStop = never_stop) -> None:
        """Load and warm up the synthesiser."""
        self._synthesiser = self._load()
        if not should_stop():
            self._synthesiser.warm_up()

    def process(self, event: Event) -> Iterator[Event]:
        """Speak one `ReplyClause`, or prepare a `PrepareSpeech`. A filler that is not prepared comes too late."""
        assert self._synthesiser is not None
        if isinstance(event, PrepareSpeech):
            if self._prepare(self._synthesiser, event):
                yield event
        elif not isinstance(event, ReplyClause):
            yield event
        elif event.spoken:
            ready = self._prepared.get(event.spoken, event.language)
            if ready is None and event.is_filler:
                return
            stop = self._scope.stop_test(event.turn_id)
            made = self._synthesiser.stream(event.spoken, event.language, stop) if ready is None else ready
            yield from clips_of(event, made)

    def close(self) -> None:
        """Free the synthesiser."""
        if self._synthesiser is not None:
            self._synthesiser.close()
            self._synthesiser = None

    def _prepare(self, synthesiser: Synthesiser, event: PrepareSpeech) -> bool:
        """Keep the sound; false when a visitor came in between."""
        if (event.spoken, event.language) in self._prepared:
            return True
        stop = self._scope.stop_test(event.turn_id)
        parts = tuple(synthesiser.stream(event.spoken, event.language, stop))
        if stop():
            return False
        self._prepared.put(event.spoken, event.language, parts)
        return True


def _is_no_more(longer: Recognition, shorter: Recognition) -> bool:
    """Whether a longer stretch gave no more words than its beginning did."""
    return bool(shorter.text) and sum(map(str.isalnum, longer.text)) <= sum(map(str.isalnum, shorter.text))
