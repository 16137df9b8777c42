"""Cases of the shared list for Whisper with its real weights, by the row's number."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kiosk.audio.files import read_sound
from kiosk.audio.resample import resample
from kiosk.events import NothingHeard, Utterance
from kiosk.paths import checkpoints_dir
from kiosk.pipeline.scope import TurnScope
from kiosk.pipeline.stages import RecognitionStage
from models.asr import load_recogniser
from models.asr.base import Recogniser
from models.errors import ModelInputError
from models.types import FloatArray, Language
from tests.hearing.hearing_sounds import RATE, clip, music, noise, silence

WHISPER = checkpoints_dir() / "whisper-base"
SENTENCES = {
    "zh_credit_card": "我想办理信用卡。",
    "zh_deposit_rate": "请问定期存款利率是多少？",
    "zh_mobile_bank": "手机银行怎么开通？",
    "zh_exchange": "我要换外币。",
    "zh_queue": "排队要等多长时间？",
    "zh_lost_id": "身份证丢了怎么办？",
    "zh_transfer_fee": "转账要手续费吗？",
    "zh_balance": "帮我查一下余额。",
    "zh_closing": "这里几点关门？",
    "zh_loan": "贷款需要什么材料？",
}
"""Clips and their words; two voices in turns."""

pytestmark = pytest.mark.weights


def framed(speech: FloatArray, tail: FloatArray | None = None) -> FloatArray:
    return np.concatenate([noise(0.4), speech, noise(0.3) if tail is None else tail])


def plain(text: str) -> str:
    return re.sub(r"[^\w ]", "", text).lower()


@pytest.mark.parametrize("seconds", [3, 30])
def test_AS_01_silence_is_no_question(whisper: Recogniser, seconds: int) -> None:
    """Nothing but `NothingHeard` leaves the stage, so nothing can reach the language model or the voice."""
    stage = RecognitionStage(lambda: whisper, TurnScope())
    stage.load()
    for samples in (silence(seconds), noise(seconds)):
        utterance = Utterance(turn_id=0, samples=samples, speech_end_ns=1, ended_by="silence")
        assert [type(event) for event in stage.process(utterance)] == [NothingHeard]


@pytest.fixture(scope="module")
def prompted() -> Iterator[Recogniser]:
    """With whole sentences for a prompt."""
    words: dict[Language, str] = {"zh": "以下是普通话的句子", "en": "The bank is called River Bank"}
    recogniser = load_recogniser("auto", WHISPER, device="cpu", threads=2, prompt_words=words)
    yield recogniser
    recogniser.close()


@pytest.mark.parametrize("language", [None, "zh", "en"])
def test_AS_03_the_prompt_does_not_come_back(prompted: Recogniser, language: Language | None) -> None:
    for samples in (silence(2), noise(2), noise(2, -45)):
        assert prompted.transcribe(samples, language).text == ""


@pytest.mark.parametrize("tail", [silence(3), noise(3)], ids=["silence", "room"])
@pytest.mark.parametrize("name", ["zh_card_fee", "zh_where_open", "en_toilet"])
def test_AS_04_a_silent_tail_adds_no_words(whisper: Recogniser, name: str, tail: FloatArray) -> None:
    alone = whisper.transcribe(framed(clip(name)))
    assert alone.text
    assert plain(whisper.transcribe(framed(clip(name), tail)).text) == plain(alone.text)


@pytest.mark.parametrize(("name", "words"), [("en_toilet", "where is the toilet"), ("zh_card_fee", "办卡要多少钱")])
def test_AS_05_music_after_speech_adds_no_loop(whisper: Recogniser, name: str, words: str) -> None:
    started = time.monotonic()
    whisper.transcribe(framed(clip(name)))
    clean_s = time.monotonic() - started
    started = time.monotonic()
    text = plain(whisper.transcribe(framed(clip(name), music(8))).text)
    print(f"{(time.monotonic() - started) / clean_s:.1f} times as long as clean speech")
    assert text.count(words) == 1
    assert len(text) < 2 * len(words)
    assert not re.search(r"(\w+)( ?\1){6}", text)


def test_AS_06_mandarin_comes_out_simplified(whisper: Recogniser) -> None:
    import opencc

    simplify = opencc.OpenCC("t2s").convert
    heard = [whisper.transcribe(framed(clip(name)), "zh").text for name in SENTENCES]
    assert plain(heard[0]) == "我想办理信用卡"
    assert heard == [simplify(text) for text in heard]
    right = sum(plain(text) == plain(sentence) for text, sentence in zip(heard, SENTENCES.values(), strict=True))
    print(f"{right} of {len(SENTENCES)} sentences without any wrong character")
    assert right >= 7


def test_AS_08_each_turn_in_its_own_language_and_nothing_translated(whisper: Recogniser) -> None:
    english = whisper.transcribe(framed(clip("en_open_account")))
    assert english.language == "en"
    assert "open an account" in english.text
    chinese = whisper.transcribe(framed(clip("zh_credit_card_again")))
    assert (plain(chinese.text), chinese.language) == ("我想办理信用卡", "zh")
    start, end = clip("zh_open_one"), clip("en_savings_account")
    mixed = whisper.transcribe(framed(np.concatenate([start[: -RATE // 10], end])))
    assert mixed.language == "zh"
    assert re.fullmatch(r"我要开一个 ?savings account", plain(mixed.text))


def test_AS_09_the_form_of_the_sound_does_not_matter(whisper: Recogniser, tmp_path: Path) -> None:
    speech = framed(np.concatenate([clip("zh_credit_card"), noise(0.4), clip("zh_deposit_rate")]))
    texts = []
    for rate, channels, subtype in (
        (16_000, 1, "FLOAT"),
        (44_100, 2, "PCM_16"),
        (48_000, 1, "PCM_32"),
        (8_000, 1, "PCM_16"),
    ):
        path = tmp_path / f"{rate}.wav"
        sound = np.repeat(resample(speech, RATE, rate)[:, np.newaxis], channels, axis=1)
        soundfile.write(path, sound, rate, subtype)
        texts.append(plain(whisper.transcribe(read_sound(path)).text))
    print(texts)
    assert texts[0] == plain(SENTENCES["zh_credit_card"] + SENTENCES["zh_deposit_rate"])
    assert texts[:3] == texts[:1] * 3
    assert sum(a != b for a, b in zip(texts[3], texts[0], strict=True)) <= 1


@pytest.mark.parametrize(
    "samples", [np.zeros((RATE, 2), np.float32), np.full(RATE, 9_000, np.int16), np.full(RATE, 9_000, np.float32)]
)
def test_AS_09_an_array_in_a_wrong_form_is_refused(whisper: Recogniser, samples: FloatArray) -> None:
    with pytest.raises(ModelInputError):
        whisper.transcribe(samples)


def test_AS_11_the_last_words_of_45_seconds_are_heard(whisper: Recogniser) -> None:
    talk = np.concatenate([np.concatenate([clip(name), noise(0.5)]) for name in SENTENCES])
    request = np.concatenate([clip("zh_where_open"), noise(0.3)])
    length = 45 * RATE - len(request)
    samples = np.concatenate([np.tile(talk, 1 + length // len(talk))[-length:], request])
    text = plain(whisper.transcribe(samples).text)
    assert re.search("请问在哪儿?开户$", text)
    assert text.count("我要换外币") == 2  # and what came before is not lost for it
