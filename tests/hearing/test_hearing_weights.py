"""Hearing with the real networks: what speaks is heard, what does not speak is not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from kiosk.config import HearingConfig
from kiosk.hearing.results import HearingResult, SpeechEnded
from kiosk.hearing.segmenter import Segmenter
from kiosk.paths import checkpoints_dir
from models.endpointing.smart_turn import SmartTurn
from models.types import FloatArray
from models.vad.silero import SileroVad
from tests.hearing.hearing_sounds import RATE, clicks, clip, hum, music, noise, pink, silence

pytestmark = pytest.mark.weights

VAD = checkpoints_dir() / "silero-vad" / "silero_vad.onnx"
TURN = checkpoints_dir() / "smart-turn-v3.2" / "smart-turn-v3.2-cpu.onnx"


@pytest.fixture(scope="module")
def smart_turn() -> Iterator[SmartTurn]:
    if not TURN.is_file():
        pytest.skip(f"no weights at {TURN}")
    detector = SmartTurn.load(TURN)
    yield detector
    detector.close()


@pytest.fixture
def segmenter(smart_turn: SmartTurn) -> Segmenter:
    if not VAD.is_file():
        pytest.skip(f"no weights at {VAD}")
    return Segmenter(SileroVad.load(VAD), smart_turn, HearingConfig())


def push(segmenter: Segmenter, sound: FloatArray) -> list[HearingResult]:
    results: list[HearingResult] = []
    for start in range(0, len(sound), 160):
        results += segmenter.push(sound[start : start + 160], (start + 160) * 1_000_000_000 // RATE)
    return results


def ended(results: list[HearingResult]) -> list[SpeechEnded]:
    return [result for result in results if isinstance(result, SpeechEnded)]


@pytest.mark.parametrize("name", ["zh_card_fee", "zh_where_open", "zh_thanks", "en_toilet", "en_no"])
def test_a_spoken_clip_is_one_turn_cut_at_its_edges(segmenter: Segmenter, name: str) -> None:
    speech = clip(name)
    results = ended(push(segmenter, np.concatenate([noise(1), speech, noise(2)])))
    assert len(results) == 1
    end_s = 1 + len(speech) / RATE
    assert abs(results[0].speech_end_ns / 1e9 - end_s) < 0.15
    assert results[0].speech_start_ns / 1e9 < 1.2
    assert len(speech) < len(results[0].samples) < len(speech) + 0.8 * RATE


def test_a_word_right_after_a_sentence_is_heard(segmenter: Segmenter) -> None:
    sound = np.concatenate([noise(1), clip("zh_where_open"), noise(0.3), clip("zh_thanks"), noise(2)])
    results = ended(push(segmenter, sound))
    assert sum(len(result.samples) for result in results) > len(clip("zh_where_open")) + len(clip("zh_thanks"))
    assert results[-1].speech_end_ns / 1e9 == pytest.approx((len(sound) / RATE) - 2, abs=0.15)


@pytest.mark.parametrize(
    "sound",
    [
        silence(5),
        noise(5, -20),
        noise(5, -60),
        pink(5, -20),
        clicks(8),
        hum(5),
        music(8),
    ],
    ids=["silence", "white", "room", "pink", "clicks", "hum", "music"],
)
def test_nobody_speaks(segmenter: Segmenter, sound: FloatArray) -> None:
    assert push(segmenter, np.concatenate([noise(1), sound, noise(2)])) == []


def test_after_long_noise_a_beginning_is_heard_as_at_first(segmenter: Segmenter) -> None:
    speech = np.concatenate([clip("en_toilet"), noise(2, -50)])
    onsets = []
    for round_number in range(7):
        results = ended(push(segmenter, np.concatenate([noise(2, -50, seed=round_number), speech])))
        onsets.append(results[0].speech_start_ns)
        push(segmenter, noise(35, -50, seed=100 + round_number))
    assert max(onsets) - min(onsets) <= 64_000_000


def test_lobby_babble_is_cut_at_the_cap(segmenter: Segmenter) -> None:
    names = ("zh_card_fee", "en_toilet", "zh_where_open", "en_unfinished")
    voices = [np.tile(clip(name), 60)[: 50 * RATE] for name in names]
    babble = np.sum(voices, axis=0)
    babble *= 10 ** (-30 / 20) / babble.std()
    results = push(segmenter, np.concatenate([noise(1), babble.astype(np.float32), noise(2)]))
    assert len(ended(results)) >= 2
    assert all(len(result.samples) <= 20 * RATE for result in ended(results))


def test_the_voice_tells_a_finished_question_from_an_unfinished_one(smart_turn: SmartTurn) -> None:
    pause = noise(0.25)
    finished = [smart_turn.probability(np.concatenate([clip(n), pause])) for n in ("en_toilet", "zh_card_fee")]
    unfinished = smart_turn.probability(np.concatenate([clip("en_unfinished"), pause]))
    assert min(finished) > 0.5 > unfinished
