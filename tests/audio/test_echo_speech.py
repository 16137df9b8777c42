"""Half a minute of the kiosk's real voice in its own microphone, heard by the real networks. Reads weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from kiosk.audio.conversion import AudioBlock
from kiosk.audio.echo import EchoProcessor
from kiosk.audio.files import read_sound
from kiosk.paths import checkpoints_dir
from models.types import FloatArray
from tests.audio.echo_path import EchoPath
from tests.audio.echo_room import RATE, Heard, Room, TalkOver, listen, talk_over
from tests.audio.measure_echo import Moving, real_ears
from tests.hearing.hearing_sounds import CLIPS

pytestmark = [
    pytest.mark.weights,
    pytest.mark.slow,
    pytest.mark.skipif(
        not (checkpoints_dir() / "silero-vad").is_dir(), reason="no weights: run `python main.py models fetch`"
    ),
]
VISITORS = ("zh_talk_over_yunjian", "zh_talk_over_xiaoni", "en_talk_over_bella", "en_talk_over_george")


@dataclass(frozen=True)
class Speech:
    """At 48 kHz, the visitors as loud as the kiosk."""

    kiosk: FloatArray
    """Sentences of an answer, 15 s."""
    visitors: list[FloatArray]


@pytest.fixture(scope="module")
def speech() -> Speech:
    kiosk, *visitors = (read_sound(CLIPS / f"{name}.flac", RATE) for name in ("kiosk_answers", *VISITORS))
    return Speech(kiosk=kiosk, visitors=visitors)


def test_neither_drift_nor_another_delay_makes_the_kiosk_hear_itself(speech: Speech) -> None:
    """0.1 % drift, and the sound's way changes twice: the canceller alone lets words through, the gate none."""
    far = np.concatenate((speech.kiosk, speech.kiosk))
    way = Moving(10, delay_ms=[120.0, 250.0, 40.0], drift_ppm=[1000.0] * 3)
    heard = listen(Room(far, way, drift_ppm=1000), real_ears, bare=True)
    assert heard.of_nobody(bare=True) > 0
    assert heard.of_nobody() == 0
    assert 0.5 < heard.own_share  # of the time it speaks; its pauses may be either


def test_the_gate_alone_keeps_the_kiosk_from_hearing_itself(speech: Speech) -> None:
    """The bare microphone, no canceller, a loudspeaker as loud as the signal."""
    path = EchoPath(120, 0, drift_ppm=-1000)
    heard = listen(Room(speech.kiosk, path, drift_ppm=-1000), real_ears, cancels=False, bare=True)
    assert heard.of_nobody(bare=True) > 0
    assert heard.of_nobody() == 0


@pytest.mark.parametrize("gain_db", [-10.0, 0.0])
def test_visitors_who_talk_over_the_kiosk_are_heard(speech: Speech, gain_db: float) -> None:
    """At equal loudness at the microphone, within 0.4 s of their first voiced sample."""
    far = np.concatenate((speech.kiosk, speech.kiosk))
    sound, visitors = talk_over(far.size, speech.visitors, 4, gain_db, seed=1)
    heard = listen(Room(far, EchoPath(120, gain_db, drift_ppm=1000), sound, drift_ppm=1000), real_ears)
    delays_ms = [visitor.delay_ms(heard.begins) for visitor in visitors]
    print([None if delay is None else round(delay) for delay in delays_ms])
    assert sum(delay is not None and delay <= 400 for delay in delays_ms) >= 3
    assert heard.of_nobody(visitors) == 0


def test_a_visitor_after_the_answer_is_heard_at_once(speech: Speech) -> None:
    """The echo is still dying away when a quick visitor speaks 0.2 s after the last word."""
    sound = np.zeros(speech.kiosk.size + 3 * RATE, np.float32)
    far = np.concatenate((speech.kiosk[: -1 * RATE], np.zeros(4 * RATE, np.float32)))
    last = int(np.flatnonzero(np.abs(far) > 0.01)[-1])
    visitor = speech.visitors[0]
    start = last + RATE * 32 // 100  # 0.12 s of it are the way of the echo
    sound[start : start + visitor.size] += visitor * 10 ** (-10 / 20)
    heard: Heard = listen(Room(far, EchoPath(), sound), real_ears)
    delay_ms = TalkOver(start, start + visitor.size).delay_ms(heard.begins)
    assert delay_ms is not None
    assert delay_ms <= 400


@pytest.mark.parametrize("number", [0, 2])
def test_the_beginning_of_a_quick_question_is_not_held_down(speech: Speech, number: int) -> None:
    """0.06 s after the echo's last word, and others had talked over the kiosk: the canceller alone goes on to hold
    down what it hears for 0.1 s, by 5 to 10 dB."""
    visitor = speech.visitors[number] * np.float32(10 ** (-6 / 20))
    first_voiced = int(np.flatnonzero(np.abs(visitor) > 0.02)[0])
    last = int(np.flatnonzero(np.abs(speech.kiosk) > 0.01)[-1])
    answer = np.concatenate((speech.kiosk, speech.kiosk[:last]))
    voiced = answer.size + RATE * 18 // 100  # 0.12 s of it are the way of the echo
    start = voiced - first_voiced
    sound = np.zeros(start + visitor.size + RATE, np.float32)
    sound[: answer.size - RATE] = talk_over(answer.size, speech.visitors, 3, -10.0, seed=number)[0][
        : answer.size - RATE
    ]
    sound[start : start + visitor.size] += visitor
    far = np.zeros(sound.size, np.float32)
    far[: answer.size] = answer
    begin = voiced * 16_000 // RATE

    def level(loudspeaker: FloatArray) -> float:
        room = Room(loudspeaker, EchoPath(120, -10.0, drift_ppm=1000), sound, drift_ppm=1000)
        return float(np.sqrt(np.mean(through(room)[begin + 800 : begin + 1200] ** 2)))  # 50 to 75 ms

    assert level(far) > 0.8 * level(np.zeros_like(far))


@pytest.mark.parametrize("number", range(len(VISITORS)))
def test_a_recogniser_gets_the_beginning_of_what_is_said_over_an_answer(speech: Speech, number: int) -> None:
    """As loud as the echo: the canceller for the ear leaves as little as a third of the first 0.12 s."""
    visitor = speech.visitors[number] * np.float32(10 ** (-10 / 20))
    first_voiced = int(np.flatnonzero(np.abs(visitor) > 0.02)[0])
    at = 9 * RATE
    sound = np.zeros(speech.kiosk.size, np.float32)
    whole = min(visitor.size, sound.size - at)
    sound[at : at + whole] = visitor[:whole]
    begin = (at + first_voiced) * 16_000 // RATE
    wanted, with_echo, for_the_ear = (
        through(Room(far, EchoPath(120, -10.0, drift_ppm=1000), sound, drift_ppm=1000), to_recognise=to_recognise)
        for far, to_recognise in ((np.zeros_like(speech.kiosk), True), (speech.kiosk, True), (speech.kiosk, False))
    )

    def kept(heard: FloatArray) -> float:
        """Share of the visitor in what is heard."""
        part = slice(begin, begin + 1_920)
        return float(heard[part] @ wanted[part] / (wanted[part] @ wanted[part]))

    print(f"{kept(with_echo):.2f} for the recogniser, {kept(for_the_ear):.2f} for the ear")
    assert kept(with_echo) > 0.8


def through(room: Room, *, to_recognise: bool = False) -> FloatArray:
    """What the canceller makes of the microphone for the ear, or for the recogniser, at 16 kHz."""
    echo, cleaned = EchoProcessor(), []
    for block in room.devices():
        if isinstance(block, AudioBlock):
            samples = echo.process(block.samples, block.captured_ns)
            cleaned.append(echo.to_recognise if to_recognise else samples)
        else:
            echo.add_reference(block)
    return np.concatenate(cleaned)
