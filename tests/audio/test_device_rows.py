"""Cases of the shared list for microphone and loudspeaker, by the row's number."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

from kiosk.audio.capture import MicStatus
from kiosk.audio.resample import resample
from kiosk.audio.sound import Sound
from kiosk.config import SoundConfig
from kiosk.events import ReplyClause, SpeechClip
from kiosk.face.animator import FaceAnimator
from kiosk.paths import checkpoints_dir
from kiosk.pipeline import performer as performer_module
from kiosk.pipeline.performer import Performer
from models.asr import load_recogniser
from models.asr.base import Recogniser
from models.tts.parts import COLUMNS_PER_S, CONTEXT_COLUMNS, plan_parts
from models.types import FloatArray, PhonemeTime
from tests.audio.fake_host import FakeHost, FakeTime, device
from tests.audio.listening import TRIES, heard, measure_tone, wait_until
from tests.audio.test_capture import Listener
from tests.audio.test_playback import Player
from tests.audio.virtual_card import RATE, VirtualCard
from tests.face.test_face_animator import opening
from tests.hearing.hearing_sounds import clip, noise


@pytest.mark.audio
def test_AD_01_an_unplugged_microphone_is_noticed_and_taken_back(card: VirtualCard, sound: Sound) -> None:
    assert sound.capture.status is MicStatus.OK
    card.unplug_microphone()
    noticed_s = wait_until(lambda: sound.capture.status is not MicStatus.OK, 3.5)
    time.sleep(3)
    assert sound.capture.status in (MicStatus.ABSENT, MicStatus.SILENT_DEVICE)
    assert "microphone" in sound.capture.message  # what the screen shows
    hears_nothing_of_itself(sound)
    card.plug_microphone()
    back_s = wait_until(lambda: sound.capture.status is MicStatus.OK, 5)
    print(f"noticed after {noticed_s:.1f} s, back after {back_s:.1f} s")
    assert noticed_s <= 3
    sound.capture.clear()
    block = sound.capture.read(2)
    assert block is not None


def hears_nothing_of_itself(sound: Sound) -> None:
    """PulseAudio now records the loudspeaker in the microphone's place."""
    speech = np.random.default_rng(4).uniform(-0.3, 0.3, 3 * 16_000).astype(np.float32)
    sound.capture.clear()
    span = sound.playback.enqueue(speech, 16_000)
    loud = total = 0
    while sound.playback.played() < span.stop:
        if (block := sound.capture.read(0.1)) is not None:
            loud += float(np.abs(block.samples).max()) > 0.03
            total += 1
    assert loud <= total / 10
    assert sound.capture.status is not MicStatus.OK


@pytest.mark.audio
def test_AD_04_exact_zeros_are_a_fault_and_a_quiet_room_is_none(card: VirtualCard, sound: Sound) -> None:
    time.sleep(3)
    assert sound.capture.status is MicStatus.OK
    card.stop_room_noise()
    noticed_s = wait_until(lambda: sound.capture.status is MicStatus.SILENT_DEVICE, 3.5)
    assert "unmute" in sound.capture.message
    card.start_room_noise()
    back_s = wait_until(lambda: sound.capture.status is MicStatus.OK, 5)
    print(f"noticed after {noticed_s:.1f} s, back after {back_s:.1f} s")
    assert noticed_s <= 3


@pytest.fixture(scope="module")
def whisper() -> Iterator[Recogniser]:
    folder = checkpoints_dir() / "whisper-base"
    if not (folder / "model.bin").is_file():
        pytest.skip(f"no weights at {folder}")
    recogniser = load_recogniser("auto", folder, device="cpu", threads=2)
    yield recogniser
    recogniser.close()


@pytest.mark.weights
@pytest.mark.parametrize("only_rate", [44_100, 48_000])
def test_AD_05_a_microphone_with_one_rate_is_understood(
    whisper: Recogniser, fake_host: FakeHost, only_rate: int
) -> None:
    microphone = device(0, "Stereo microphone", inputs=2, rate=only_rate)
    fake_host.plugged = [microphone]
    fake_host.refused_rates = {8_000, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000} - {only_rate}
    fake_host.refresh()
    listener = Listener(fake_host)
    listener.capture.open(SoundConfig())
    assert (fake_host.stream("input").sample_rate, fake_host.stream("input").channels) == (only_rate, 2)
    speech = np.concatenate([noise(0.4), clip("zh_where_open"), noise(0.3)])
    listener.hear(np.repeat(resample(speech, 16_000, only_rate)[:, np.newaxis], 2, axis=1))
    blocks = []
    while (block := listener.capture.read(0.05)) is not None:
        blocks.append(block.samples)
    listener.capture.close()
    texts = [whisper.transcribe(samples).text.rstrip("。？") for samples in (np.concatenate(blocks), speech)]
    assert texts == ["请问在哪儿开户"] * 2


@pytest.mark.audio
def test_AD_07_a_short_word_after_long_silence_is_whole(card: VirtualCard, sound: Sound) -> None:
    """With less silence than in the case: the stream never stops, so its length does not matter."""
    word = np.full(4_000, 0.25, np.float32)
    lengths = []
    for _ in range(TRIES):
        time.sleep(1)
        with card.record() as recorder:
            time.sleep(0.2)
            sound.playback.enqueue(word, 16_000)
            recording = heard(recorder, time.monotonic_ns(), 0.8)
        lengths.append(np.count_nonzero(np.abs(recording) > 0.1))
        if lengths[-1] == pytest.approx(0.25 * RATE, abs=60):
            return
    pytest.fail(f"{lengths} samples were heard")


@pytest.mark.audio
def test_AD_09_a_tone_at_an_odd_rate_keeps_its_pitch_without_clicks(card: VirtualCard, sound: Sound) -> None:
    tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(2 * 22_050) / 22_050).astype(np.float32)
    for _ in range(TRIES):
        with card.record() as recorder:
            time.sleep(0.2)
            sound.playback.enqueue(tone, 22_050)
            recording = heard(recorder, time.monotonic_ns(), 2.4)
        frequency, click_db = measure_tone(recording, 440)
        print(f"{frequency:.3f} Hz, largest click {click_db:.0f} dB")
        assert frequency == pytest.approx(440, abs=1)
        if click_db < -60:
            return
    pytest.fail("clicks in every recording")


def test_AD_10_slow_synthesis_pauses_between_clauses_only(
    fake_host: FakeHost, fake_time: FakeTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Computing takes 1.25 s for each second of speech; the parts of a clause come as the synthesiser plans them."""
    monkeypatch.setattr(
        performer_module, "time", SimpleNamespace(monotonic=lambda: fake_time() / 1e9, monotonic_ns=fake_time)
    )
    player = Player(fake_host)
    player.playback.open(SoundConfig(volume=1.0))
    performer = Performer(player.playback, FaceAnimator(0))
    clauses_s = (2.0, 3.0, 1.5, 4.0)
    coming = list(slow_parts(fake_time(), clauses_s, 1 / 0.8))
    heard_blocks: list[FloatArray] = []
    mouths: list[float] = []
    while coming or not player.playback.is_idle:
        while coming and coming[0][0] <= fake_time():
            performer.play(coming.pop(0)[1])
        heard_blocks += [player.play(1) for _ in range(4)]
        mouths.append(opening(performer.pose()))
    player.playback.close()

    sounding = np.abs(np.concatenate(heard_blocks)).reshape(-1, 480).max(axis=1) > 0.05  # each 10 ms
    edges = np.flatnonzero(np.diff(sounding.astype(int)))
    starts, stops = edges[::2], np.append(edges[1::2], sounding.size)[: len(edges[::2])]
    print("clauses:", (stops - starts) / 100, "s, pauses:", (starts[1:] - stops[:-1]) / 100, "s")
    np.testing.assert_allclose((stops - starts) / 100, clauses_s, atol=0.011)
    assert (starts[1:] - stops[:-1]).min() >= 10  # the synthesis is really too slow
    still = [
        mouth
        for mouth, at in zip(mouths, range(4, sounding.size + 1, 4), strict=True)
        if not sounding[max(0, at - 35) : at].any()  # for 0.3 s, what the device holds included
    ]
    assert len(still) > 10
    assert max(still) < 0.01
    assert max(mouths) > 0.08  # an "a" alone; more came from the leap at a seam


def slow_parts(
    start_ns: int, clauses_s: tuple[float, ...], computing_s_per_s: float
) -> Iterator[tuple[int, SpeechClip]]:
    """Clips with the time at which each is computed, one clause after the other."""
    rng = np.random.default_rng(0)
    at_s = 0.0
    for index, seconds in enumerate(clauses_s):
        clause = ReplyClause(turn_id=0, index=index, written="", spoken="", language="en")
        at_s += 0.1  # the rhythm and melody of the whole clause
        for first, last in plan_parts(0, round(seconds * COLUMNS_PER_S), computing_s_per_s):
            at_s += computing_s_per_s * (last - first + 2 * CONTEXT_COLUMNS) / COLUMNS_PER_S
            part_s = (last - first) / COLUMNS_PER_S
            samples = rng.choice([-0.3, 0.3], round(part_s * 24_000)).astype(np.float32)
            phonemes = (PhonemeTime(symbol="a", start_s=0.0, end_s=part_s),)
            yield (
                start_ns + round(at_s * 1e9),
                SpeechClip(turn_id=0, clause=clause, samples=samples, sample_rate=24_000, phonemes=phonemes),
            )
