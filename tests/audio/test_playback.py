"""The loudspeaker on a fake device: every frame at its place."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from kiosk.audio.manager import DeviceManager
from kiosk.audio.playback import OVERDUE_NS, Playback, RenderedBlock, SpeakerStatus
from kiosk.audio.playqueue import PlaybackSpan, PlayQueue
from kiosk.config import SoundConfig
from kiosk.errors import AudioError
from models.types import FloatArray
from tests.audio.fake_host import LATENCY_NS, LOUDSPEAKER, FakeHost, FakeTime

RATE = 48_000
LATENCY_FRAMES = LATENCY_NS * RATE // 10**9


class Player:
    """A playback whose checks happen only when the test says so."""

    def __init__(self, host: FakeHost) -> None:
        self.host = host
        self.devices = StillDevices(host, host.time)
        self.playback = Playback(self.devices, host.time)

    def play(self, blocks: int, frames: int = 480) -> FloatArray:
        """Let the device take blocks; gives the left channel."""
        return np.concatenate([self.host.stream("output").play(frames)[:, 0] for _ in range(blocks)])


class StillDevices(DeviceManager):
    """Without its thread: the test calls `check`."""

    def _watch(self) -> None:
        pass


@pytest.fixture
def player(fake_host: FakeHost) -> Iterator[Player]:
    player = Player(fake_host)
    player.playback.open(SoundConfig(volume=1.0))
    yield player
    player.playback.close()
    assert all(stream.is_closed for stream in fake_host.streams)


def ramp(frames: int) -> FloatArray:
    return np.linspace(0.1, 0.9, frames, dtype=np.float32)


def test_a_clip_is_heard_exactly_where_promised(player: Player) -> None:
    player.play(3)
    first, second = player.playback.enqueue(ramp(1_000), RATE), player.playback.enqueue(ramp(333), RATE)
    assert (first, second) == (PlaybackSpan(1_440, 2_440), PlaybackSpan(2_440, 2_773))
    heard = player.play(4)
    np.testing.assert_array_equal(heard[:1_333], np.concatenate((ramp(1_000), ramp(333))))
    assert not heard[1_333:].any()


def test_odd_block_sizes_change_nothing(player: Player) -> None:
    player.playback.enqueue(ramp(5_000), RATE)
    heard = np.concatenate([player.play(1, frames) for frames in (1, 551, 7, 1_024, 330, 2_087, 1_500)])
    np.testing.assert_array_equal(heard[:5_000], ramp(5_000))
    assert not heard[5_000:].any()


def test_both_channels_sound(player: Player) -> None:
    player.playback.enqueue(ramp(480), RATE)
    block = player.host.stream("output").play(480)
    np.testing.assert_array_equal(block[:, 0], block[:, 1])


def test_another_rate_is_resampled_whole(player: Player) -> None:
    span = player.playback.enqueue(np.ones(22_050, np.float32), 22_050)
    assert span.stop - span.start == RATE


def test_the_clip_stays_the_senders(player: Player) -> None:
    clip = ramp(960)
    player.playback.enqueue(clip, RATE)
    player.play(1)
    player.playback.clear()
    np.testing.assert_array_equal(clip, ramp(960))


def test_played_is_what_was_heard_and_never_more(player: Player, fake_time: FakeTime) -> None:
    assert player.playback.played() == 0
    player.playback.enqueue(ramp(RATE), RATE)
    player.play(20)
    assert player.playback.played() == pytest.approx(20 * 480 - LATENCY_FRAMES, abs=1)
    fake_time.advance(0.005)
    assert player.playback.played() == pytest.approx(20 * 480 - LATENCY_FRAMES + 240, abs=1)
    fake_time.advance(0.5)  # the device asks for nothing: it may play what it holds, or stand still
    waiting = player.playback.played()
    assert 20 * 480 - LATENCY_FRAMES < waiting <= 20 * 480
    assert waiting == 20 * 480 - LATENCY_FRAMES + (OVERDUE_NS - 10_000_000) * RATE // 10**9
    fake_time.advance(5)
    assert player.playback.played() == waiting
    player.devices.check()  # lost: what it held has been heard, or will never be
    assert player.playback.played() == 20 * 480


def test_played_never_runs_backwards(player: Player, fake_time: FakeTime) -> None:
    player.play(20)
    fake_time.advance(0.05)
    before = player.playback.played()
    player.play(1)  # the device had a pause: its next block comes later than the clock thought
    assert player.playback.played() >= before


def test_clear_fades_out_and_what_follows_starts_at_once(player: Player) -> None:
    player.playback.enqueue(np.ones(RATE, np.float32), RATE)
    player.play(2)
    end = player.playback.clear()
    assert end == 960 + 480  # 10 ms
    after = player.playback.enqueue(np.full(480, 0.5, np.float32), RATE)
    assert after.start == end
    heard = player.play(4)
    assert heard[0] == 1.0
    assert (np.diff(heard[:480]) <= 0).all()
    assert heard[479] == 0.0
    np.testing.assert_array_equal(heard[480:960], np.full(480, 0.5, np.float32))
    assert not heard[960:].any()


def test_clear_of_nothing_is_nothing(player: Player) -> None:
    player.play(1)
    assert player.playback.clear() <= 480
    assert not player.play(2).any()


def test_idle_means_heard_not_handed_over(player: Player, fake_time: FakeTime) -> None:
    assert player.playback.is_idle
    player.playback.enqueue(ramp(480), RATE)
    assert not player.playback.is_idle
    player.play(1)
    assert player.playback.queued_s == 0
    assert not player.playback.is_idle
    player.play(6)
    assert player.playback.is_idle


def test_volume_changes_without_a_step(player: Player) -> None:
    player.playback.enqueue(np.ones(4_800, np.float32), RATE)
    player.play(1)
    player.playback.volume = 0.5
    heard = player.play(2)
    assert heard[-1] == 0.5
    assert np.abs(np.diff(heard)).max() < 0.01


def test_the_reference_is_what_the_loudspeaker_gets(player: Player, fake_time: FakeTime) -> None:
    rendered: list[RenderedBlock] = []
    player.playback.on_rendered = rendered.append
    player.playback.volume = 0.5
    player.playback.enqueue(ramp(960), RATE)
    started_ns = fake_time()
    heard = player.play(3)
    np.testing.assert_array_equal(np.concatenate([block.samples for block in rendered]), heard)
    assert [block.heard_ns - started_ns for block in rendered] == [LATENCY_NS + k * 10_000_000 for k in range(3)]


def test_quiet_waits_for_the_rooms_echo(player: Player, fake_time: FakeTime) -> None:
    player.playback.enqueue(ramp(480), RATE)
    player.play(2)
    assert not player.playback.is_quiet
    player.play(20)
    assert player.playback.is_quiet


def test_without_a_loudspeaker_a_reply_still_ends(fake_host: FakeHost, fake_time: FakeTime) -> None:
    fake_host.plugged.clear()
    fake_host.refresh()
    player = Player(fake_host)
    player.playback.open(SoundConfig())
    assert player.playback.status is SpeakerStatus.ABSENT
    assert "plug one in" in player.playback.message
    span = player.playback.enqueue(ramp(48_000), RATE)
    for _ in range(8):
        fake_time.advance(0.2)
        player.devices.check()
    assert player.playback.played() >= span.stop
    assert player.playback.is_idle
    player.playback.close()


def test_a_lost_loudspeaker_comes_back_without_a_backlog(player: Player, fake_time: FakeTime) -> None:
    player.playback.enqueue(ramp(2 * RATE), RATE)
    player.play(10)
    player.host.pull(LOUDSPEAKER)
    player.devices.check()
    assert player.playback.status is SpeakerStatus.ABSENT
    for _ in range(20):
        fake_time.advance(0.2)
        player.devices.check()
    player.host.plugged.append(LOUDSPEAKER)
    for _ in range(20):
        fake_time.advance(0.2)
        player.devices.check()
    assert player.playback.status is SpeakerStatus.OK
    assert not player.play(10).any()  # its two seconds are long over
    before = player.playback.played()
    player.play(100)
    assert player.playback.played() - before == pytest.approx(48_000, abs=30_000)
    assert player.playback.is_idle


def test_another_device_may_have_another_rate(player: Player, fake_time: FakeTime) -> None:
    player.play(10)
    player.host.pull(LOUDSPEAKER)
    player.host.plugged.append(LOUDSPEAKER)
    player.host.refused_rates = {48_000}
    before = player.playback.played()
    for _ in range(30):
        fake_time.advance(0.2)
        player.devices.check()
    assert player.playback.status is SpeakerStatus.OK
    assert player.playback.sample_rate == 44_100
    span = player.playback.enqueue(np.ones(RATE, np.float32), RATE)
    assert span.stop - span.start == 44_100
    assert span.start >= player.playback.played() >= before


def test_a_closed_playback_refuses(fake_host: FakeHost) -> None:
    playback = Player(fake_host).playback
    with pytest.raises(AudioError, match="closed"):
        playback.enqueue(ramp(10), RATE)
    playback.close()


def test_queue_keeps_gaps_silent() -> None:
    queue = PlayQueue()
    block = np.ones(100, np.float32)
    assert queue.fill(block) == 0
    assert not block.any()
    assert queue.append(np.ones(50, np.float32)) == PlaybackSpan(100, 150)
    assert queue.append(np.zeros(0, np.float32)) == PlaybackSpan(150, 150)
    assert queue.fill(block) == 100
    assert block.sum() == 50
    assert queue.append(np.ones(1, np.float32)) == PlaybackSpan(200, 201)
