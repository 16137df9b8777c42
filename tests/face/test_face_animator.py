"""The acting face: time in, poses out."""

import numpy as np
import pytest

from kiosk.face.animator import FaceAnimator
from kiosk.face.follow import MAX_BEHIND_S, SpeechFollower, sample_track
from kiosk.face.life import Blinks
from kiosk.face.motion import RATE, lip_opening, unit_openings
from kiosk.face.types import UNIT_NAMES, FacePose, Mood, MotionTrack

FPS = 30
BLINK = UNIT_NAMES.index("eyeBlinkLeft")
MOUTH = [i for i, name in enumerate(UNIT_NAMES) if name.startswith(("jaw", "mouth")) and "Smile" not in name]


def open_track(seconds=2.0, jaw=0.3):
    """Opens within 0.2 s, stays open, closes within the last 0.2 s."""
    t = np.arange(round(seconds * RATE) + 1) / RATE
    shape = np.clip(np.minimum(t, seconds - t) / 0.2, 0, 1).astype(np.float32)
    units = np.zeros((len(t), len(UNIT_NAMES)), np.float32)
    units[:, UNIT_NAMES.index("jawOpen")] = jaw * shape
    return MotionTrack(rate=RATE, units=units, close=np.zeros_like(shape), loudness=shape)


def opening(pose: FacePose) -> float:
    mouth = np.zeros_like(pose.units)
    mouth[MOUTH] = pose.units[MOUTH]
    track = MotionTrack(rate=1, units=mouth[None], close=np.array([pose.close], np.float32))
    return float(lip_opening(track)[0])


def run(animator, seconds, track=None, position=lambda t: t, start=0.0, fps=FPS):
    times = start + np.arange(round(seconds * fps)) / fps
    return times, [animator.pose(t, track, position(t - start)) for t in times]


def test_the_mouth_follows_the_position_not_the_clock():
    track = open_track()
    _, poses = run(FaceAnimator(0), 1.0, track, position=lambda t: 0.5 * t)  # the sound runs at half speed
    assert opening(poses[3]) == pytest.approx(lip_opening(track)[round(0.5 * 3 / FPS * RATE)], abs=0.01)


def test_same_seed_and_times_give_the_same_poses():
    track = open_track()
    for a, b in zip(run(FaceAnimator(7), 3, track)[1], run(FaceAnimator(7), 3, track)[1], strict=True):
        np.testing.assert_array_equal(a.units, b.units)
        assert (a.roll_degrees, a.shift) == (b.roll_degrees, b.shift)
    assert run(FaceAnimator(8), 1)[1][20].roll_degrees != run(FaceAnimator(7), 1)[1][20].roll_degrees


def test_the_mouth_is_still_without_speech_in_every_mood():
    animator = FaceAnimator(0)
    for start, mood in enumerate(Mood):
        animator.set_mood(mood)
        _, poses = run(animator, 4, start=4 * start)
        assert max(abs(opening(p)) for p in poses) < 0.005
        assert max(p.units[MOUTH].max() for p in poses) < 0.01


def ramp_track(seconds=2.0):
    """Closes evenly from beginning to end."""
    track = open_track(seconds)
    close = np.linspace(0, 1, len(track.close), dtype=np.float32)
    return MotionTrack(rate=RATE, units=track.units, close=close, loudness=track.loudness)


def test_a_late_picture_is_caught_up_with_over_several():
    follower, track = SpeechFollower(), ramp_track()
    times = np.delete(np.arange(34), 9) / FPS + 0.1  # one picture is left out
    shown = [follower.update(1 / FPS, track, float(t)).close for t in times]
    steps = np.diff(shown)[6:]  # the first ones ease into the clip
    assert steps.max() < 1.3 * np.median(steps)
    assert shown[-1] == pytest.approx(sample_track(track, float(times[-1]))[-2], abs=0.01)


def test_a_slow_screen_stays_with_the_sound():
    follower, track = SpeechFollower(), ramp_track()
    times = np.arange(0.1, 1.9, 1 / 8)
    shown = [follower.update(1 / 8, track, float(t)).close for t in times]
    late = [sample_track(track, float(t) - MAX_BEHIND_S)[-2] for t in times]
    assert all(close >= least - 1e-3 for close, least in zip(shown[2:], late[2:], strict=True))


def test_the_mouth_closes_within_a_fifth_of_a_second_when_speech_is_cut_off():
    animator, track = FaceAnimator(0), open_track()
    run(animator, 1.0, track)
    _, poses = run(animator, 0.4, None, start=1.0)
    gaps = [opening(p) for p in poses]
    assert gaps[0] > 0.1  # no jump to closed
    assert max(gaps[round(0.2 * FPS) :]) < 0.005
    assert np.abs(np.diff(gaps)).max() < 0.1 * 0.76


def test_the_mouth_closes_while_the_sound_stalls_and_goes_on_after():
    animator, track = FaceAnimator(0), open_track(4.0)
    run(animator, 1.0, track)
    _, stalled = run(animator, 1.0, track, position=lambda t: 1.0 - 1 / FPS, start=1.0)
    gaps = [opening(p) for p in stalled]
    assert max(gaps[round(0.4 * FPS) :]) < 0.005
    _, poses = run(animator, 0.5, track, position=lambda t: 1.0 + t, start=2.0)
    gaps = [opening(p) for p in poses]
    assert gaps[-1] > 0.1
    assert np.abs(np.diff(gaps)).max() < 0.1 * 0.76


def test_the_next_clip_takes_over_without_a_jump():
    animator = FaceAnimator(0)
    _, first = run(animator, 1.0, open_track(jaw=0.35))
    _, second = run(animator, 0.5, open_track(jaw=0.2), start=1.0)
    gaps = [opening(p) for p in first[-3:] + second]
    assert np.abs(np.diff(gaps)).max() < 0.1 * 0.76


def test_the_mouth_stays_open_where_one_clip_goes_on_with_another() -> None:
    def cut_track() -> MotionTrack:
        whole = open_track()
        first = slice(0, RATE)  # of its two seconds
        return MotionTrack(
            rate=RATE, units=whole.units[first], close=whole.close[first], loudness=whole.loudness[first]
        )

    animator = FaceAnimator(0)
    _, first = run(animator, 1.0, cut_track())
    _, second = run(animator, 0.5, open_track(), position=lambda t: t + 1.0, start=1.0)
    steady = opening(first[20])
    assert min(opening(p) for p in first[20:] + second) > 0.9 * steady > 0.1


def test_the_mouth_closes_when_what_should_go_on_with_a_clip_is_late() -> None:
    whole = open_track()
    cut = MotionTrack(rate=RATE, units=whole.units[:RATE], close=whole.close[:RATE], loudness=whole.loudness[:RATE])
    animator = FaceAnimator(0)
    _, poses = run(animator, 1.4, cut)  # the position runs past the end of the clip
    gaps = [opening(p) for p in poses]
    assert gaps[round(0.99 * FPS)] > 0.1
    assert max(gaps[round(1.25 * FPS) :]) < 0.005
    assert np.abs(np.diff(gaps)).max() < 0.1 * 0.76


def test_a_clip_that_ends_closes_the_mouth_as_planned():
    animator, track = FaceAnimator(0), open_track(1.0)
    _, poses = run(animator, 1.0, track)
    _, after = run(animator, 0.2, None, start=1.0)
    assert opening(after[0]) < 0.01  # nothing left over from the last frame
    assert opening(poses[15]) > 0.1


def test_blinks_come_every_two_to_four_and_a_half_seconds_and_last_a_quarter_second():
    times, poses = run(FaceAnimator(3), 60, fps=100)
    lids = np.array([p.units[BLINK] for p in poses])
    shut = lids > 0.5
    starts = times[1:][np.diff(shut.astype(int)) == 1]
    assert 12 <= len(starts) <= 36
    gaps = np.diff(starts)
    assert ((gaps > 1.9) & (gaps < 4.8) | (gaps < 0.5)).all()  # or a double blink
    assert lids.max() > 0.95
    assert shut.mean() < 0.1


def test_blinks_are_seen_at_low_frame_rates():
    lids = [Blinks(np.random.default_rng(5)).at(t) for t in (0.0, 0.1)]
    assert lids == [0.0, 0.0]
    blinks = Blinks(np.random.default_rng(5))
    assert max(blinks.at(t) for t in np.arange(0, 20, 1 / 15)) > 0.9


def test_head_moves_slowly_and_little():
    _, poses = run(FaceAnimator(2), 30)
    roll = np.array([p.roll_degrees for p in poses])
    down = np.array([p.shift[1] for p in poses])
    assert 0.3 < np.ptp(roll) < 3
    assert 0.005 < np.ptp(down) < 0.05
    assert np.abs(np.diff(roll)).max() < 0.2
    assert np.abs(np.diff(down)).max() < 0.002


def test_moods_differ_and_change_without_jumps():
    animator, rest = FaceAnimator(1), {}
    previous = None
    for start, mood in enumerate((Mood.IDLE, Mood.LISTENING, Mood.THINKING, Mood.SPEAKING)):
        animator.set_mood(mood)
        _, poses = run(animator, 3, start=3 * start)
        rest[mood] = np.mean([[p.roll_degrees, p.units[UNIT_NAMES.index("eyeLookUpLeft")],
                               p.units[UNIT_NAMES.index("browOuterUpLeft")]] for p in poses[60:]], 0)  # fmt: skip
        for pose in poses:
            if previous is not None:
                assert abs(pose.roll_degrees - previous.roll_degrees) < 0.5
                changed = np.abs(pose.units - previous.units)
                assert np.delete(changed, [BLINK, BLINK + 1]).max() < 0.35  # eyes jump, nothing else does
            previous = pose
    assert rest[Mood.LISTENING][0] > rest[Mood.IDLE][0] + 1
    assert rest[Mood.LISTENING][2] > rest[Mood.IDLE][2] + 0.2
    assert rest[Mood.THINKING][1] > 0.3
    assert rest[Mood.THINKING][0] < rest[Mood.IDLE][0] - 0.5


def test_a_long_gap_between_calls_does_not_leap():
    animator = FaceAnimator(0)
    animator.pose(0.0, None, 0.0)
    before = animator.pose(0.03, None, 0.0)
    after = animator.pose(1000.0, None, 0.0)
    assert abs(after.roll_degrees - before.roll_degrees) < 0.5
    assert animator.pose(999.0, None, 0.0).roll_degrees == after.roll_degrees  # a clock set back stands still


def test_unit_openings_are_those_of_the_basis():
    assert unit_openings()[UNIT_NAMES.index("jawOpen")] == pytest.approx(0.536, abs=0.01)
