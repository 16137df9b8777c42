"""The real PortAudio on a virtual sound card: what is heard, when, and what happens when a plug is pulled."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from kiosk.audio.capture import MicStatus
from kiosk.audio.playback import SpeakerStatus
from kiosk.audio.sound import Sound
from kiosk.config import SoundConfig
from models.types import FloatArray
from tests.audio.listening import TRIES, heard, wait_until
from tests.audio.virtual_card import RATE, Recorder, VirtualCard

pytestmark = pytest.mark.audio


def test_played_says_what_is_heard(card: VirtualCard, sound: Sound) -> None:
    """FA-17: the one clock is right within 20 ms."""
    rate = sound.playback.sample_rate
    clip = np.zeros(rate // 2, np.float32)
    clip[:40] = 0.9
    for _ in range(TRIES):
        seen: list[tuple[int, int]] = []
        with card.record() as recorder, watched(sound, seen):
            time.sleep(0.2)
            spans = [sound.playback.enqueue(clip, rate) for _ in range(5)]
            recording = heard(recorder, time.monotonic_ns(), 2.9)
            loud = np.flatnonzero(np.abs(recording) > 0.4)
            clicks = loud[np.insert(np.diff(loud) > RATE // 10, 0, True)]
            heard_ns = [recorder.time_of(int(click)) for click in clicks]
        times, frames = np.array(seen, np.int64).T
        assert (np.diff(frames) >= 0).all()
        if len(clicks) == len(spans):  # else a click fell into a gap of a starved test machine
            break
    claimed = [np.interp(at, times, frames) for at in heard_ns]
    errors_ms = [(claim - span.start) / rate * 1000 for claim, span in zip(claimed, spans, strict=True)]
    print("played() minus what is heard, ms:", np.round(errors_ms, 1))
    assert abs(np.median(errors_ms)) <= 20


@contextmanager
def watched(sound: Sound, seen: list[tuple[int, int]]) -> Iterator[None]:
    """Ask `played()` all the time; each answer comes with its time."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.004):
            seen.append((time.monotonic_ns(), sound.playback.played()))

    watcher = threading.Thread(target=watch, name="watcher")
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def test_clear_is_silence_at_once(card: VirtualCard, sound: Sound) -> None:
    """TT-02."""
    speech = np.random.default_rng(0).uniform(-0.3, 0.3, 16_000 * 20).astype(np.float32)
    with card.record() as recorder:
        sound.playback.enqueue(speech, 16_000)
        wait_until(lambda: bool((np.abs(recorder.samples[-2_000:]) > 0.1).any()), 3)
        cleared_ns = time.monotonic_ns()
        end = sound.playback.clear()
        recording = heard(recorder, cleared_ns, 0.6)
        last_ns = recorder.time_of(int(np.flatnonzero(recording)[-1]))
    silence_ms = (last_ns - cleared_ns) / 1e6
    print(f"silence {silence_ms:.0f} ms after clear()")
    assert silence_ms <= 150
    assert sound.playback.is_idle
    assert sound.playback.played() >= end


def test_the_echo_is_cancelled(card: VirtualCard, sound: Sound) -> None:
    """TT-01: an open loudspeaker at full loudness, 120 ms away."""
    loopback = card.pactl(
        "load-module", "module-loopback", "source=speaker.monitor", "sink=micfeed", "latency_msec=120"
    )
    rng = np.random.default_rng(1)
    seconds = 9
    noise = rng.standard_normal(16_000 * seconds).astype(np.float32)
    speech = np.convolve(noise, np.exp(-np.arange(12) / 3.0), "same")  # more power below 1 kHz, as in speech
    syllables = 0.55 + 0.45 * np.sin(2 * np.pi * 4 * np.arange(speech.size) / 16_000)
    speech = (0.1 * speech / speech.std() * syllables).astype(np.float32)
    sound.capture.clear()
    span = sound.playback.enqueue(speech, 16_000)
    cleaned: list[FloatArray] = []
    with card.record("micfeed") as recorder:
        while sound.playback.played() < span.stop:
            if (block := sound.capture.read(0.1)) is not None:
                cleaned.append(block.samples)
        raw = recorder.samples
    seconds_of = [block_levels(raw, RATE), block_levels(np.concatenate(cleaned), 16_000)]
    count = min(map(len, seconds_of))
    erle_db = np.array(seconds_of[0][:count]) - np.array(seconds_of[1][:count])
    print("dB less echo in each half second:", np.round(erle_db).astype(int))
    card.pactl("unload-module", loopback)
    assert np.median(erle_db[6:-2]) >= 15  # after 3 s; a gap of a starved test machine spoils one or two


def block_levels(samples: FloatArray, rate: int) -> list[float]:
    """Level of each half second in dB."""
    halves = samples[: samples.size // (rate // 2) * (rate // 2)].reshape(-1, rate // 2)
    return [float(20 * np.log10(np.sqrt(np.mean(half**2)) + 1e-9)) for half in halves]


def test_both_come_back_when_the_sound_server_was_restarted(card: VirtualCard, sound: Sound) -> None:
    before = sound.playback.played()
    card.stop()
    wait_until(lambda: sound.capture.status is MicStatus.ABSENT, 3)
    wait_until(lambda: sound.playback.status is SpeakerStatus.ABSENT, 3)
    span = sound.playback.enqueue(np.ones(8_000, np.float32), 16_000)
    wait_until(lambda: sound.playback.is_idle, 3)  # nobody hears it, but the reply ends
    assert sound.playback.played() >= span.stop > before
    card.start()
    back_s = wait_until(lambda: sound.capture.status is MicStatus.OK and sound.playback.status is SpeakerStatus.OK, 6)
    print(f"back after {back_s:.1f} s")


def test_a_frozen_sound_server_is_noticed_and_does_not_hold_up_the_end(card: VirtualCard) -> None:
    sound = Sound(SoundConfig())
    sound.open()
    wait_until(lambda: sound.capture.read(0.1) is not None and sound.playback.played() > 4_000, 4)
    card.freeze()
    try:
        wait_until(lambda: sound.capture.status is MicStatus.ABSENT, 3.5)
        wait_until(lambda: sound.playback.status is SpeakerStatus.ABSENT, 3.5)
        started = time.monotonic()
        sound.close()
        assert time.monotonic() - started < 1.0
    finally:
        card.thaw()
    wait_until(lambda: "audio-call" not in {t.name for t in threading.enumerate()}, 5)


def tone(seconds: float) -> FloatArray:
    return (0.5 * np.sin(2 * np.pi * 440 * np.arange(round(seconds * 48_000)) / 48_000)).astype(np.float32)


def is_heard(recorder: Recorder) -> bool:
    return bool((np.abs(recorder.samples[-2_000:]) > 0.1).any())


def test_in_mid_answer_the_answer_follows_the_output(card: VirtualCard, sound: Sound) -> None:
    """Somebody plugs in another loudspeaker, which becomes the default, and pulls it out again."""
    hdmi = card.pactl("load-module", "module-null-sink", "sink_name=hdmi")
    with card.record("hdmi") as elsewhere, card.record() as here:
        span = sound.playback.enqueue(tone(9), 48_000)
        wait_until(lambda: is_heard(here), 1)
        card.pactl("set-default-sink", "hdmi")
        moved_s = wait_until(lambda: is_heard(elsewhere), 3)
        time.sleep(1)
        assert abs(sound.playback.offset_ms) < 40
        assert not is_heard(here)
        before = sound.playback.played()
        card.pactl("unload-module", hdmi)
        back_s = wait_until(lambda: is_heard(here), 3)
        time.sleep(1)
        passed_s = (sound.playback.played() - before) / sound.playback.sample_rate
        assert sound.playback.status is SpeakerStatus.OK
        assert abs(sound.playback.offset_ms) < 40
        assert passed_s == pytest.approx(back_s + 1, abs=0.3)
        wait_until(lambda: sound.playback.is_idle, 9)
        assert sound.playback.played() >= span.stop
    print(
        f"heard on the new one after {moved_s:.2f} s, on the old one again after {back_s:.2f} s; "
        f"worst offset {sound.playback.worst_offset_ms:.0f} ms"
    )
