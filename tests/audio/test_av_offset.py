"""The picture stays on the sound: against a loudspeaker with a clock, faults and habits of its own."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from kiosk.audio.offset import LIMIT_MS, RECENT, AvOffset
from kiosk.audio.playback import SpeakerStatus
from tests.audio.av_soak import Seen, Soak
from tests.audio.drifting_card import Model, Report

MINUTE_S = 60


def holds(seen: Seen, seconds: float, limit_ms: float = LIMIT_MS, drift_ms: float = 2) -> None:
    """Within the limit all the time, and no further off in the end than in the beginning."""
    print(seen.summary())
    assert len(seen.offsets_ms) > 30 * seconds, "hardly anything was compared"
    assert np.abs(seen.offsets_ms).max() <= limit_ms
    tenth = seconds / 10
    start, end = seen.between(0, tenth), seen.between(seconds - tenth, seconds)
    assert end.mean() == pytest.approx(start.mean(), abs=drift_ms)


@pytest.mark.parametrize("ppm", [-100, 0, 100])
def test_no_drift_between_the_clocks_adds_up(ppm: float) -> None:
    seen = Soak(Model(ppm=ppm)).run(10 * MINUTE_S)
    holds(seen, 10 * MINUTE_S, drift_ms=1)
    assert np.percentile(np.abs(seen.offsets_ms), 99) < 5
    assert np.abs(seen.estimates_ms).max() < 10


@pytest.mark.soak
@pytest.mark.parametrize("ppm", [-100, 0, 100])
def test_LR_01_a_working_day_ends_as_it_began(ppm: float) -> None:
    soak = Soak(Model(ppm=ppm, block_s=0.02))
    deeds = {600.0 * k: lambda: _stall(soak, 1.5) for k in range(1, 48)}
    holds(soak.run(8 * 60 * MINUTE_S, deeds), 8 * 60 * MINUTE_S)


def _stall(soak: Soak, seconds: float) -> None:
    assert soak.host.stream is not None
    soak.host.stream.stall(seconds)


@pytest.mark.parametrize("stall_s", [0.02, 0.1, 0.5, 1.5, 2.0])
def test_a_loudspeaker_that_stalls_is_waited_for(stall_s: float) -> None:
    soak = Soak(Model(ppm=100))
    seen = soak.run(2 * MINUTE_S, {10.0 * k: lambda: _stall(soak, stall_s) for k in range(1, 11)})
    holds(seen, 2 * MINUTE_S)


@pytest.mark.parametrize("report", [Report.ZERO, Report.PAST])
def test_a_driver_that_gives_no_times_is_not_believed(report: Report) -> None:
    holds(Soak(Model(report=report, ppm=100)).run(5 * MINUTE_S), 5 * MINUTE_S)


@pytest.mark.parametrize(("latency_s", "block_s"), [(0.025, 0.005), (0.04, 0.01), (0.2, 0.02)])
def test_fast_and_slow_outputs_alike(latency_s: float, block_s: float) -> None:
    holds(Soak(Model(latency_s=latency_s, block_s=block_s)).run(5 * MINUTE_S), 5 * MINUTE_S)


@pytest.mark.parametrize("rate", [44_100, 48_000, 16_000])
def test_in_mid_answer_another_output_takes_over(rate: int) -> None:
    """The answer goes on within 3 s, at the right place, whatever rate and delay the other has; no clip is lost."""
    soak = Soak(Model())
    bluetooth = Model(name="Bluetooth", rate=rate, latency_s=0.2, block_s=0.02, ppm=-80)
    seen = soak.run(MINUTE_S, {20.0: lambda: soak.host.switch(bluetooth), 40.0: lambda: soak.host.switch(Model())})
    print([f"{start:.1f}" for start in np.array(seen.seconds)[1:][np.diff(seen.seconds) > 1]])
    assert len(soak.host.streams) == 3
    for gone_s in (20.0, 40.0):
        after = [at for at in seen.seconds if at > gone_s]
        assert after[0] <= gone_s + 3
    holds(seen, MINUTE_S)


def test_what_nobody_could_hear_is_not_played_later() -> None:
    soak = Soak(Model())
    statuses: list[SpeakerStatus] = []
    soak.playback.on_status = statuses.append
    played: list[int] = []
    soak.run(
        MINUTE_S,
        {
            20.0: lambda: soak.host.switch(None),
            23.0: lambda: played.append(soak.playback.played()),
            33.0: lambda: played.append(soak.playback.played()),
            33.1: lambda: soak.host.switch(Model()),
        },
    )
    assert statuses == [SpeakerStatus.OK, SpeakerStatus.ABSENT, SpeakerStatus.OK, SpeakerStatus.CLOSED]
    assert played[1] - played[0] == pytest.approx(10 * 48_000, abs=480)
    holds(soak.seen, MINUTE_S * 0.6)


def test_the_sound_server_moves_the_stream_to_an_output_with_more_delay() -> None:
    soak = Soak(Model(latency_s=0.055))

    def move() -> None:
        assert soak.host.stream is not None
        soak.host.stream.move(0.3)

    seen = soak.run(MINUTE_S, {20.0: move})
    assert np.abs(seen.between(0, 20)).max() <= LIMIT_MS
    assert np.abs(seen.between(20.5, MINUTE_S)).max() <= LIMIT_MS
    assert soak.playback.worst_offset_ms < 300


def test_what_a_beginning_device_says_is_not_judged() -> None:
    offset = AvOffset()
    for k in range(RECENT):
        offset.observe(480 * k, 480 * k + (9_600 if k < 5 else 0), 48_000)
    assert offset.worst_ms == 0


def test_the_watch_tells_and_asks_for_correction(caplog: pytest.LogCaptureFixture) -> None:
    offset = AvOffset()
    with caplog.at_level(logging.INFO, "audio"):
        assert not any(offset.observe(480 * k, 480 * k, 48_000) for k in range(RECENT))
        asked = [offset.observe(480 * k + 2_400, 480 * k, 48_000) for k in range(RECENT)]
    assert asked[-1]
    assert not asked[RECENT // 2 - 2]  # a single false report, or twenty, is no offset
    assert offset.ms == pytest.approx(50)
    assert [record.message for record in caplog.records] == ["picture and sound are 50 ms apart"]
    offset.restart()
    assert offset.ms == 0
    assert offset.worst_ms == pytest.approx(50)
