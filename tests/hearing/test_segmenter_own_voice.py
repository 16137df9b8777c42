"""What the segmenter does with windows that hold the kiosk's own voice, with scripted detectors."""

from __future__ import annotations

import numpy as np
import pytest

from kiosk.hearing.results import SpeechEnded, SpeechResumed
from kiosk.hearing.segmenter import LEAD_MS
from tests.hearing.segmenter_bench import EPSILON_MS, MS, RATE, Bench, kinds


@pytest.mark.parametrize("block", [160, 512, 1000, 4410])
def test_the_kiosks_own_voice_begins_nothing(block: int) -> None:
    bench = Bench()
    bench.quiet(500)
    bench.sound(0.9, 3000, block, is_own_voice=True)
    bench.quiet(1000)
    assert bench.log == []


def test_a_visitor_is_heard_once_the_kiosk_is_silent() -> None:
    bench = Bench(words="好的。")
    bench.sound(0.8, 1000, is_own_voice=True)
    bench.voice(600)
    bench.quiet(500)
    assert np.count_nonzero(bench.ended()[0].samples > 0.85) == 600 * MS


def test_a_window_is_own_voice_if_most_of_it_is() -> None:
    for own, begins in ((300, False), (200, True)):
        bench = Bench()
        bench.quiet(512)
        for _ in range(6):
            bench.samples_of(0.9, own, is_own_voice=True)
            bench.samples_of(0.9, 512 - own)
        assert bool(bench.log) is begins


def test_the_kiosks_own_voice_resumes_no_turn_and_holds_none_open() -> None:
    bench = Bench(complete=0.1)
    bench.quiet(500)
    bench.voice(600)
    bench.quiet(300)
    bench.sound(0.8, 2000, is_own_voice=True)
    assert SpeechResumed not in kinds([result for _, result in bench.log])
    assert abs(bench.log[-1][0] - (1100 + 1200)) <= EPSILON_MS


def test_the_kiosks_own_voice_under_the_visitors_ends_no_turn() -> None:
    bench = Bench()
    bench.quiet(500)
    bench.voice(600)
    bench.sound(0.9, 1000, is_own_voice=True)
    bench.voice(600)
    assert bench.ended() == []


@pytest.mark.parametrize("block", [160, 512, 1000])
def test_what_is_recognised_is_the_other_sound_from_shortly_before_the_voice_on(block: int) -> None:
    """Before that the kiosk itself could be read. Sound that was dropped with the gate shifts nothing."""
    bench = Bench()
    bench.quiet(150)
    bench.segmenter.set_gate(False)
    bench.quiet(100)
    bench.segmenter.set_gate(True)
    sound = np.zeros(4 * RATE, np.float32)
    begin = 512 * 20
    sound[begin : begin + 700 * MS] = 0.9
    to_recognise = np.where(sound > 0, 0.5, 0.1).astype(np.float32)
    ended = []
    for start in range(0, sound.size, block):
        now_ns = (start + block) * 1_000_000_000 // RATE
        part = slice(start, start + block)
        results = bench.segmenter.push(sound[part], now_ns, to_recognise=to_recognise[part])
        ended += [result for result in results if isinstance(result, SpeechEnded)]
    samples = ended[0].samples
    voice = int(np.flatnonzero(samples == 0.5)[0])
    assert np.count_nonzero(samples == 0.5) == 700 * MS
    assert abs(np.count_nonzero(samples[:voice] == np.float32(0.1)) - LEAD_MS * MS) <= 512
    assert np.count_nonzero(samples[: voice - LEAD_MS * MS - 512]) == 0
