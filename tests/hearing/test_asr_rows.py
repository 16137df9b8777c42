"""Rows of the case list about hearing, by their ids, with the real networks."""

from __future__ import annotations

import re

import numpy as np
import pytest

from kiosk.config import HearingConfig
from kiosk.hearing.results import HearingResult, SpeechBegan, SpeechEnded
from kiosk.hearing.segmenter import Segmenter
from models.asr.base import Recogniser
from models.endpointing.smart_turn import SmartTurn
from models.types import FloatArray
from models.vad.silero import SileroVad
from tests.hearing.hearing_sounds import RATE, clip, noise
from tests.hearing.long_stream import stream

pytestmark = pytest.mark.weights


def push(segmenter: Segmenter, sound: FloatArray, block: int = 160) -> list[HearingResult]:
    results: list[HearingResult] = []
    for start in range(0, len(sound), block):
        end = min(start + block, len(sound))
        results += segmenter.push(sound[start:end], end * 1_000_000_000 // RATE)
    return results


def turns(results: list[HearingResult]) -> list[SpeechEnded]:
    return [result for result in results if isinstance(result, SpeechEnded)]


def plain(text: str) -> str:
    return re.sub(r"[^\w ]", "", text).lower()


@pytest.mark.parametrize(("name", "words"), [("zh_yes", "是"), ("en_no", "no")])
def test_AS_12_a_short_answer_is_transcribed(
    real_segmenter: Segmenter, whisper: Recogniser, name: str, words: str
) -> None:
    assert len(clip(name)) < 0.5 * RATE
    (turn,) = turns(push(real_segmenter, np.concatenate([noise(1), clip(name), noise(2)])))
    heard = plain(whisper.transcribe(turn.samples).text)
    assert set(heard.split()) == {words}  # on some processors' rounding it is read twice


@pytest.mark.parametrize("minutes", [30, pytest.param(120, marks=pytest.mark.soak)])
def test_AS_13_the_last_minutes_are_heard_as_the_first(detectors: tuple[SileroVad, SmartTurn], minutes: int) -> None:
    detectors[0].reset()
    found = stream(detectors[0], minutes)
    first, last = found[:10], found[-10:]
    turns_first = sum(minute.num_turns for minute in first)
    assert turns_first >= 60
    assert sum(minute.num_turns for minute in last) == pytest.approx(turns_first, rel=0.02)
    assert sum(minute.heard_s for minute in last) == pytest.approx(sum(minute.heard_s for minute in first), rel=0.02)
    onset_first, onset_last = (np.mean([minute.first_onset_s for minute in part]) for part in (first, last))
    assert abs(onset_first) < 0.1
    assert onset_last == pytest.approx(onset_first, abs=0.032)


@pytest.fixture(scope="module")
def three_turns() -> FloatArray:
    sound = np.concatenate([noise(1), clip("zh_where_open"), noise(2), clip("en_toilet"), noise(1.5), clip("zh_yes")])
    sound = np.concatenate([sound, noise(2)])
    return sound[: len(sound) // 512 * 512]


@pytest.fixture(scope="module")
def exact_turns(detectors: tuple[SileroVad, SmartTurn], three_turns: FloatArray) -> list[SpeechEnded]:
    """What is found where each block is a window of the network."""
    detectors[0].reset()
    found = turns(push(Segmenter(*detectors, HearingConfig()), three_turns, 512))
    assert len(found) == 3
    return found


@pytest.mark.parametrize("block", [480, 320, 1000, 4410])
def test_AS_14_blocks_of_any_size_give_the_same_decisions(
    real_segmenter: Segmenter, three_turns: FloatArray, exact_turns: list[SpeechEnded], block: int
) -> None:
    for exact, other in zip(exact_turns, turns(push(real_segmenter, three_turns, block)), strict=True):
        assert other.ended_by == exact.ended_by
        assert abs(other.speech_end_ns - exact.speech_end_ns) < 1_000_000
        np.testing.assert_array_equal(other.samples, exact.samples)


def test_AS_16_the_first_word_and_a_word_right_after_are_there(
    real_segmenter: Segmenter, whisper: Recogniser
) -> None:
    speech = clip("zh_where_open")
    loud = np.abs(speech) > 0.1 * np.abs(speech).max()
    sharp = speech[int(np.argmax(loud)) :]  # from nothing to full voice in one sample
    sound = np.concatenate([noise(1), sharp, noise(0.3), clip("zh_thanks"), noise(2)])
    text = "".join(plain(whisper.transcribe(turn.samples).text) for turn in turns(push(real_segmenter, sound)))
    assert text.startswith("请问")
    assert text.endswith("谢谢")


def test_AS_17_babble_holds_no_turn_open_and_a_request_in_it_is_heard(
    real_segmenter: Segmenter, whisper: Recogniser
) -> None:
    names = ("zh_card_fee", "en_toilet", "zh_where_open", "en_unfinished")
    count = 300 * RATE
    voices = []
    for number, name in enumerate(names):
        gapped = np.concatenate([clip(name), noise(0.05 + 0.03 * number)])
        voices.append(np.tile(gapped, count // len(gapped) + 1)[:count])
    babble = np.sum(voices, axis=0)
    babble *= 10 ** (-30 / 20) / babble.std()
    request = clip("zh_card_fee")
    request *= 10 ** (-14 / 20) / request.std()
    at = count // 2
    babble[at : at + len(request)] += request
    results = push(real_segmenter, np.concatenate([noise(1), babble.astype(np.float32), noise(3)]))
    opened = None
    for result in results:
        if isinstance(result, SpeechBegan):
            opened = result.speech_start_ns
        elif isinstance(result, SpeechEnded):
            assert opened is not None
            assert result.speech_end_ns - opened <= 20e9
    said_s = 1 + at / RATE
    middle_s = said_s + len(request) / RATE / 2
    assert any(turn.speech_start_ns / 1e9 < middle_s < turn.speech_end_ns / 1e9 for turn in turns(results))
    assert not real_segmenter.is_open
    (after,) = turns(push(real_segmenter, np.concatenate([clip("en_toilet"), noise(2)])))
    assert "toilet" in plain(whisper.transcribe(after.samples).text)
