"""The segmenter's rules with scripted detectors."""

from __future__ import annotations

import numpy as np
import pytest

from kiosk.hearing.results import (
    SpeechBegan,
    SpeechDropped,
    SpeechEnded,
    SpeechPaused,
    SpeechResumed,
)
from kiosk.hearing.segmenter import PAUSE_BEGINS_MS
from models.vad.base import WINDOW_SAMPLES
from tests.hearing.segmenter_bench import EPSILON_MS, MS, RATE, Bench, kinds


def test_a_sentence_is_closed_by_the_model_at_the_pause() -> None:
    bench = Bench(words="你们周六开门吗？")
    bench.quiet(1000)
    bench.voice(1500)
    bench.quiet(1000)
    assert kinds([result for _, result in bench.log]) == [SpeechBegan, SpeechPaused, SpeechEnded]
    ended = bench.ended()[0]
    assert ended.ended_by == "model"
    assert abs(ended.speech_end_ns / 1e6 - 2500) <= EPSILON_MS
    closed_at = bench.log[-1][0]
    assert 200 <= closed_at - 2500 <= 200 + 2 * EPSILON_MS


def test_the_utterance_holds_pre_roll_and_a_short_tail() -> None:
    bench = Bench()
    bench.sound(0.1, 1000)
    bench.voice(1500)
    bench.sound(0.05, 1000)
    samples = bench.ended()[0].samples
    voiced = np.nonzero(samples > 0.5)[0]
    assert 300 <= voiced[0] / MS <= 400 + EPSILON_MS
    assert len(voiced) == 1500 * MS
    assert PAUSE_BEGINS_MS - 4 <= (len(samples) - voiced[-1]) / MS <= PAUSE_BEGINS_MS + 1


def test_the_sound_paused_with_is_the_sound_ended_with() -> None:
    bench = Bench(complete=0.0)
    bench.quiet(500)
    bench.voice(1000)
    bench.quiet(2000)
    paused = next(result for _, result in bench.log if isinstance(result, SpeechPaused))
    ended = bench.ended()[0]
    assert paused.speech_end_ns == ended.speech_end_ns
    np.testing.assert_array_equal(paused.samples, ended.samples)


def test_silence_closes_what_the_model_holds_open_and_the_model_is_asked_again() -> None:
    bench = Bench(complete=0.1)
    bench.quiet(500)
    bench.voice(1000)
    bench.quiet(2000)
    assert bench.ended()[0].ended_by == "silence"
    assert abs(bench.log[-1][0] - (1500 + 1200)) <= EPSILON_MS
    gaps_ms = np.diff(bench.end_of_turn.asked) / MS
    assert len(gaps_ms) == 2
    assert all(400 <= gap <= 400 + EPSILON_MS for gap in gaps_ms)


def test_the_window_in_which_the_voice_fades_begins_the_pause() -> None:
    bench = Bench(complete=0.1)
    bench.samples_of(0.0, 16 * WINDOW_SAMPLES)
    bench.samples_of(0.9, 40 * WINDOW_SAMPLES)
    (paused,) = bench.samples_of(0.6, WINDOW_SAMPLES)
    assert isinstance(paused, SpeechPaused)
    assert paused.speech_end_ns == 56 * WINDOW_SAMPLES * 1_000_000_000 // RATE
    assert np.count_nonzero(paused.samples > 0.5) == 41 * WINDOW_SAMPLES  # the fading window is among the sound
    assert bench.samples_of(0.45, WINDOW_SAMPLES) == []  # it fades further
    assert kinds(bench.samples_of(0.9, WINDOW_SAMPLES)) == [SpeechResumed]


def test_a_soft_voice_is_no_fading_one() -> None:
    bench = Bench(complete=0.1)
    bench.samples_of(0.0, 16 * WINDOW_SAMPLES)
    for level in (0.65, 0.6, 0.55) * 10:
        bench.samples_of(level, WINDOW_SAMPLES)
    assert SpeechPaused not in kinds([result for _, result in bench.log])


def test_a_speaker_who_goes_on_resumes_the_turn() -> None:
    bench = Bench(complete=0.1)
    bench.quiet(500)
    bench.voice(800)
    bench.quiet(600)
    assert kinds(bench.voice(700)) == [SpeechResumed]
    bench.quiet(1500)
    assert len(bench.ended()) == 1
    assert np.count_nonzero(bench.ended()[0].samples > 0.5) == 1500 * MS


@pytest.mark.parametrize("ms", [30, 60])
def test_a_click_is_no_beginning(ms: int) -> None:
    bench = Bench()
    bench.quiet(500)
    for _ in range(10):
        bench.voice(ms)
        bench.quiet(500)
    assert bench.log == []


def test_a_short_no_is_heard() -> None:
    bench = Bench(words="好的。")
    bench.quiet(500)
    bench.voice(200)
    bench.quiet(500)
    assert len(bench.ended()) == 1


def test_a_click_in_a_pause_does_not_resume() -> None:
    bench = Bench(complete=0.1)
    bench.quiet(500)
    bench.voice(800)
    bench.quiet(400)
    bench.voice(30)
    bench.quiet(1500)
    assert SpeechResumed not in kinds([result for _, result in bench.log])
    assert abs(bench.log[-1][0] - (1300 + 1200)) <= 2 * EPSILON_MS


def test_the_microphone_is_never_open_longer_than_the_cap() -> None:
    bench = Bench(max_open_s=20.0)
    bench.quiet(500)
    opened = None
    for _ in range(300):  # five minutes of babble
        for result in bench.voice(1000):
            now_ms = bench.samples // MS
            if isinstance(result, SpeechBegan):
                opened = now_ms
            if isinstance(result, SpeechEnded):
                assert result.ended_by == "length"
                assert opened is not None
                assert now_ms - opened <= 21_000
                assert len(result.samples) <= 20 * RATE
    assert len(bench.ended()) >= 14
    assert bench.vad.resets >= 14


def test_the_detector_is_reset_between_utterances_and_in_long_silence() -> None:
    bench = Bench()
    bench.quiet(500)
    bench.voice(500)
    assert bench.vad.resets == 0
    bench.quiet(1000)
    assert bench.vad.resets == 1
    bench.quiet(70_000)
    assert bench.vad.resets == 3


@pytest.mark.parametrize("block", [160, 320, 480, 512, 1000, 4410])
def test_blocks_of_any_size_give_the_same_turns(block: int) -> None:
    expected, bench = Bench(), Bench()
    for b, size in ((expected, 512), (bench, block)):
        for level, ms in ((0.0, 512), (0.9, 960), (0.0, 1600), (0.9, 320), (0.0, 960)):
            b.sound(level, ms, size)
    assert len(expected.ended()) == 2
    for one, other in zip(expected.ended(), bench.ended(), strict=True):
        assert one.ended_by == other.ended_by
        assert abs(one.speech_end_ns - other.speech_end_ns) < 1_000_000
        np.testing.assert_array_equal(one.samples, other.samples)


def test_a_short_word_right_after_a_sentence_is_its_own_turn_without_the_sentence() -> None:
    bench = Bench(words="好的。")
    bench.quiet(500)
    bench.voice(1000)
    bench.quiet(300)
    bench.sound(0.8, 320)
    bench.quiet(1000)
    first, second = bench.ended()
    assert np.count_nonzero(first.samples > 0.85) == 1000 * MS
    assert np.count_nonzero(second.samples > 0.85) == 0
    assert np.count_nonzero(second.samples > 0.75) == 320 * MS


def test_what_is_heard_behind_the_closed_gate_never_leaks() -> None:
    bench = Bench(words="好的。")
    bench.voice(400)
    bench.segmenter.set_gate(False)
    assert bench.sound(0.8, 2000) == [SpeechDropped(reason="gate")]
    bench.segmenter.set_gate(True)
    bench.quiet(100)
    bench.voice(600)
    bench.quiet(600)
    samples = bench.ended()[0].samples
    assert np.count_nonzero((samples > 0.75) & (samples < 0.85)) == 0
    assert np.count_nonzero(samples > 0.85) == 600 * MS


def test_closing_the_gate_in_silence_says_nothing() -> None:
    bench = Bench()
    bench.quiet(400)
    bench.segmenter.set_gate(False)
    assert bench.quiet(100) == []
    bench.segmenter.set_gate(True)
    assert bench.quiet(100) == []


def test_words_that_ask_for_more_keep_the_turn_open() -> None:
    bench = Bench(complete=0.1)
    bench.quiet(500)
    bench.voice(600)
    bench.quiet(300)
    bench.note("我想")
    bench.quiet(1600)
    assert bench.ended() == []
    bench.quiet(300)
    assert bench.ended()[0].ended_by == "silence"
    assert abs(bench.log[-1][0] - (1100 + 2000)) <= EPSILON_MS


def test_words_of_an_earlier_pause_count_no_more() -> None:
    bench = Bench(complete=0.1)
    bench.quiet(500)
    bench.voice(600)
    bench.quiet(300)
    earlier = bench.paused_at()
    bench.voice(600)
    bench.quiet(300)
    bench.segmenter.note_text(earlier, "我想")
    bench.quiet(1200)
    assert len(bench.ended()) == 1


def test_complete_words_close_the_turn_as_soon_as_they_come() -> None:
    bench = Bench(complete=0.9)
    bench.quiet(500)
    bench.voice(600)
    bench.quiet(310)
    assert bench.ended() == []
    bench.note("你们周六开门吗？")
    bench.quiet(10)
    assert bench.ended()[0].ended_by == "model"


def test_words_that_come_before_the_voice_is_judged_wait_for_it() -> None:
    bench = Bench(complete=0.9)
    bench.quiet(500)
    bench.voice(600)
    bench.quiet(100)
    bench.note("你们周六开门吗？")
    bench.quiet(60)
    assert bench.ended() == []
    bench.quiet(100)
    assert len(bench.ended()) == 1


def test_who_pauses_for_long_inside_a_turn_gets_more_time_until_somebody_else_comes() -> None:
    def wait_ms() -> int:
        bench.voice(600)
        bench.quiet(100)
        bench.note("我叫王芳。")
        bench.quiet(1500)
        return bench.log[-1][0] - int(bench.ended()[-1].speech_end_ns / 1e6)

    bench = Bench(complete=0.9)
    bench.quiet(500)
    before_ms = wait_ms()
    bench.voice(600)
    bench.quiet(100)
    bench.note("我想")
    bench.quiet(700)
    slow_ms = wait_ms()
    assert slow_ms >= 900 > 800 > before_ms
    bench.segmenter.reset_visitor()
    assert wait_ms() == pytest.approx(before_ms, abs=EPSILON_MS)


def test_the_voice_alone_ends_no_turn_however_much_was_said() -> None:
    bench = Bench()
    bench.quiet(500)
    bench.voice(1500)
    bench.quiet(500)
    assert bench.ended() == []
    bench.note("你们周六开门吗？")
    bench.quiet(50)
    assert len(bench.ended()) == 1


def test_after_a_few_words_the_voice_alone_ends_no_turn() -> None:
    bench = Bench()
    bench.quiet(500)
    bench.voice(600)
    bench.quiet(600)
    assert bench.ended() == []
    bench.quiet(200)
    assert bench.ended()[0].ended_by == "silence"


def test_after_a_few_words_since_a_pause_the_voice_alone_ends_no_turn() -> None:
    bench = Bench()
    bench.quiet(500)
    bench.voice(900)
    bench.quiet(300)
    bench.voice(900)
    bench.quiet(600)
    assert bench.ended() == []


def test_between_the_groups_of_a_number_the_voice_alone_ends_no_turn() -> None:
    bench = Bench()
    bench.quiet(500)
    bench.voice(900)
    bench.quiet(100)
    bench.note("138")
    bench.quiet(800)
    bench.voice(1500)
    bench.quiet(600)
    assert bench.ended() == []


def test_a_weak_word_right_after_a_gap_belongs_to_the_turn() -> None:
    bench = Bench(words="好的。")
    bench.quiet(512)
    bench.voice(640)
    bench.quiet(96)
    bench.sound(0.4, 32)  # one window, too weak to begin a turn
    bench.quiet(600)
    assert np.count_nonzero(bench.ended()[0].samples > 0.35) == 672 * MS


def test_words_that_come_too_late_do_nothing() -> None:
    bench = Bench(words="好的。")
    bench.quiet(500)
    bench.voice(600)
    bench.quiet(500)
    bench.note("我想")
    assert bench.quiet(3000) == []


def test_the_clock_may_tremble_by_less_than_half_a_window() -> None:
    bench = Bench(complete=0.1)
    bench.quiet(500)
    bench.voice(600)
    bench.quiet(300)
    bench.segmenter.note_text(bench.paused_at() + 15_000_000, "我想")
    bench.quiet(1600)
    assert bench.ended() == []


def test_closing_frees_both_networks() -> None:
    bench = Bench()
    bench.segmenter.close()
    assert bench.vad.closed
    assert bench.end_of_turn.closed
