"""The decisions around Whisper, with a scripted backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from models.asr.cleaning import Hypothesis
from models.asr.recogniser import WhisperRecogniser
from models.asr.windows import MARGIN_S, MAX_PIECE_S, split_at_pauses, window_frames
from models.errors import ModelInputError
from models.types import FloatArray, Language

RATE = 16_000


class ScriptedBackend:
    def __init__(self, probabilities: Mapping[str, float], texts: Mapping[Language, tuple[str, float]]) -> None:
        self.probabilities = probabilities
        self.texts = texts
        self.encoded: list[tuple[int, int]] = []
        self.decoded: list[tuple[Language, str, int]] = []

    def encode(self, samples: FloatArray, num_frames: int) -> Any:
        self.encoded.append((len(samples), num_frames))
        return object()

    def language_probabilities(self, encoded: Any) -> Mapping[str, float]:
        return self.probabilities

    def decode(self, encoded: Any, language: Language, prompt: str, max_tokens: int) -> Hypothesis:
        self.decoded.append((language, prompt, max_tokens))
        text, log_probability = self.texts[language]
        return Hypothesis(text=text, average_log_probability=log_probability, no_speech_probability=0.1)


def sound(seconds: float, level: float = 0.1) -> FloatArray:
    return np.random.default_rng(0).normal(0, level, int(seconds * RATE)).astype(np.float32)


BOTH: Mapping[Language, tuple[str, float]] = {"zh": ("几点开门？", -0.2), "en": ("When do you open?", -0.4)}


def test_a_sure_language_is_decoded_once_on_one_encoding() -> None:
    backend = ScriptedBackend({"zh": 0.9, "en": 0.05}, BOTH)
    result = WhisperRecogniser(backend).transcribe(sound(3))
    assert (result.text, result.language) == ("几点开门？", "zh")
    assert len(backend.encoded) == 1
    assert [language for language, _, _ in backend.decoded] == ["zh"]


def test_other_languages_never_come_out() -> None:
    backend = ScriptedBackend({"ja": 0.8, "ko": 0.1, "en": 0.06, "zh": 0.02}, BOTH)
    result = WhisperRecogniser(backend).transcribe(sound(3))
    assert result.language == "zh"  # both configured ones were tried; the surer text won
    assert len(backend.encoded) == 1


def test_a_configured_language_alone_is_taken_without_asking() -> None:
    backend = ScriptedBackend({"zh": 0.99, "en": 0.01}, BOTH)
    assert WhisperRecogniser(backend, ("en",)).transcribe(sound(3)).language == "en"


def test_a_fixed_language_is_kept_and_an_unknown_one_refused() -> None:
    backend = ScriptedBackend({"zh": 0.99, "en": 0.01}, BOTH)
    assert WhisperRecogniser(backend).transcribe(sound(3), "en").text == "When do you open?"
    with pytest.raises(ModelInputError, match=r"hearing\.languages"):
        WhisperRecogniser(backend, ("zh",)).transcribe(sound(3), "en")


def test_short_sound_is_primed_with_answers_and_long_with_terms() -> None:
    backend = ScriptedBackend({"zh": 0.99, "en": 0.0}, BOTH)
    recogniser = WhisperRecogniser(backend, prompt_words={"zh": "开户、办卡"})
    recogniser.transcribe(sound(1.0))
    recogniser.transcribe(sound(3.0))
    assert backend.decoded[0][1].startswith("开户。办卡。是。不是。")
    assert backend.decoded[1][1] == "以下是普通话的句子，例如开户、办卡。"
    assert backend.decoded[0][2] < backend.decoded[1][2]


@pytest.mark.parametrize("samples", [np.zeros(3 * RATE, np.float32), np.zeros(0, np.float32), sound(0.03)])
def test_silence_never_reaches_the_network(samples: FloatArray) -> None:
    backend = ScriptedBackend({"zh": 1.0}, BOTH)
    assert WhisperRecogniser(backend).transcribe(samples).text == ""
    assert backend.encoded == []


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (np.zeros((2, RATE), np.float32), "mono"),
        (np.zeros(RATE, np.int16), "float32"),
        (np.full(RATE, 12_000, np.float32), "scale"),
        (np.full(RATE, np.nan, np.float32), "scale"),
        (np.zeros(121 * RATE, np.float32), "too long"),
    ],
)
def test_sound_in_a_wrong_form_is_refused(samples: FloatArray, message: str) -> None:
    with pytest.raises(ModelInputError, match=message):
        WhisperRecogniser(ScriptedBackend({}, BOTH)).transcribe(samples)


def test_all_of_a_long_utterance_is_recognised() -> None:
    backend = ScriptedBackend({"en": 0.99, "zh": 0.0}, BOTH)
    result = WhisperRecogniser(backend).transcribe(sound(45))
    assert sum(length for length, _ in backend.encoded) == 45 * RATE
    assert result.text == "When do you open? When do you open?"


def test_told_to_stop_it_gives_nothing() -> None:
    backend = ScriptedBackend({"en": 0.99, "zh": 0.0}, BOTH)
    answers = iter([False, True])
    result = WhisperRecogniser(backend).transcribe(sound(3), should_stop=lambda: next(answers))
    assert result.text == ""
    assert backend.decoded == []


def test_after_close_it_says_so() -> None:
    recogniser = WhisperRecogniser(ScriptedBackend({}, BOTH))
    recogniser.close()
    recogniser.close()
    with pytest.raises(ModelInputError, match="closed"):
        recogniser.transcribe(sound(1))


@pytest.mark.parametrize(
    ("seconds", "window_s"), [(0.3, 9), (8.0, 9), (9.0, 10), (9.5, 15), (14.5, 20), (19.5, 30), (29.0, 30)]
)
def test_the_window_is_the_smallest_with_a_margin(seconds: float, window_s: int) -> None:
    assert window_frames(int(seconds * RATE)) == window_s * 100
    assert seconds + MARGIN_S <= window_s


def test_long_sound_is_cut_in_its_pauses_and_nothing_is_lost() -> None:
    samples = sound(80)
    pauses = [25.0, 47.0, 70.0]
    for at in pauses:
        samples[int(at * RATE) : int((at + 0.5) * RATE)] *= 0.001
    pieces = split_at_pauses(samples)
    np.testing.assert_array_equal(np.concatenate(pieces), samples)
    assert all(len(piece) <= MAX_PIECE_S * RATE for piece in pieces)
    cuts = np.cumsum([len(piece) for piece in pieces])[:-1] / RATE
    for cut, at in zip(cuts, pauses, strict=True):
        assert at <= cut <= at + 0.5
