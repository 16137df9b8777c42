"""What stages do, without threads: a scripted fake per model."""

from __future__ import annotations

import numpy as np

from kiosk.events import NothingHeard, Pause, Question, Utterance
from kiosk.pipeline.scope import TurnScope
from kiosk.pipeline.stages import RecognitionStage, clauses_of
from models.asr.base import Recognition
from models.types import FloatArray, Language, ShouldStop, never_stop


class ScriptedRecogniser:
    """Hears a text in sound whose first sample is above 0; counts."""

    max_seconds = 30.0

    def __init__(self) -> None:
        self.calls = 0

    def warm_up(self) -> None:
        pass

    def transcribe(
        self, samples: FloatArray, language: Language | None = None, should_stop: ShouldStop = never_stop
    ) -> Recognition:
        self.calls += 1
        text = "几点开门？" if samples[0] > 0 else ""
        return Recognition(text=text, language="zh", average_log_probability=-0.2, no_speech_probability=0.1)

    def close(self) -> None:
        pass


def stage() -> tuple[RecognitionStage, ScriptedRecogniser]:
    recogniser = ScriptedRecogniser()
    made = RecognitionStage(lambda: recogniser, TurnScope())
    made.load()
    return made, recogniser


MS = 1_000_000
VOICE, HUM = np.ones(1600, np.float32), np.zeros(1600, np.float32)


def utterance(samples: FloatArray, end_ns: int) -> Utterance:
    return Utterance(turn_id=0, samples=samples, speech_end_ns=end_ns, ended_by="model")


def test_what_was_recognised_at_the_pause_serves_the_turn_that_ends_there() -> None:
    recognition, recogniser = stage()
    assert list(recognition.process(Pause(turn_id=0, samples=VOICE, speech_end_ns=5 * MS))) == []
    (question,) = recognition.process(utterance(VOICE, 6 * MS))
    assert isinstance(question, Question)
    assert (question.text, question.speech_end_ns, recogniser.calls) == ("几点开门？", 6 * MS, 1)


def test_a_turn_that_went_on_is_recognised_anew() -> None:
    recognition, recogniser = stage()
    list(recognition.process(Pause(turn_id=0, samples=VOICE, speech_end_ns=5 * MS)))
    list(recognition.process(utterance(VOICE, 37 * MS)))
    list(recognition.process(utterance(VOICE, 6 * MS)))
    assert recogniser.calls == 3


def test_noise_is_reported_as_nothing_heard() -> None:
    recognition, _ = stage()
    (event,) = recognition.process(utterance(HUM, 5))
    assert isinstance(event, NothingHeard)


def test_clauses_are_numbered_and_followed_by_an_end() -> None:
    kinds = [type(event).__name__ for event in clauses_of(iter(["九点开门，", "五点关门。"]), 3, "zh", "model")]
    assert kinds == ["FirstToken", "ReplyClause", "ReplyClause", "EndOfReply"]
