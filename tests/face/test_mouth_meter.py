"""The meter of the mouth: would it see a mouth that stirs?"""

from __future__ import annotations

import numpy as np

from models.types import FloatArray
from tests.face.mouth_meter import stir


def head(count: int) -> FloatArray:
    """Yaw, pitch, roll and lids of a head that sways and blinks twice."""
    time = np.arange(count) / 30
    lids = np.clip(1 - np.abs(np.mod(time, 2.5) - 1) / 0.13, 0, 1)
    return np.column_stack([np.sin(2 * time), 0.5 * np.sin(3 * time), np.cos(time), lids]).astype(np.float32)


def test_what_goes_with_the_head_and_the_lids_is_no_stir() -> None:
    turns = head(150)
    noise = np.random.default_rng(0).normal(0, 0.0005, 150)
    opening = (0.03 + turns @ np.array([0.006, -0.002, 0.001, -0.008]) + noise).astype(np.float32)
    assert stir(opening, turns) < 0.001


def test_a_mouth_that_opens_for_a_moment_is_seen() -> None:
    turns = head(150)
    opening = (0.03 + turns @ np.array([0.006, -0.002, 0.001, -0.008])).astype(np.float32)
    opening[70:78] += np.float32(0.01)  # a quarter of a second, a tenth of what speech opens it
    assert stir(opening, turns) > 0.007


def test_one_trembling_picture_is_none() -> None:
    opening = np.full(90, 0.03, np.float32)
    opening[40] += np.float32(0.02)
    assert stir(opening, head(90)) < 0.003
