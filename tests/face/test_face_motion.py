"""From phonemes to the mouth over time: pure numbers."""

import numpy as np
import pytest

from kiosk.face import motion
from kiosk.face.motion import RATE, lip_opening, lipschitz, plan_motion
from kiosk.face.sound_motion import plan_motion_from_sound
from kiosk.face.types import UNIT_NAMES
from models.types import PhonemeTime

SAMPLE_RATE = 24_000


def speech(*parts, sample_rate=SAMPLE_RATE):
    """A hum that is loud in every sound and silent in pauses (symbol "."), with the phonemes' times."""
    phonemes, sounds, at = [], [], 0.0
    for symbol, seconds in parts:
        phonemes.append(PhonemeTime(symbol=symbol, start_s=at, end_s=at + seconds))
        t = np.arange(round(seconds * sample_rate)) / sample_rate
        sounds.append((0.0 if symbol == "." else 0.2) * np.sin(2 * np.pi * 150 * t))
        at += seconds
    return np.concatenate(sounds).astype(np.float32), sample_rate, phonemes


def at(track, curve, second):
    return float(np.interp(second, np.arange(len(curve)) / track.rate, curve))


def unit(track, name):
    return track.units[:, UNIT_NAMES.index(name)]


def test_an_open_vowel_opens_more_than_a_close_one():
    track = plan_motion(*speech(("a", 0.3), ("t", 0.08), ("i", 0.3)))
    opening = lip_opening(track)
    assert at(track, opening, 0.15) > 0.08
    assert 0.01 < at(track, opening, 0.5) < 0.5 * at(track, opening, 0.15)


def test_round_and_spread_vowels_shape_the_lips():
    track = plan_motion(*speech(("u", 0.3), ("t", 0.1), ("i", 0.3)))
    assert at(track, unit(track, "mouthPucker"), 0.15) > 0.8
    assert at(track, unit(track, "mouthPucker"), 0.6) < 0.1
    assert at(track, unit(track, "mouthStretchLeft"), 0.6) > 0.2


@pytest.mark.parametrize("symbol", ["m", "b", "p"])
@pytest.mark.parametrize("seconds", [0.025, 0.05, 0.12])
def test_lips_meet_on_bilabials_however_short(symbol, seconds):
    track = plan_motion(*speech(("a", 0.2), (symbol, seconds), ("a", 0.2)))
    opening = lip_opening(track)
    middle = 0.2 + seconds / 2 - motion.EARLY_S
    assert at(track, opening, middle) < -0.01  # closer than at rest
    frames = np.arange(0, 0.4 + seconds, 1 / 25)
    seen = np.interp(frames, np.arange(len(opening)) / RATE, opening)
    assert seen[(frames > 0.1) & (frames < 0.35 + seconds)].min() < 0.0  # no closure falls between two frames


def test_lower_lip_stays_near_the_teeth_in_f():
    track = plan_motion(*speech(("a", 0.2), ("f", 0.1), ("a", 0.2)))
    assert 0 <= at(track, lip_opening(track), 0.25 - motion.EARLY_S) <= motion.ON_TEETH_GAP + 0.005


def test_the_mouth_rests_in_pauses_and_at_both_ends():
    track = plan_motion(*speech((".", 0.05), ("a", 0.4), (".", 0.6), ("a", 0.4), (".", 0.05)))
    opening = lip_opening(track)
    assert abs(opening[0]) < 0.005
    assert abs(opening[-1]) < 0.005
    pause = opening[round(0.6 * RATE) : round(0.95 * RATE)]
    assert np.abs(pause).max() < 0.05 * opening.max()


@pytest.mark.parametrize("cut_s", [0.3, 0.45, 0.55, 0.7])
def test_a_clause_that_comes_in_two_clips_moves_as_one(cut_s):
    samples, rate, phonemes = speech((".", 0.1), ("a", 0.4), ("m", 0.1), ("a", 0.4), (".", 0.1))
    whole = lip_opening(plan_motion(samples, rate, phonemes))
    parts = [
        [PhonemeTime(symbol=p.symbol, start_s=max(p.start_s, a) - a, end_s=min(p.end_s, b) - a)
         for p in phonemes if p.start_s < b and p.end_s > a]
        for a, b in ((0.0, cut_s), (cut_s, 1.1))
    ]  # fmt: skip
    cut = round(cut_s * rate)
    first = lip_opening(plan_motion(samples[:cut], rate, parts[0]))
    second = lip_opening(plan_motion(samples[cut:], rate, parts[1]))
    column = round(cut_s * RATE)
    together = np.concatenate([first[:column], second])
    assert min(first[-1], second[0]) > 0.4 * whole[column] - 0.012  # each knows only its own sounds
    assert np.corrcoef(together, whole[: len(together)])[0, 1] > 0.93


def test_a_last_phoneme_that_lasts_through_silence_lets_the_mouth_go():
    samples, rate, phonemes = speech(("t", 0.1), ("a", 0.8))
    samples[round(0.4 * rate) :] = 0  # the voice ends long before the phoneme's time does
    opening = lip_opening(plan_motion(samples, rate, phonemes))
    assert np.abs(opening[round(0.6 * RATE) :]).max() < 0.05 * opening.max()


def test_lips_never_move_faster_than_a_tenth_of_the_mouth_in_a_frame():
    parts = [(s, 0.06) for s in "mapamiputobafaʂɑwa" * 3]
    track = plan_motion(*speech(*parts))
    frames = np.interp(np.arange(0, 3.2, 1 / 25), np.arange(len(track.close)) / RATE, lip_opening(track))
    width = 0.76  # pupil distances, the narrowest mouth of the shipped portraits
    assert np.abs(np.diff(frames)).max() < 0.1 * width
    assert frames.max() > 0.05


def test_a_space_between_words_does_not_close_the_mouth():
    together = lip_opening(plan_motion(*speech(("a", 0.2), (" ", 0.05), ("a", 0.2))))
    assert together[round(0.225 * RATE)] > 0.8 * together.max()


def test_diphthongs_change_their_shape():
    track = plan_motion(*speech(("W", 0.5)))  # ow as in now
    pucker = unit(track, "mouthPucker")
    assert at(track, pucker, 0.12) < 0.2
    assert at(track, pucker, 0.4) > 0.6


def test_marks_belong_to_the_sound_before_them():
    marked = [
        PhonemeTime(symbol="a", start_s=0, end_s=0.2),
        PhonemeTime(symbol="↘", start_s=0.2, end_s=0.4),
    ]
    samples, rate, _ = speech(("a", 0.4))
    plain = [PhonemeTime(symbol="a", start_s=0, end_s=0.4)]
    np.testing.assert_array_equal(plan_motion(samples, rate, marked).units, plan_motion(samples, rate, plain).units)


def test_noise_in_the_voice_does_not_make_lips_tremble():
    samples, rate, phonemes = speech(("a", 0.3), ("t", 0.1), ("o", 0.3), (".", 0.3), ("i", 0.3))
    noise = np.random.default_rng(0).normal(0, 0.14 * 10 ** (-30 / 20), len(samples)).astype(np.float32)
    clean, noisy = (lip_opening(plan_motion(s, rate, phonemes)) for s in (samples, samples + noise))
    assert np.abs(np.diff(noisy)).mean() <= 1.2 * np.abs(np.diff(clean)).mean()


@pytest.mark.parametrize("sample_rate", [16_000, 22_050, 24_000, 44_100])
def test_the_sample_rate_changes_nothing(sample_rate):
    track = plan_motion(*speech(("a", 0.5), ("m", 0.1), ("o", 0.4), sample_rate=sample_rate))
    reference = plan_motion(*speech(("a", 0.5), ("m", 0.1), ("o", 0.4)))
    assert len(track.close) == len(reference.close) == 101
    assert np.abs(lip_opening(track) - lip_opening(reference)).max() < 0.02


@pytest.mark.parametrize("num_samples", [0, 1, 100, 2400])
def test_very_short_clips_work(num_samples):
    samples = np.full(num_samples, 0.1, np.float32)
    phonemes = [PhonemeTime(symbol="a", start_s=0, end_s=num_samples / SAMPLE_RATE)]
    for track in (plan_motion(samples, SAMPLE_RATE, phonemes), plan_motion_from_sound(samples, SAMPLE_RATE)):
        assert len(track.units) == len(track.close) == len(track.loudness)
        assert (len(track.close) > 0) == (num_samples > 0)
        assert np.isfinite(track.units).all()


def test_a_recording_moves_the_mouth_with_its_loudness_and_rests_in_noise():
    rng = np.random.default_rng(0)
    t = np.arange(SAMPLE_RATE) / SAMPLE_RATE
    voice = (
        sum(np.sin(2 * np.pi * f * t) for f in (150, 300, 600, 1200, 1500)) * 0.06 * (1 + np.sin(2 * np.pi * 4 * t))
    )
    hiss = rng.normal(0, 10 ** (-60 / 20), 3 * SAMPLE_RATE)
    samples = np.concatenate([voice, np.zeros(2 * SAMPLE_RATE), voice, hiss]).astype(np.float32)
    opening = lip_opening(plan_motion_from_sound(samples, SAMPLE_RATE))
    spoken = opening[:RATE]
    span = np.percentile(spoken, 95)
    assert span > 0.03
    assert np.abs(opening[round(1.2 * RATE) : round(2.95 * RATE)]).max() < 0.05 * span
    assert np.abs(opening[round(4.2 * RATE) :]).max() < 0.05 * span
    envelope = 1 + np.sin(2 * np.pi * 4 * np.arange(RATE) / RATE)
    assert np.corrcoef(envelope, spoken)[0, 1] > 0.6


def test_lipschitz_is_the_largest_slow_curve_below():
    values = np.random.default_rng(1).random(80)
    slow = lipschitz(values, 0.05)
    assert (slow <= values + 1e-12).all()
    assert np.abs(np.diff(slow)).max() <= 0.05 + 1e-12
    wanted = [min(values[j] + 0.05 * abs(i - j) for j in range(80)) for i in range(80)]
    np.testing.assert_allclose(slow, wanted, atol=1e-12)
