"""The gate alone, without any canceller: it has to tell the kiosk from a visitor in the bare microphone."""

from __future__ import annotations

import numpy as np
import pytest

from kiosk.audio.own_voice import OwnVoice
from kiosk.audio.resample import BLOCK_SAMPLES, MODEL_RATE
from models.types import FloatArray
from tests.audio.echo_path import EchoPath
from tests.hearing.hearing_sounds import clip, noise, pink

LEVEL_DB = -20.0


def loud(samples: FloatArray, db: float = LEVEL_DB) -> FloatArray:
    """At this RMS level."""
    return (samples * 10 ** (db / 20) / np.sqrt(np.mean(samples**2))).astype(np.float32)


def kiosk(rounds: int = 2) -> FloatArray:
    """Five seconds of speech per round."""
    return np.concatenate(rounds * [loud(clip(name)) for name in ("en_unfinished", "zh_where_open", "zh_card_fee")])


def judge(gate: OwnVoice, far: FloatArray, near: FloatArray) -> FloatArray:
    """1 where the gate says own voice, for each 10 ms."""
    count = far.size // BLOCK_SAMPLES
    blocks = (sound[: count * BLOCK_SAMPLES].reshape(-1, BLOCK_SAMPLES) for sound in (far, near))
    return np.array([gate.push(f, n) for f, n in zip(*blocks, strict=True)], np.float32)


def path(delay_ms: float = 120, gain_db: float = -10, seed: int = 0, clip: float | None = None) -> EchoPath:
    return EchoPath(delay_ms, gain_db, seed=seed, clip=clip, sample_rate=MODEL_RATE)


@pytest.mark.parametrize(
    ("delay_ms", "gain_db", "clip_at"),
    [(20, -20, None), (120, -10, None), (300, -10, None), (120, 0, None), (120, 6, None), (120, -5, 0.5)],
)
def test_an_echo_is_the_kiosks_own_voice_from_the_first_word(
    delay_ms: int, gain_db: int, clip_at: float | None
) -> None:
    far = kiosk() * (2 if clip_at else 1)
    near = path(delay_ms, gain_db, clip=clip_at).push(far) + noise(far.size / MODEL_RATE)
    own = judge(OwnVoice(), far, near[: far.size])
    assert own[:100].mean() > 0.9  # nothing is known yet
    assert own[100:].all()


@pytest.mark.parametrize("gain_db", [-20, -10, 0])
@pytest.mark.parametrize("name", ["en_toilet", "zh_thanks"])
def test_a_visitor_who_talks_over_the_kiosk_is_told(gain_db: int, name: str) -> None:
    far = kiosk()
    near = path(gain_db=gain_db).push(far) + noise(far.size / MODEL_RATE, -70)
    visitor = loud(clip(name), LEVEL_DB + gain_db)
    start = far.size // 2 + MODEL_RATE
    near[start : start + visitor.size] += visitor
    own = judge(OwnVoice(), far, near[: far.size])
    first = start // BLOCK_SAMPLES
    heard = np.flatnonzero(own[first:] == 0)
    assert own[100:first].all()
    assert heard.size
    assert heard[0] <= 25
    assert own[first + heard[0] : first + heard[0] + 30].sum() == 0  # no flicker in the middle of a word


@pytest.mark.parametrize("gain_db", [-10, 0])
def test_most_visitors_are_told_at_half_the_loudness(gain_db: float) -> None:
    """6 dB below the echo, at twelve places of the kiosk's speech."""
    far = kiosk(3)
    echo = path(gain_db=gain_db).push(far) + noise(far.size / MODEL_RATE, -70)
    visitor = loud(clip("en_toilet"), LEVEL_DB + gain_db - 6)
    told = 0
    for number in range(12):
        near = echo.copy()
        start = far.size // 3 + number * MODEL_RATE // 2
        near[start : start + visitor.size] += visitor
        first = start // BLOCK_SAMPLES
        count = (first + 60) * BLOCK_SAMPLES
        told += not judge(OwnVoice(), far[:count], near[:count])[first:].all()
    assert told >= 10


def test_nothing_that_is_played_is_never_the_kiosks_own_voice() -> None:
    near = np.concatenate((loud(clip("en_toilet")), pink(2, -40), loud(clip("zh_yes"))))
    gate = OwnVoice()
    assert not judge(gate, np.zeros_like(near), near).any()
    far = kiosk(1)
    judge(gate, far, path().push(far))
    own = judge(gate, np.zeros_like(near), near)
    assert not own[100:].any()
    assert not own[30:].any()  # a visitor who answers at once is heard although the echo dies away still


@pytest.mark.parametrize("delays", [(120, 250), (250, 40), (20, 300)])
def test_another_delay_is_no_visitor(delays: tuple[int, int]) -> None:
    gate = OwnVoice()
    far = kiosk(1)
    ways = [path(delay, seed=3) for delay in delays]
    own = [judge(gate, far, way.push(far)) for way in ways]
    assert own[0][100:].all()
    assert own[1].mean() > 0.97
    assert abs(gate.model.lag_ms - delays[1]) <= 20


def test_a_visitor_for_whom_the_kiosk_falls_silent_is_not_learned_as_a_late_echo() -> None:
    """The sound is held soon after the visitor began; the next answer's first words are the kiosk's own again."""
    gate, room = OwnVoice(), path()
    answer = kiosk(1)
    judge(gate, answer, room.push(answer)[: answer.size])
    visitor = np.concatenate((loud(clip("en_toilet"), LEVEL_DB), loud(clip("zh_thanks"), LEVEL_DB)))
    lags, first_words = [], []
    for _ in range(4):
        far = np.concatenate((answer[:MODEL_RATE], np.zeros(2 * MODEL_RATE, np.float32)))
        near = room.push(far)[: far.size] + noise(far.size / MODEL_RATE, -70)
        start = MODEL_RATE * 17 // 20
        near[start : start + visitor.size] += visitor[: near.size - start]
        own = judge(gate, far, near)
        lags.append(gate.model.lag_ms)
        first_words.append(own[20:80].mean())
    assert max(lags) <= 150, lags
    assert min(first_words) == 1, first_words


def test_a_microphone_without_any_echo_hears_every_visitor() -> None:
    """Headphones, or a loudspeaker that is switched off."""
    far = kiosk()
    near = noise(far.size / MODEL_RATE)
    visitor = loud(clip("en_toilet"), -30)
    start = far.size // 2
    near[start : start + visitor.size] += visitor
    own = judge(OwnVoice(), far, near)
    assert not own[start // BLOCK_SAMPLES + 20 : (start + visitor.size) // BLOCK_SAMPLES].any()


def test_a_loudspeaker_that_cannot_be_matched_makes_the_gate_shut() -> None:
    """The reference is 200 ms late: no echo can be predicted, so whatever is heard is not believed."""
    far = kiosk()
    near = path(0).push(far)
    late = np.concatenate((np.zeros(MODEL_RATE // 5, np.float32), far))[: far.size]
    own = judge(OwnVoice(), late, near)
    assert own[40:].mean() > 0.9
