"""One turn without a window and without threads: the same stages as the kiosk's, run one after the other."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from kiosk.config import Config
from kiosk.dialogue.history import History
from kiosk.dialogue.language_guess import guess_language
from kiosk.dialogue.reply import clauses_of
from kiosk.events import Event, FirstToken, Question, ReplyClause, Source, SpeechClip, Utterance
from kiosk.face.portrait import Portrait
from kiosk.pipeline.answering import AnswerStage
from kiosk.pipeline.engines import Engines, load_voice
from kiosk.pipeline.scope import TurnScope
from kiosk.pipeline.stages import RecognitionStage, SpeakingStage, ThinkingStage
from models.tts.base import SynthesisedSpeech
from models.types import FloatArray, Language

NS_PER_MS = 1_000_000


@dataclass(slots=True, kw_only=True)
class TurnResult:
    """What one turn gave."""

    transcript: str = ""
    """The question as text; empty when nothing was heard."""
    language: Language | None = None
    """Of question and answer; None when nothing was heard."""
    clauses: list[ReplyClause] = field(default_factory=list)
    """The answer."""
    clips: list[SpeechClip] = field(default_factory=list)
    """The answer as sound."""
    timings_ms: dict[str, float] = field(default_factory=dict)
    """Milliseconds: recogniser, first_token, first_clause, first_sound (all from the turn's start), synthesis,
    total."""

    @property
    def reply(self) -> str:
        """The answer in written form."""
        joint = "" if self.language == "zh" else " "
        return joint.join(clause.written for clause in self.clauses)

    @property
    def source(self) -> Source | None:
        """Where the answer comes from."""
        return self.clauses[0].source if self.clauses else None


class OneTurn:
    """Loaded models that answer one question after the other."""

    def __init__(self, engines: Engines, *, hears: bool, speaks: bool) -> None:
        """Load and warm up what is needed.

        Args:
            engines: How to load.
            hears: Questions will come as sound.
            speaks: Answers are wanted as sound.

        Raises:
            ModelError: Weights are missing or damaged.
        """
        self._scope = TurnScope()
        self._hear = RecognitionStage(engines.recogniser, self._scope, engines.repair) if hears else None
        history = History()
        self._answers = AnswerStage(
            history, engines.history_use, load_approved=engines.approved, load_desk=engines.desk
        )
        self._think = ThinkingStage(engines.chat_model, engines.answerer, self._scope, history)
        self._speak = SpeakingStage(engines.synthesiser, self._scope) if speaks else None
        for stage in (self._hear, self._answers, self._think, self._speak):
            if stage is not None:
                stage.load()

    def ask_aloud(self, samples: FloatArray) -> TurnResult:
        """Answer a recorded question, float32 mono at 16 kHz."""
        assert self._hear is not None
        started_ns = time.monotonic_ns()
        utterance = Utterance(
            turn_id=self._scope.advance(), samples=samples, speech_end_ns=started_ns, ended_by="button"
        )
        result = TurnResult()
        for event in self._hear.process(utterance):
            result.timings_ms["recogniser"] = _since(started_ns)
            if isinstance(event, Question):
                self._answer(event, result, started_ns)
        result.timings_ms["total"] = _since(started_ns)
        return result

    def ask_in_writing(self, text: str, language: Language) -> TurnResult:
        """Answer a typed question."""
        started_ns = time.monotonic_ns()
        result = TurnResult()
        self._answer(Question(turn_id=self._scope.advance(), text=text, language=language), result, started_ns)
        result.timings_ms["total"] = _since(started_ns)
        return result

    def close(self) -> None:
        """Free the models."""
        for stage in (self._hear, self._answers, self._think, self._speak):
            if stage is not None:
                stage.close()

    def _answer(self, question: Question, result: TurnResult, started_ns: int) -> None:
        result.transcript, result.language = question.text, question.language
        synthesis_ns = 0
        for event in self._replies(question):
            if isinstance(event, FirstToken):
                result.timings_ms["first_token"] = _since(started_ns)
            elif isinstance(event, ReplyClause):
                result.timings_ms.setdefault("first_clause", _since(started_ns))
                result.clauses.append(event)
                began_ns = time.monotonic_ns()
                self._voice(event, result, started_ns)
                synthesis_ns += time.monotonic_ns() - began_ns
        result.timings_ms["synthesis"] = round(synthesis_ns / NS_PER_MS, 1)

    def _replies(self, question: Question) -> Iterator[Event]:
        """As the pipeline does: what is not answered at once goes to the language model."""
        for event in self._answers.process(question):
            if isinstance(event, Question):
                yield from self._think.process(event)
            else:
                yield event

    def _voice(self, clause: ReplyClause, result: TurnResult, started_ns: int) -> None:
        for event in self._speak.process(clause) if self._speak is not None else ():
            if isinstance(event, SpeechClip):
                result.timings_ms.setdefault("first_sound", _since(started_ns))
                result.clips.append(event)


def speak(text: str, config: Config, portrait: Portrait) -> list[SynthesisedSpeech]:
    """Speak a text of any length in the portrait's voice, clause by clause."""
    language = guess_language(text, config.screen.language)
    synthesiser = load_voice(config, portrait)
    try:
        clauses = clauses_of(text, language)
        return [synthesiser.synthesise(clause.spoken, language) for clause in clauses if clause.spoken]
    finally:
        synthesiser.close()


def _since(started_ns: int) -> float:
    return round((time.monotonic_ns() - started_ns) / NS_PER_MS, 1)
