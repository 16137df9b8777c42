"""What the segmenter does with windows that hold the kiosk's own voice, with scripted detectors."""

from __future__ import annotations

import numpy as np
import pytest

from kiosk.hearing.results import (
    SpeechResumed,
)
from tests.hearing.segmenter_bench import EPSILON_MS, MS, Bench, kinds


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
