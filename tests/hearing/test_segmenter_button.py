"""The segmenter while the visitor holds the button, with scripted detectors."""

from __future__ import annotations

import numpy as np

from kiosk.hearing.results import (
    SpeechBegan,
    SpeechDropped,
    SpeechEnded,
)
from tests.hearing.segmenter_bench import MS, Bench, kinds


def test_the_button_keeps_the_turn_open_over_pauses() -> None:
    bench = Bench(push_to_talk=True)
    bench.quiet(500)
    bench.segmenter.press()
    assert kinds(bench.voice(500)) == [SpeechBegan]
    bench.quiet(3000)
    bench.voice(500)
    bench.segmenter.release()
    results = bench.quiet(400)
    assert kinds(results) == [SpeechEnded]
    ended = bench.ended()[0]
    assert ended.ended_by == "button"
    assert np.count_nonzero(ended.samples > 0.5) == 1000 * MS
    assert bench.end_of_turn.asked == []


def test_words_begun_before_the_press_are_kept() -> None:
    bench = Bench(push_to_talk=True)
    bench.quiet(500)
    bench.voice(200)
    bench.segmenter.press()
    bench.voice(500)
    bench.segmenter.release()
    bench.quiet(400)
    assert np.count_nonzero(bench.ended()[0].samples > 0.5) == 700 * MS


def test_the_last_syllable_after_the_release_is_kept() -> None:
    bench = Bench(push_to_talk=True)
    bench.segmenter.press()
    bench.voice(500)
    bench.segmenter.release()
    bench.voice(150)
    bench.quiet(400)
    assert np.count_nonzero(bench.ended()[0].samples > 0.5) == 650 * MS


def test_with_push_to_talk_a_voice_alone_opens_nothing() -> None:
    bench = Bench(push_to_talk=True)
    bench.voice(3000)
    bench.quiet(1000)
    assert bench.log == []


def test_a_button_held_without_a_word_is_dropped() -> None:
    bench = Bench()
    bench.quiet(300)
    bench.segmenter.press()
    bench.quiet(600)
    bench.segmenter.release()
    assert kinds(bench.quiet(400)) == [SpeechDropped]


def test_a_button_held_beyond_the_cap_ends_once() -> None:
    bench = Bench(words="好的。", max_open_s=5.0)
    bench.segmenter.press()
    bench.voice(12_000)
    assert [ended.ended_by for ended in bench.ended()] == ["length"]
    bench.segmenter.release()
    bench.quiet(1000)
    bench.voice(500)
    bench.quiet(600)
    assert [ended.ended_by for ended in bench.ended()] == ["length", "model"]
