"""Whisper with its real weights on the committed clips; more in `test_asr_rows`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kiosk.paths import checkpoints_dir
from models.asr import load_recogniser
from models.asr.base import Recogniser
from models.asr.cleaning import Hypothesis
from models.asr.recogniser import WhisperBackend, WhisperRecogniser
from models.errors import CheckpointError, ModelError
from models.types import FloatArray, Language
from tests.asr.conftest import TERMS
from tests.hearing.hearing_sounds import clicks, clip, hum, music, noise, pink, silence

WHISPER = checkpoints_dir() / "whisper-base"


def framed(speech: FloatArray, tail_s: float = 0.2) -> FloatArray:
    return np.concatenate([noise(0.4), speech, noise(tail_s)])


def plain(text: str) -> str:
    return re.sub(r"[^\w ]", "", text).lower()


@pytest.mark.weights
@pytest.mark.parametrize(
    ("name", "language", "words"),
    [
        ("zh_card_fee", "zh", "办卡要多少钱"),
        ("zh_where_open", "zh", "请问在哪儿开户"),
        ("zh_thanks", "zh", "谢谢"),
        ("zh_yes", "zh", "是"),
        ("en_toilet", "en", "where is the toilet"),
        ("en_no", "en", "no"),
    ],
)
def test_words_and_language(whisper: Recogniser, name: str, language: str, words: str) -> None:
    result = whisper.transcribe(framed(clip(name)))
    assert (plain(result.text), result.language) == (words, language)
    assert result.average_log_probability > -0.5


class _Remembering:
    """A backend that computes nothing twice: a sound is encoded once, not once for each language."""

    def __init__(self, backend: WhisperBackend) -> None:
        self._backend = backend
        self._encoded: dict[tuple[bytes, int], Any] = {}
        self._decoded: dict[tuple[int, Language, str, int], Hypothesis] = {}

    def encode(self, samples: FloatArray, num_frames: int) -> Any:
        key = samples.tobytes(), num_frames
        if key not in self._encoded:
            self._encoded[key] = self._backend.encode(samples, num_frames)
        return self._encoded[key]

    def language_probabilities(self, encoded: Any) -> Mapping[str, float]:
        return self._backend.language_probabilities(encoded)

    def decode(self, encoded: Any, language: Language, prompt: str, max_tokens: int) -> Hypothesis:
        key = id(encoded), language, prompt, max_tokens
        if key not in self._decoded:
            self._decoded[key] = self._backend.decode(encoded, language, prompt, max_tokens)
        return self._decoded[key]


@pytest.fixture(scope="module")
def remembering(whisper: Recogniser) -> Recogniser:
    assert isinstance(whisper, WhisperRecogniser)
    return WhisperRecogniser(_Remembering(whisper._open_backend()), prompt_words={"zh": TERMS})


@pytest.mark.weights
@pytest.mark.parametrize("seconds", [1.0, 3.0])
@pytest.mark.parametrize("language", [None, "zh", "en"])
@pytest.mark.parametrize(
    "make",
    [silence, noise, lambda s: noise(s, -20), lambda s: pink(s, -20), clicks, hum, music],
    ids=["silence", "room", "white", "pink", "clicks", "hum", "music"],
)
def test_no_answer_to_what_is_no_speech(remembering: Recogniser, make, language, seconds: float) -> None:
    assert remembering.transcribe(make(seconds), language).text == ""


@pytest.mark.weights
def test_a_folder_with_chinese_characters_and_spaces(whisper: Recogniser, tmp_path: Path) -> None:
    folder = tmp_path / "语音 模型"
    folder.symlink_to(WHISPER, target_is_directory=True)
    recogniser = load_recogniser("faster-whisper", folder, device="cpu", threads=2)
    assert plain(recogniser.transcribe(framed(clip("en_toilet"))).text) == "where is the toilet"
    recogniser.close()


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"model\.bin: is missing.*models fetch"):
        load_recogniser("auto", tmp_path)
    with pytest.raises(ModelError, match=r"is missing|is not installed"):
        load_recogniser("auto", tmp_path / "base.pt")


def test_a_damaged_folder_is_refused(tmp_path: Path) -> None:
    for name in ("model.bin", "config.json", "tokenizer.json", "vocabulary.json"):
        (tmp_path / name).write_bytes(b"{}")
    with pytest.raises(CheckpointError, match="no Whisper"):
        load_recogniser("faster-whisper", tmp_path, device="cpu")
