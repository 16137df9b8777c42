"""Whisper with its real weights on the committed clips; more in `test_asr_rows`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kiosk.paths import checkpoints_dir
from models.asr import load_recogniser
from models.asr.base import Recogniser
from models.errors import CheckpointError, ModelError
from models.types import FloatArray
from tests.hearing.hearing_sounds import clicks, clip, hum, music, noise, pink, silence

WHISPER = checkpoints_dir() / "whisper-base"
TERMS = "开户、办卡、身份证件、跨行转账手续费、定期存款利率、厕所、外币、贷款、信用卡"


@pytest.fixture(scope="module")
def whisper() -> Iterator[Recogniser]:
    if not (WHISPER / "model.bin").is_file():
        pytest.skip(f"no weights at {WHISPER}")
    recogniser = load_recogniser("auto", WHISPER, device="cpu", threads=2, prompt_words={"zh": TERMS})
    recogniser.warm_up()
    yield recogniser
    recogniser.close()


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


@pytest.mark.weights
@pytest.mark.parametrize("seconds", [1.0, 3.0])
@pytest.mark.parametrize("language", [None, "zh", "en"])
@pytest.mark.parametrize(
    "make",
    [silence, noise, lambda s: noise(s, -20), lambda s: pink(s, -20), clicks, hum, music],
    ids=["silence", "room", "white", "pink", "clicks", "hum", "music"],
)
def test_no_answer_to_what_is_no_speech(whisper: Recogniser, make, language, seconds: float) -> None:
    assert whisper.transcribe(make(seconds), language).text == ""


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
