"""The face in the window: the mouth follows the loudspeaker, and the picture moves while the models work."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pytest

from models.types import PhonemeTime
from tests.face.mouth_meter import Agreement, closures, speech_agreement, stir
from tests.lobby.film import Camera, phonemes_heard
from tests.lobby.program import Program
from tests.lobby.questions import QUESTIONS
from tests.lobby.stage_set import StageSet
from tests.lobby.tape import Tape
from tests.lobby.visit import ask_aloud
from tests.lobby.visitors import Question

pytestmark = [pytest.mark.e2e, pytest.mark.weights]

MEAN_CORRELATION, LEAST_CORRELATION = 0.70, 0.65
"""Looser than what a quiet machine must print (0.7): a slow one films fewer pictures, and an answer is short."""
SILENCE_S = 5.0
"""Of the time before an answer that is looked at; reading the landmarks of a picture takes as long as drawing two."""
STIR, MOST_STIR = 0.05, 0.08
"""Of the mean, and of each answer: in films of lips that touch all the time the landmarks alone stray by 0.024 to
0.054 of the range, the more the longer they are filmed, and a slow machine thinks long."""
HALF_A_PICTURE_S = 0.5 / 30
BLIND_S = 0.030
"""A camera that looked away for less missed no picture, each of which stands for 0.033 s; one that looked away for
longer may take two steps of the mouth for one, or see the earlier of two pictures just before the later one."""
LEAST_WATCHED = 0.25
"""Of the pictures of an answer that are compared with the one before."""


@dataclass(frozen=True, kw_only=True)
class Mouth:
    """What was seen of the mouth during one answer."""

    agreement: Agreement
    stir: float
    """How far the lips stray before the first sound, as a share of their range."""
    closed: float
    """The widest that they stand open on m, b or p, in widths of the mouth."""
    step: float
    """The largest change from one picture to the next, in widths of the mouth."""


def watch(kiosk: Program, stage_set: StageSet, tape: Tape, question: Question) -> Mouth:
    """Film one answer and compare the mouth with the loudspeaker."""
    kiosk.wait_in("attract", 60)  # the last visitor's farewell is over
    camera = Camera(stage_set)
    camera.start()
    ask_aloud(stage_set, kiosk, tape, question, voice=1)
    film = camera.stop()
    sounds = [line for line in kiosk.lines if line["what"] == "sound" and line["heard_ns"] > film.times_ns[0]]
    phonemes = phonemes_heard(sounds)
    zero = phonemes[0].start_s - 1.0
    film = film.between(zero - SILENCE_S, phonemes[-1].end_s + 1.0)
    acting = film.acting()
    times, opening = acting.times, acting.opening
    spoken = [PhonemeTime(symbol=p.symbol, start_s=p.start_s - zero, end_s=p.end_s - zero) for p in phonemes]
    while_speaking = times >= zero
    clock, opening_then = (times - zero)[while_speaking].astype(np.float32), opening[while_speaking]
    span = float(np.percentile(opening_then, 98) - np.percentile(opening_then, 2))
    before = times < zero + 0.8
    shut = closures(spoken, clock, opening_then)
    gaps = np.diff(clock)
    seen_at_once = np.array(film.blind_ns)[while_speaking] / 1e9 < BLIND_S
    watched = (gaps < 3 * HALF_A_PICTURE_S) & seen_at_once[1:] & seen_at_once[:-1]
    assert np.mean(watched) > LEAST_WATCHED, "the camera was too slow to tell steps"
    steps = np.where(watched, np.abs(np.diff(opening_then)), 0)
    seen = Mouth(
        agreement=speech_agreement(spoken, clock, opening_then),
        stir=stir(opening[before], acting.turns[before]) / span,
        closed=max((gap for _, _, gap in shut), default=0.0),
        step=float(steps.max()),
    )
    print(
        f"mouth in the window: r {seen.agreement.best_correlation:.2f} at {1000 * seen.agreement.best_lag_s:+.0f} ms "
        f"(r {seen.agreement.correlation:.2f} at 0), silence stirs {100 * seen.stir:.1f} % of the range, "
        f"largest opening on m/b/p {seen.closed:.3f} of the mouth's width, largest step {seen.step:.3f} "
        f"({1000 * gaps[int(steps.argmax())]:.0f} ms after the picture before; "
        f"{len(clock) / (clock[-1] - clock[0]):.0f} pictures a second, longest gap {1000 * gaps.max():.0f} ms, "
        f"{100 * np.mean(watched):.0f} % of the steps watched)"
    )
    return seen


def test_the_mouth_follows_the_sound(kiosk: Program, stage_set: StageSet, tape: Tape) -> None:
    seen = [watch(kiosk, stage_set, tape, QUESTIONS[number]) for number in (0, 1, 5)]
    correlations = [mouth.agreement.best_correlation for mouth in seen]
    assert np.mean(correlations) >= MEAN_CORRELATION, correlations
    assert min(correlations) >= LEAST_CORRELATION, correlations
    stirs = [mouth.stir for mouth in seen]
    assert np.mean(stirs) < STIR, stirs
    assert max(stirs) < MOST_STIR, stirs
    for mouth in seen:
        assert abs(mouth.agreement.best_lag_s) <= 0.040 + HALF_A_PICTURE_S  # before the camera can see one
        assert mouth.closed <= 0.05
        assert mouth.step <= 0.10


def test_the_picture_moves_while_the_models_work(kiosk: Program, stage_set: StageSet, tape: Tape) -> None:
    camera = Camera(stage_set)
    kiosk.skip()
    camera.start()
    ask_aloud(stage_set, kiosk, tape, QUESTIONS[6], voice=0)
    film = camera.stop()
    phases = [line for line in kiosk.lines if line["what"] == "phase" and line["t"] >= film.times_ns[0]]
    for before, after in itertools.pairwise(phases):
        seconds = (after["t"] - before["t"]) / 1e9
        print(
            f"{before['phase']}: {(after['frames'] - before['frames']) / seconds:.1f} fps over {seconds:.1f} s, "
            f"longest gap of the window's timer {after['longest_tick_gap_ms']:.0f} ms, draw {after['draw_ms']:.1f} ms"
        )
    by_phase = {line["phase"] for line in phases}
    assert {"thinking", "speaking", "listening"} <= by_phase
    assert len(film.frames) > 25 * (film.times_ns[-1] - film.times_ns[0]) / 1e9
