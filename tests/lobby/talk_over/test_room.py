"""The room itself: where it puts the echo, what its microphone's clock is, and that the finger reaches the screen."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np
import pytest

from kiosk.audio.resample import MODEL_RATE
from tests.lobby.hand import Hand
from tests.lobby.program import ROOT
from tests.lobby.room import Room
from tests.lobby.stage_set import RATE, SPEAKER, StageSet
from tests.lobby.tape import find, save
from tests.lobby.track import NS

pytestmark = pytest.mark.e2e

DRIFT_PPM = 5000.0
"""More than a device has, so that seconds are enough to see it."""


def test_the_echo_comes_late_and_weak_and_visitors_are_where_they_say(stage_set: StageSet) -> None:
    sound = (0.2 * np.random.default_rng(0).standard_normal(6 * RATE)).astype(np.float32)
    save(stage_set.folder / "noise.wav", sound)
    with Room(stage_set, drift_ppm=1000, noise_db=-90) as room:
        time.sleep(1.5)
        command = ["paplay", f"--device={SPEAKER}", str(stage_set.folder / "noise.wav")]
        subprocess.run(command, env=stage_set.env, check=True)
        click = np.full(480, 0.5, np.float32)
        said = room.say(click, at=time.monotonic_ns() + NS)
        time.sleep(2.5)
    began = room.loudspeaker.first_audible_ns(0)
    assert began is not None
    for second in (1, 4):
        start = began + second * NS
        played = room.loudspeaker.sound(start, start + NS // 2)
        heard = room.microphone.sound(start, start + NS)
        assert find(played, heard) / RATE == pytest.approx(0.120, abs=0.012)
        level = np.std(room.microphone.sound(start + NS // 2, start + NS)) / np.std(played)
        assert 20 * np.log10(level) == pytest.approx(-10, abs=1)
    assert abs((room.microphone.last_audible_ns(0) or 0) - said.end_ns) < 1_000_000
    assert room.late_frames < RATE // 20


@pytest.mark.slow
def test_the_kiosk_sees_the_microphones_clock_run_fast(stage_set: StageSet) -> None:
    with Room(stage_set, drift_ppm=DRIFT_PPM):
        command = [sys.executable, "-m", "tests.lobby.capture_rate", "15"]
        done = subprocess.run(command, env=stage_set.env, cwd=ROOT, capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout)
    ppm = 1e6 * (seen["rate"] / MODEL_RATE - 1)
    print(f"\nthe kiosk's capture sees {ppm:.0f} ppm over {seen['seconds']:.1f} s, {seen['gaps']} gaps")
    # The sound server's idea of its own delay moves by tens of milliseconds within these seconds.
    assert DRIFT_PPM / 4 < ppm < 2 * DRIFT_PPM


def test_the_finger_moves_the_pointer_of_the_screen(stage_set: StageSet) -> None:
    with Hand(stage_set) as hand:
        before = time.monotonic_ns()
        assert hand.touch((300, 200)) >= before
        assert hand.pointer() == (300, 200)
