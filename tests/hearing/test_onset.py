"""Beginnings while the kiosk speaks: in doubt at first, then confirmed or taken back."""

from __future__ import annotations

import pytest

from kiosk.hearing.onset import DOUBT_EVIDENCE, DOUBT_SPAN_WINDOWS, ONSET_WINDOWS
from kiosk.hearing.results import SpeechBegan, SpeechDropped, SpeechEnded, SpeechPaused
from tests.hearing.segmenter_bench import EPSILON_MS, MS, Bench, kinds


def test_over_the_kiosks_voice_the_first_window_begins_what_voiced_ones_confirm() -> None:
    bench = Bench(words="好的。")
    bench.quiet(1000)
    bench.sound(0.3, 50, evidence=DOUBT_EVIDENCE)
    at, began = bench.log[-1]
    assert isinstance(began, SpeechBegan)
    assert at - 1000 <= EPSILON_MS  # one window: 40 ms in blocks of 10
    bench.sound(0.9, 500)
    bench.quiet(600)
    assert kinds([result for _, result in bench.log]) == [SpeechBegan, SpeechPaused, SpeechEnded]
    assert len(bench.ended()[0].samples) > 550 * MS


def test_a_noise_over_the_kiosks_voice_is_taken_back_and_begins_nothing_for_a_while() -> None:
    bench = Bench()
    bench.quiet(1000)
    bench.sound(0.3, 1500, evidence=5.0)
    assert kinds([result for _, result in bench.log]) == [SpeechBegan, SpeechDropped]
    held_ms = bench.log[1][0] - bench.log[0][0]
    assert held_ms <= DOUBT_SPAN_WINDOWS * 32 + 10
    bench.sound(0.9, 300, evidence=5.0)
    assert bench.log[-1][0] - 2500 <= ONSET_WINDOWS * 32 + EPSILON_MS  # a voice counts all the same


@pytest.mark.parametrize(("level", "evidence"), [(0.3, DOUBT_EVIDENCE - 0.1), (0.1, 5.0)])
def test_what_is_too_weak_or_no_speech_at_all_raises_no_doubt(level: float, evidence: float) -> None:
    bench = Bench()
    bench.quiet(1000)
    bench.sound(level, 1000, evidence=evidence)
    assert bench.log == []


def test_the_button_ends_the_doubt() -> None:
    bench = Bench()
    bench.quiet(1000)
    bench.sound(0.3, 50, evidence=5.0)
    bench.segmenter.press()
    bench.sound(0.9, 100)
    bench.quiet(400)
    bench.segmenter.release()
    bench.quiet(400)
    assert kinds([result for _, result in bench.log]) == [SpeechBegan, SpeechEnded]


def test_with_push_to_talk_there_is_no_doubt() -> None:
    bench = Bench(push_to_talk=True)
    bench.quiet(1000)
    bench.sound(0.9, 1000, evidence=5.0)
    assert bench.log == []
