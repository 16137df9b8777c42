"""What stages do, without threads: a scripted fake per model."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest

from kiosk.events import NothingHeard, Pause, Question, Utterance
from kiosk.pipeline.scope import TurnScope
from kiosk.pipeline.stages import RecognitionStage, clauses_of
from models.asr.base import Recognition
from models.types import FloatArray, Language, ShouldStop, never_stop


class ScriptedRecogniser:
    """Hears the words that stand for the values in the sound, one after the other; counts."""

    max_seconds = 30.0
    words = MappingProxyType(
        {1: "几点开门？", 2: "你们周六", 3: "开门吗？", 4: "嗯", 5: "Are you open on Saturday?", 6: "please"}
    )

    def __init__(self) -> None:
        self.calls = 0

    def warm_up(self) -> None:
        pass

    def transcribe(
        self, samples: FloatArray, language: Language | None = None, should_stop: ShouldStop = never_stop
    ) -> Recognition:
        self.calls += 1
        text = "".join(self.words.get(value, "") for value in dict.fromkeys(samples.tolist()))
        language: Language = "en" if text.isascii() else "zh"
        return Recognition(text=text, language=language, average_log_probability=-0.2, no_speech_probability=0.1)

    def close(self) -> None:
        pass


def stage() -> tuple[RecognitionStage, ScriptedRecogniser]:
    recogniser = ScriptedRecogniser()
    made = RecognitionStage(lambda: recogniser, TurnScope())
    made.load()
    return made, recogniser


def sound(word: int) -> FloatArray:
    return np.full(1600, word, np.float32)


QUESTION, BEGINNING, REST, REMARK, FOREIGN, HUM = (sound(word) for word in (1, 2, 3, 4, 5, 0))


def pause(samples: FloatArray, turn_id: int) -> Pause:
    return Pause(turn_id=turn_id, samples=samples, speech_end_ns=turn_id)


def utterance(samples: FloatArray, turn_id: int, continues: int | None = None) -> Utterance:
    return Utterance(
        turn_id=turn_id,
        samples=samples,
        speech_end_ns=turn_id,
        ended_by="model",
        is_interruption=continues is not None,
        continues=continues,
    )


def test_what_was_recognised_at_the_pause_serves_the_turn_that_ends_there() -> None:
    recognition, recogniser = stage()
    (trial,) = recognition.process(pause(QUESTION, 5))
    (question,) = recognition.process(utterance(QUESTION, 5))
    assert isinstance(trial, Question)
    assert isinstance(question, Question)
    assert (trial.is_trial, question.is_trial) == (True, False)
    assert (question.text, question.speech_end_ns, recogniser.calls) == ("几点开门？", 5, 1)


def test_a_turn_that_went_on_is_recognised_anew() -> None:
    recognition, recogniser = stage()
    list(recognition.process(pause(BEGINNING, 5)))
    (question,) = recognition.process(utterance(QUESTION, 6))
    assert isinstance(question, Question)
    assert (question.text, recogniser.calls) == ("几点开门？", 2)


def test_a_continuation_is_read_with_its_beginning() -> None:
    recognition, _ = stage()
    list(recognition.process(utterance(BEGINNING, 5)))
    (question,) = recognition.process(utterance(REST, 6, continues=5))
    assert isinstance(question, Question)
    assert (question.text, question.is_interruption) == ("你们周六开门吗？", True)


def test_a_continuation_of_a_continuation_is_read_with_all_of_it() -> None:
    recognition, _ = stage()
    list(recognition.process(utterance(BEGINNING, 5)))
    list(recognition.process(utterance(BEGINNING, 6, continues=5)))
    (question,) = recognition.process(utterance(REST, 7, continues=6))
    assert isinstance(question, Question)
    assert question.text == "你们周六开门吗？"


def test_a_new_question_after_a_whole_one_stands_alone() -> None:
    recognition, recogniser = stage()
    list(recognition.process(utterance(QUESTION, 5)))
    (question,) = recognition.process(utterance(REST, 6, continues=5))
    assert isinstance(question, Question)
    assert (question.text, recogniser.calls) == ("开门吗？", 2)


def test_a_whole_question_in_another_language_stands_alone() -> None:
    """Read with what another visitor had begun, all of it was taken for Chinese and the question was lost."""
    recognition, recogniser = stage()
    list(recognition.process(utterance(BEGINNING, 5)))
    (question,) = recognition.process(utterance(FOREIGN, 6, continues=5))
    assert isinstance(question, Question)
    assert (question.text, question.language, recogniser.calls) == ("Are you open on Saturday?", "en", 2)


class OneLanguage(ScriptedRecogniser):
    """Like a real one it keeps to the language of the beginning and passes over what is said in another."""

    def transcribe(
        self, samples: FloatArray, language: Language | None = None, should_stop: ShouldStop = never_stop
    ) -> Recognition:
        first = next((value for value in samples.tolist() if value in self.words), 0)
        is_chinese = not self.words.get(first, "").isascii()
        kept = [v for v in samples.tolist() if v not in self.words or self.words[v].isascii() is not is_chinese]
        return super().transcribe(np.array(kept, np.float32), language, should_stop)


def long(word: int) -> FloatArray:
    return np.repeat(sound(word), 15)


@pytest.mark.parametrize(
    ("first", "second", "text", "language"),
    [
        (1, 5, "Are you open on Saturday?", "en"),
        (2, 5, "Are you open on Saturday?", "en"),
        (2, 6, "你们周六 please", "zh"),
        (1, 0, "几点开门？", "zh"),
        (2, 3, "你们周六开门吗？", "zh"),
        (1, 4, "几点开门？嗯", "zh"),
    ],
)
def test_what_was_passed_over_after_a_pause_is_read_alone(
    first: int, second: int, text: str, language: Language
) -> None:
    """Two visitors in one turn: the second one's question was lost with its language."""
    recogniser = OneLanguage()
    recognition = RecognitionStage(lambda: recogniser, TurnScope())
    recognition.load()
    list(recognition.process(pause(long(first), 5)))
    (question,) = recognition.process(utterance(np.concatenate([long(first), long(second)]), 6))
    assert isinstance(question, Question)
    assert (question.text, question.language) == (text, language)


def test_the_pause_of_another_turn_does_not_matter() -> None:
    recogniser = OneLanguage()
    recognition = RecognitionStage(lambda: recogniser, TurnScope())
    recognition.load()
    list(recognition.process(pause(long(1), 5)))
    (question,) = recognition.process(utterance(np.concatenate([long(2), long(5)]), 6))
    assert isinstance(question, Question)
    assert (question.text, recogniser.calls) == ("你们周六", 2)


def test_a_continuation_that_the_whole_passes_over_stands_alone() -> None:
    recogniser = OneLanguage()
    recognition = RecognitionStage(lambda: recogniser, TurnScope())
    recognition.load()
    list(recognition.process(utterance(BEGINNING, 5)))
    (question,) = recognition.process(utterance(sound(6), 6, continues=5))
    assert isinstance(question, Question)
    assert question.text == "please"


def test_a_sign_of_listening_is_no_continuation() -> None:
    recognition, _ = stage()
    list(recognition.process(utterance(BEGINNING, 5)))
    (question,) = recognition.process(utterance(REMARK, 6, continues=5))
    assert isinstance(question, Question)
    assert question.text == "嗯"


def test_noise_is_reported_as_nothing_heard() -> None:
    recognition, _ = stage()
    (event,) = recognition.process(utterance(HUM, 5))
    assert isinstance(event, NothingHeard)


def test_clauses_are_numbered_and_followed_by_an_end() -> None:
    kinds = [type(event).__name__ for event in clauses_of(iter(["九点开门，", "五点关门。"]), 3, "zh", "model")]
    assert kinds == ["FirstToken", "ReplyClause", "ReplyClause", "EndOfReply"]
