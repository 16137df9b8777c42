"""The face in the window: the mouth follows the loudspeaker, and the picture moves while the models work."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from models.types import PhonemeTime
from tests.face.mouth_meter import closures, speech_agreement
from tests.lobby.film import Camera, phonemes_heard
from tests.lobby.program import Program
from tests.lobby.questions import QUESTIONS
from tests.lobby.stage_set import StageSet
from tests.lobby.tape import Tape
from tests.lobby.visit import ask_aloud

pytestmark = [pytest.mark.e2e, pytest.mark.weights]


def test_the_mouth_follows_the_sound(kiosk: Program, stage_set: StageSet, tape: Tape) -> None:
    kiosk.skip()
    camera = Camera(stage_set)
    camera.start()
    ask_aloud(stage_set, kiosk, tape, QUESTIONS[1], voice=1)
    film = camera.stop()
    lines = kiosk.lines[-60:]
    sounds = [line for line in lines if line["what"] == "sound" and line["heard_ns"] > film.times_ns[0]]
    phonemes = phonemes_heard(sounds)
    times, opening = film.mouth()
    zero = phonemes[0].start_s - 1.0
    spoken = [PhonemeTime(symbol=p.symbol, start_s=p.start_s - zero, end_s=p.end_s - zero) for p in phonemes]
    while_speaking = (times >= zero) & (times <= phonemes[-1].end_s + 1.0)
    clock, opening_then = (times - zero)[while_speaking].astype(np.float32), opening[while_speaking]
    found = speech_agreement(spoken, clock, opening_then)
    span = float(np.percentile(opening_then, 98) - np.percentile(opening_then, 2))
    silent = opening[times < zero + 0.8]  # the first sound comes at zero + 1 s
    stir = float(np.percentile(np.abs(silent - np.median(silent)), 98)) / span
    shut = closures(spoken, clock, opening_then)
    print(
        f"mouth in the window: r {found.best_correlation:.2f} at {1000 * found.best_lag_s:+.0f} ms "
        f"(r {found.correlation:.2f} at 0), silence stirs {100 * stir:.1f} % of the range, "
        f"largest opening on m/b/p {max((gap for _, _, gap in shut), default=0.0):.3f} of the mouth's width"
    )
    assert found.best_correlation >= 0.7
    assert stir < 0.05
    assert abs(found.best_lag_s) <= 0.04 + 0.5 / 25  # the camera itself takes a picture every 40 ms


def test_the_picture_moves_while_the_models_work(kiosk: Program, stage_set: StageSet, tape: Tape) -> None:
    camera = Camera(stage_set, fps=50)
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
    assert film.distinct() > 5 * (film.times_ns[-1] - film.times_ns[0]) / 1e9
