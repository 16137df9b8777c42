"""The position that the picture follows."""

from __future__ import annotations

import numpy as np

from kiosk.pipeline.steady import MAX_LAG_S, MAX_PACE, SHORTEST_S, SteadyPosition

RATE = 48_000


def drawn(times_s: list[float], played_s: list[float]) -> list[float]:
    steady = SteadyPosition()
    return [steady.follow(round(p * RATE), RATE, t) / RATE for t, p in zip(times_s, played_s, strict=True)]


def test_even_pictures_follow_the_sound_exactly() -> None:
    times = [n / 30 for n in range(100)]
    assert np.allclose(drawn(times, times), times, atol=1 / RATE)


def test_a_late_picture_is_caught_up_with_without_a_leap() -> None:
    times = [n / 30 for n in range(10)] + [11 / 30 + n / 30 for n in range(20)]  # one picture is missing
    positions = drawn(times, times)
    steps = np.diff(positions)
    assert steps.max() <= MAX_PACE * SHORTEST_S + 1e-4
    lags = np.array(times) - np.array(positions)
    assert abs(lags.min()) < 1e-4
    assert lags.max() <= MAX_LAG_S + 1e-4
    assert lags[-1] < 1e-4


def test_after_a_long_gap_the_lag_stays_below_what_anybody_sees() -> None:
    times = [0.0, 1.0]
    assert times[1] - drawn(times, times)[1] <= MAX_LAG_S + 1e-4


def test_it_is_never_ahead_of_the_sound() -> None:
    generator = np.random.default_rng(1)
    times = np.cumsum(generator.uniform(0.01, 0.09, 300)).tolist()
    played = np.maximum.accumulate(np.array(times) + generator.uniform(-0.02, 0.02, 300)).tolist()
    positions = drawn(times, played)
    assert all(position <= heard + 1 / RATE for position, heard in zip(positions, played, strict=True))
