"""Frames and time."""

from __future__ import annotations

import numpy as np
import pytest

from kiosk.audio.clock import NS_PER_S, HostTime, StreamClock
from kiosk.audio.queues import DropOldestQueue

MS = 1_000_000


def test_jitter_of_the_host_hardly_moves_the_clock() -> None:
    rng = np.random.default_rng(0)
    clock = StreamClock(48_000)
    errors = []
    for block in range(500):
        clock.observe(block * 480, block * 10 * MS + int(rng.uniform(-8, 8) * MS))
        if block > 100:
            errors.append(clock.time_of(block * 480) - block * 10 * MS)
    assert max(map(abs, errors)) < 4 * MS


def test_a_stop_of_the_stream_is_followed_at_once() -> None:
    clock = StreamClock(48_000)
    clock.observe(0, 0)
    clock.observe(480, 500 * MS)
    assert clock.frame_at(500 * MS) == 480


@pytest.mark.parametrize("wrong_ms", [300, 60, -60, -300])
def test_a_single_false_report_is_taken_back_by_the_next(wrong_ms: int) -> None:
    clock = StreamClock(48_000)
    for block in range(100):
        clock.observe(block * 480, block * 10 * MS + (wrong_ms * MS if block == 50 else 0))
        if block > 50:
            assert abs(clock.time_of(block * 480) - block * 10 * MS) < MS


def test_a_stream_that_is_late_though_its_blocks_came_as_usual_is_believed_the_second_time() -> None:
    clock = StreamClock(48_000)
    for block in range(50):
        clock.observe(block * 480, block * 10 * MS, False)
    clock.observe(50 * 480, 600 * MS, False)
    assert clock.time_of(50 * 480) == 500 * MS
    clock.observe(51 * 480, 610 * MS, False)
    assert abs(clock.time_of(51 * 480) - 610 * MS) < MS


def test_frames_that_were_lost_are_believed_the_second_time() -> None:
    clock = StreamClock(48_000)
    for block in range(100):
        clock.observe(block * 480, (block - (10 if block >= 50 else 0)) * 10 * MS)
        if block > 50:
            assert abs(clock.time_of(block * 480) - (block - 10) * 10 * MS) < MS


def test_clock_drift_is_followed() -> None:
    clock = StreamClock(48_000)
    for block in range(6_000):
        clock.observe(block * 480, round(block * 10.001 * MS))  # 100 ppm slow, one minute
    assert abs(clock.time_of(5_999 * 480) - 5_999 * 10.001 * MS) < MS


def test_unset_clock_says_so() -> None:
    clock = StreamClock(16_000)
    assert clock.frame_at(0) is None
    with pytest.raises(ValueError, match="not been set"):
        clock.time_of(0)


def test_host_time_ignores_late_wakeups_and_follows_a_set_clock() -> None:
    host = HostTime()
    for late_ms in (0, 30, 5, 80):
        at = host.to_monotonic_ns(1_000.1, 1_000.0, 7 * NS_PER_S + late_ms * MS)
        assert at == pytest.approx(7.1 * NS_PER_S, abs=MS / 100)
    assert host.to_monotonic_ns(400.1, 400.0, 7 * NS_PER_S) == pytest.approx(7.1 * NS_PER_S, abs=MS / 100)
    assert host.to_monotonic_ns(2_000.1, 2_000.0, 7 * NS_PER_S) == pytest.approx(7.1 * NS_PER_S, abs=MS / 100)


def test_a_host_that_gives_no_times_or_false_ones_is_not_believed() -> None:
    host = HostTime(latency_s=0.05)
    for k in range(100):
        now_ns = (7_000 + 10 * k) * MS
        assert host.heard_ns(0.0, 0.0, now_ns) == pytest.approx(now_ns + 50 * MS, abs=MS)
    host = HostTime(latency_s=0.05)
    for dac_s in (0.0, -0.02, 2.0):  # before it is given, and two seconds hence
        assert host.heard_ns(1_000 + dac_s, 1_000.0, 7 * NS_PER_S) == pytest.approx(7.05 * NS_PER_S, abs=MS / 100)
        host = HostTime(latency_s=0.05)
    assert host.heard_ns(1_000.08, 1_000.0, 7 * NS_PER_S) == pytest.approx(7.08 * NS_PER_S, abs=MS / 100)
    assert host.recorded_ns(1_000.98, 1_001.0, 8 * NS_PER_S) == pytest.approx(7.98 * NS_PER_S, abs=MS / 100)
    assert host.recorded_ns(1_003.0, 1_002.0, 9 * NS_PER_S) == pytest.approx(8.95 * NS_PER_S, abs=MS / 100)


def test_full_queue_drops_the_oldest_and_counts() -> None:
    queue: DropOldestQueue[int] = DropOldestQueue(2)
    for item in (1, 2, 3):
        queue.put(item)
    assert (queue.get(0), queue.get(0), queue.get(0)) == (2, 3, None)
    assert queue.dropped == 1
    queue.put(4)
    queue.close()
    assert queue.get() is None
    queue.put(5)
    assert queue.get(0) is None
