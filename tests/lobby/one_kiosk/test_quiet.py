"""Sounds that are no speech begin no turn, and a microphone that goes is noticed and taken back."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from tests.lobby.program import Program
from tests.lobby.stage_set import RATE, StageSet
from tests.lobby.tape import Sound
from tests.lobby.visit import play
from tests.lobby.visitors import lobby_noise

pytestmark = [pytest.mark.e2e, pytest.mark.weights]

SECONDS = 3.0
_TIME = np.arange(int(SECONDS * RATE)) / RATE


def silence() -> Sound:
    return np.zeros(len(_TIME), np.float32)


def noise() -> Sound:
    return lobby_noise(SECONDS) * np.float32(0.05)


def music() -> Sound:
    """A melody over chords, with overtones."""
    sound = np.zeros(len(_TIME))
    for i, semitones in enumerate((0, 4, 7, 12, 9, 5)):
        note = (_TIME >= i * 0.5) & (_TIME < (i + 1) * 0.5)
        for overtone, level in ((1, 1.0), (2, 0.5), (3, 0.25)):
            for root in (262.0, 262.0 * 2 ** (semitones / 12)):
                sound[note] += level * np.sin(2 * np.pi * root * overtone * _TIME[note])
    return np.asarray(0.1 * sound, np.float32)


def clicks() -> Sound:
    sound = np.zeros(len(_TIME), np.float32)
    sound[:: RATE // 4] = 0.9
    return sound


@pytest.mark.parametrize("make", [silence, noise, music, clicks], ids=lambda make: make.__name__)
def test_what_is_no_speech_begins_no_turn(kiosk: Program, stage_set: StageSet, make: Callable[[], Sound]) -> None:
    kiosk.skip()
    play(stage_set, make())
    time.sleep(3)
    assert not [line for line in kiosk.unread() if line["what"] == "question"]


def test_a_microphone_that_is_unplugged_is_noticed_and_taken_back(kiosk: Program, stage_set: StageSet) -> None:
    kiosk.skip()
    pulled = time.monotonic_ns()
    stage_set.unplug_microphone()
    gone = kiosk.wait_for("devices", 10, lambda line: line["microphone"] != "ok")
    assert (gone["t"] - pulled) / 1e9 < 3.5
    replugged = time.monotonic_ns()
    stage_set.plug_microphone()
    back = kiosk.wait_for("devices", 15, lambda line: line["microphone"] == "ok")
    assert (back["t"] - replugged) / 1e9 < 6
