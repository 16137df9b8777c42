"""Phoneme times, trimming and splitting."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.tts.base import SynthesisedSpeech
from models.tts.joining import join, join_unless_stopped, speak_in_pieces
from models.tts.loudness import CEILING, apply_gain
from models.tts.parts import CONTEXT_COLUMNS, FIRST_COLUMNS, plan_parts
from models.tts.splitting import HARD_LIMIT, MODEL_LIMIT, split_phonemes
from models.tts.timing import LEAD_S, SAMPLE_RATE, TAIL_S, phoneme_times, shift_times, speech_bounds, window_times
from models.types import PhonemeTime, never_stop


def test_tone_and_stress_marks_join_the_sound_before() -> None:
    times = phoneme_times("ni↓ˈO", np.array([2, 1, 3, 1, 1, 4, 2], np.float32))
    assert [t.symbol for t in times] == [" ", "n", "i", "O", " "]
    assert [round(t.end_s, 3) for t in times] == [0.05, 0.075, 0.2, 0.3, 0.35]
    assert all(a.end_s == b.start_s for a, b in itertools.pairwise(times))


def test_window_covers_exactly_what_is_kept() -> None:
    times = phoneme_times("nau", np.array([4, 2, 2, 2, 4], np.float32))
    cut = window_times(times, 0.08, 0.27)
    assert cut[0].start_s == 0
    assert cut[-1].end_s == pytest.approx(0.19)
    assert shift_times(cut, 1.0)[0].start_s == 1.0


def test_silence_is_trimmed_to_a_short_lead_and_tail() -> None:
    tone = 0.3 * np.sin(np.arange(SAMPLE_RATE // 2) * 0.1)
    samples = np.concatenate([np.zeros(7200), tone, np.zeros(9600)]).astype(np.float32)
    start, end = speech_bounds(samples)
    assert start == 7200 - round(LEAD_S * SAMPLE_RATE)
    assert end == 7200 + len(tone) + round(TAIL_S * SAMPLE_RATE)


def test_silence_alone_gives_nothing() -> None:
    assert speech_bounds(np.zeros(24_000, np.float32)) == (0, 0)
    assert speech_bounds(np.zeros(10, np.float32)) == (0, 0)


def test_long_clause_without_a_comma_is_cut_between_words_and_keeps_all() -> None:
    phonemes = " ".join(["ʨi↗nɕi↗ŋ"] * 80)
    pieces = split_phonemes(phonemes)
    assert " ".join(pieces) == phonemes
    assert max(map(len, pieces)) <= HARD_LIMIT
    assert min(map(len, pieces)) > HARD_LIMIT // 3


def test_short_clause_stays_whole() -> None:
    assert split_phonemes("ni↓xau↓, ɕjɛ↘ɕjɛ.") == ["ni↓xau↓, ɕjɛ↘ɕjɛ."]


def test_long_clause_is_cut_at_a_pause() -> None:
    pieces = split_phonemes("a" * 30 + " " + "b" * 40 + ", " + "c" * 60)
    assert pieces == ["a" * 30 + " " + "b" * 40 + ",", "c" * 60]


@given(st.text(alphabet="ab ,.", max_size=1500))
def test_splitting_loses_no_symbol(text: str) -> None:
    phonemes = " ".join(text.split())
    pieces = split_phonemes(phonemes)
    assert "".join(pieces).replace(" ", "") == phonemes.replace(" ", "")
    assert all(0 < len(piece) <= MODEL_LIMIT for piece in pieces)


def _tone(piece: str) -> Iterator[SynthesisedSpeech]:
    times = [PhonemeTime(symbol=s, start_s=i * 0.025, end_s=(i + 1) * 0.025) for i, s in enumerate(piece)]
    yield SynthesisedSpeech(
        samples=np.full(600 * len(piece), 0.1, np.float32), sample_rate=SAMPLE_RATE, phonemes=tuple(times)
    )


def test_pieces_are_joined_with_a_pause_and_one_clock() -> None:
    phonemes = "a" * 80 + ", " + "b" * 60
    speech = join(speak_in_pieces(phonemes, _tone, never_stop))
    assert len(speech.samples) == 600 * 141 + round(0.12 * SAMPLE_RATE)
    assert speech.phonemes[-1].end_s == pytest.approx(speech.duration_s)
    assert all(a.end_s == pytest.approx(b.start_s) for a, b in itertools.pairwise(speech.phonemes))


def test_stop_is_asked_between_pieces_and_gives_nothing() -> None:
    spoken: list[str] = []

    def speak(piece: str) -> Iterator[SynthesisedSpeech]:
        spoken.append(piece)
        return _tone(piece)

    def stop() -> bool:
        return bool(spoken)

    speech = join_unless_stopped(speak_in_pieces("a" * 80 + ", " + "b" * 60, speak, stop), stop)
    assert len(spoken) == 1
    assert len(speech.samples) == 0


def test_marks_alone_are_not_spoken() -> None:
    assert list(speak_in_pieces("…!", _tone, never_stop)) == []


@given(st.integers(0, 40), st.integers(1, 900), st.floats(0.02, 3.0))
def test_parts_cover_the_clause_and_never_run_dry(start: int, length: int, rate: float) -> None:
    parts = plan_parts(start, start + length, rate)
    assert parts[0][0] == start
    assert parts[-1][1] == start + length
    assert all(a[1] == b[0] for a, b in itertools.pairwise(parts))
    assert all(b > a for a, b in parts)
    unplayed = 0.0
    for number, (a, b) in enumerate(parts):
        if number:
            unplayed -= (b - a + 2 * CONTEXT_COLUMNS) * rate
            assert unplayed > 0
        unplayed += b - a


def test_short_clauses_are_not_cut() -> None:
    assert plan_parts(0, 80, 0.3) == [(0, 80)]
    assert plan_parts(0, 200, 0.3)[0] == (0, FIRST_COLUMNS)


def test_first_part_grows_on_a_slow_machine() -> None:
    brisk, slow, slower = (plan_parts(0, 400, rate)[0][1] for rate in (0.3, 0.9, 2.0))
    assert brisk < slow < slower < 400
    assert len(plan_parts(0, 400, 2.0)) == 2


def test_gain_never_clips_hard() -> None:
    wave = np.linspace(-1, 1, 1001, dtype=np.float32)
    loud = apply_gain(wave, 2.0)
    assert np.abs(loud).max() < CEILING
    assert (np.diff(loud) >= 0).all()
    assert np.allclose(apply_gain(wave, 0.5), wave * 0.5)
