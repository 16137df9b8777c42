"""What is heard of which turn, with a loudspeaker that moves by hand."""

from __future__ import annotations

import numpy as np
import pytest

from kiosk.audio.playback import Playback
from kiosk.audio.playqueue import PlaybackSpan
from kiosk.events import ReplyClause, SpeechClip
from kiosk.face.animator import FaceAnimator
from kiosk.pipeline.performer import MOMENT_S, Performer
from models.types import FloatArray, PhonemeTime

RATE = 24_000


class HandPlayback(Playback):
    """Plays as far as it is told."""

    def __init__(self) -> None:
        self.now = 0
        self.end = 0
        self.cleared = 0
        self.gaps = 0
        """Frames of silence between two clips that did not follow each other at once."""

    @property
    def sample_rate(self) -> int:
        return RATE

    def enqueue(self, samples: FloatArray, sample_rate: int) -> PlaybackSpan:
        start = max(self.end, self.now)
        self.gaps += start - self.end if self.end else 0
        self.end = start + len(samples)
        return PlaybackSpan(start, self.end)

    def played(self) -> int:
        return self.now

    def clear(self) -> int:
        self.end = self.now
        self.cleared += 1
        return self.now


@pytest.fixture
def loudspeaker() -> HandPlayback:
    return HandPlayback()


@pytest.fixture
def performer(loudspeaker: HandPlayback) -> Performer:
    return Performer(loudspeaker, FaceAnimator(seed=1))


def clause(turn_id: int, index: int, written: str, *, is_filler: bool = False) -> ReplyClause:
    return ReplyClause(
        turn_id=turn_id, index=index, written=written, spoken=written, language="zh", is_filler=is_filler
    )


def clip(of: ReplyClause, seconds: float = 1.0) -> SpeechClip:
    samples = np.full(int(seconds * RATE), 0.1, np.float32)
    phonemes = (PhonemeTime(symbol="a", start_s=0.0, end_s=seconds),)
    return SpeechClip(turn_id=of.turn_id, clause=of, samples=samples, sample_rate=RATE, phonemes=phonemes)


def test_a_turn_that_has_not_begun_is_not_heard_until_it_is_admitted(performer: Performer) -> None:
    performer.admit(1)
    assert performer.play(clip(clause(2, 0, "早"))) is None
    assert not performer.is_audible
    (sound,) = performer.admit(2)
    assert sound.clip.turn_id == 2
    assert performer.is_audible


def test_a_turn_that_never_begins_is_dropped_with_the_next(performer: Performer, loudspeaker: HandPlayback) -> None:
    performer.admit(1)
    performer.play(clip(clause(2, 0, "早")))
    assert performer.admit(3) == []
    assert loudspeaker.end == 0


def test_nothing_of_an_older_turn_is_heard_any_more(performer: Performer, loudspeaker: HandPlayback) -> None:
    performer.admit(2)
    assert performer.play(clip(clause(1, 0, "晚"))) is None
    performer.resume()
    assert (loudspeaker.end, performer.is_audible) == (0, False)


def test_held_speech_goes_on_at_the_clause_that_was_cut(performer: Performer, loudspeaker: HandPlayback) -> None:
    performer.admit(1)
    first, second = clause(1, 0, "我们周六也开门，"), clause(1, 1, "上午十点到下午三点。")
    for of in (first, second, second):
        performer.play(clip(of))
    loudspeaker.now = int(2.5 * RATE)  # in the second part of the second clause
    assert performer.hold()
    assert (loudspeaker.cleared, performer.is_audible, performer.is_held) == (1, True, True)
    assert performer.play(clip(clause(1, 2, "周日不开门。"))) is None
    loudspeaker.now += RATE
    resumed = performer.resume()
    assert [sound.clip.clause.index for sound in resumed] == [1, 1, 2]
    assert loudspeaker.end == loudspeaker.now + 3 * RATE


def test_after_a_moment_held_speech_goes_on_where_it_was_cut(performer: Performer, loudspeaker: HandPlayback) -> None:
    performer.admit(1)
    of = clause(1, 0, "上午十点到下午三点。")
    for _ in range(3):
        performer.play(clip(of))
    for cut_s, heard in ((1.25, "上午十点"), (1.75, "上午十点到")):
        began = loudspeaker.now
        loudspeaker.now = began + int((cut_s - (0 if began == 0 else 1.25)) * RATE)
        performer.hold()
        loudspeaker.now += int((MOMENT_S - 0.1) * RATE)
        performer.resume()
        assert loudspeaker.end == loudspeaker.now + int((3 - cut_s) * RATE)
        assert performer.heard(1) == heard


def test_what_is_said_again_is_cut_where_it_is_then(performer: Performer, loudspeaker: HandPlayback) -> None:
    performer.admit(1)
    performer.play(clip(clause(1, 0, "上午十点到下午三点。"), 2.0))
    loudspeaker.now = int(1.5 * RATE)
    performer.hold()
    loudspeaker.now += 2 * RATE
    performer.resume()  # from its beginning
    loudspeaker.now += RATE // 2
    performer.hold()
    loudspeaker.now += RATE // 10
    performer.resume()
    assert loudspeaker.end == loudspeaker.now + int(1.5 * RATE)
    assert performer.heard(1) == "上午十点到下午"


def test_a_filler_is_not_said_again(performer: Performer, loudspeaker: HandPlayback) -> None:
    performer.admit(1)
    performer.play(clip(clause(1, -1, "", is_filler=True)))
    performer.play(clip(clause(1, 0, "九点。")))
    loudspeaker.now = RATE // 2
    performer.hold()
    assert [sound.clip.clause.index for sound in performer.resume()] == [0]


def test_what_was_heard_is_told_before_and_after_holding(performer: Performer, loudspeaker: HandPlayback) -> None:
    performer.admit(1)
    performer.play(clip(clause(1, -1, "", is_filler=True)))
    performer.play(clip(clause(1, 0, "我们周六也开门，")))
    performer.play(clip(clause(1, 1, "开户请带身份证。")))
    loudspeaker.now = int(2.5 * RATE)
    assert performer.heard(1) == "我们周六也开门，开户请带"
    performer.hold()
    loudspeaker.now += 5 * RATE
    assert performer.heard(1) == "我们周六也开门，开户请带"
    assert performer.heard(2) == ""


def test_holding_when_all_was_heard_keeps_nothing(performer: Performer, loudspeaker: HandPlayback) -> None:
    performer.admit(1)
    performer.play(clip(clause(1, 0, "九点。")))
    loudspeaker.now = 2 * RATE
    assert not performer.hold()
    assert performer.resume() == []


def test_stop_drops_what_waits_and_what_is_held(performer: Performer, loudspeaker: HandPlayback) -> None:
    performer.admit(1)
    performer.play(clip(clause(1, 0, "九点。")))
    performer.hold()
    performer.stop()
    assert performer.resume() == []
    assert not performer.is_audible
