"""Sound and mouth together: puts clips on the loudspeaker and poses the face for the sample that is heard.

It knows which turn may be heard. Clips of a turn that has not begun, or that come while the sound is held because
somebody speaks, are kept; what was held goes on at the beginning of the clause in which it was cut.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace

from kiosk.audio.playback import Playback
from kiosk.audio.playqueue import PlaybackSpan
from kiosk.dialogue.heard import PlayedClause, text_heard
from kiosk.events import SpeechClip
from kiosk.face.animator import FaceAnimator
from kiosk.face.motion import plan_motion
from kiosk.face.types import FacePose, Mood, MotionTrack
from kiosk.pipeline.steady import SteadyPosition
from kiosk.pipeline.timeline import ClipOnAir, SpeechTimeline


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedSound:
    """News that a clip lies on the loudspeaker's queue."""

    clip: SpeechClip
    """What will be heard."""
    heard_ns: int
    """time.monotonic_ns() at which its first sample is expected to be heard."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A clip of the turn that is heard."""

    clip: SpeechClip
    track: MotionTrack
    span: PlaybackSpan | None = None  # None: it waits
    heard: float = 0.0  # share that was heard before it was held


class Performer:
    """The one place where the clock of samples played meets the picture.

    `play` runs in the speaking thread, everything else in the window's thread.
    """

    def __init__(self, playback: Playback, animator: FaceAnimator) -> None:
        self._playback = playback
        self._animator = animator
        self._timeline = SpeechTimeline()
        self._position = SteadyPosition()
        self._lock = threading.Lock()
        self._admitted = 0
        self._is_held = False
        self._lines: list[_Line] = []

    def play(self, clip: SpeechClip) -> QueuedSound | None:
        """Queue a clip behind what is already queued, or keep it for later.

        Returns:
            When it will be heard; None when it waits for `admit` or `resume`, or belongs to a turn that is over.
        """
        track = plan_motion(clip.samples, clip.sample_rate, clip.phonemes)
        with self._lock:
            if clip.turn_id < self._admitted:
                return None
            self._lines.append(_Line(clip, track))
            return self._start_waiting()[-1] if clip.turn_id == self._admitted and not self._is_held else None

    def admit(self, turn_id: int) -> list[QueuedSound]:
        """Let a turn be heard and drop what waits of older ones; what sounds already goes on until `stop`."""
        with self._lock:
            self._admitted = turn_id
            self._is_held = False
            self._lines = [line for line in self._lines if line.clip.turn_id >= turn_id]
            return self._start_waiting()

    def hold(self) -> bool:
        """Be silent because somebody speaks, and keep what was not heard yet; the mouth eases shut.

        Returns:
            Whether any sound was cut or waits.
        """
        with self._lock:
            if not self._is_held:
                self._is_held = True
                self._rewind(self._playback.played())
                self._playback.clear()
                self._timeline.clear()
            return any(line.span is None for line in self._lines)

    def resume(self) -> list[QueuedSound]:
        """Go on at the clause that was cut; words that were to bridge the wait come too late."""
        with self._lock:
            self._is_held = False
            self._lines = [line for line in self._lines if line.span is not None or not line.clip.clause.is_filler]
            return self._start_waiting()

    def stop(self) -> None:
        """Drop the sound; the mouth eases shut."""
        with self._lock:
            self._is_held = False
            self._lines.clear()
            self._playback.clear()
            self._timeline.clear()

    def heard(self, turn_id: int) -> str:
        """What was heard of a turn's answer so far, as written, cut at a word. Empty once it was dropped."""
        with self._lock:
            played = self._playback.played()
            clauses: dict[int, PlayedClause] = {}
            for line in self._lines:
                clause = line.clip.clause
                if clause.turn_id != turn_id or clause.is_filler:
                    continue
                known = clauses.get(clause.index) or PlayedClause(clause.written, clause.language, 0.0, 0.0)
                seconds = len(line.clip.samples) / line.clip.sample_rate
                clauses[clause.index] = PlayedClause(
                    known.written,
                    known.language,
                    known.total_s + seconds,
                    known.heard_s + seconds * _share(line, played),
                )
        return text_heard([clauses[index] for index in sorted(clauses)])

    def set_mood(self, mood: Mood) -> None:
        """Change the look of the face."""
        self._animator.set_mood(mood)

    @property
    def is_held(self) -> bool:
        """Silent because somebody speaks."""
        return self._is_held

    @property
    def is_audible(self) -> bool:
        """Whether speech of the admitted turn has not been heard to its end; held speech counts."""
        with self._lock:
            if any(line.span is None and line.clip.turn_id == self._admitted for line in self._lines):
                return True
        end = self._timeline.end
        return end is not None and self._playback.played() < end

    def pose(self) -> FacePose:
        """The face for the sample that is heard now."""
        now_s, rate = time.monotonic(), self._playback.sample_rate
        played = self._position.follow(self._playback.played(), rate, now_s)
        clip = self._timeline.at(played)
        if clip is None:
            return self._animator.pose(now_s, None, 0.0)
        return self._animator.pose(now_s, clip.track, (played - clip.span.start) / rate)

    def _start_waiting(self) -> list[QueuedSound]:
        """Queue all clips of the admitted turn that wait; with the lock held."""
        started = []
        for number, line in enumerate(self._lines):
            if line.span is not None or line.clip.turn_id != self._admitted:
                continue
            clip = line.clip
            span = self._playback.enqueue(clip.samples, clip.sample_rate)
            self._lines[number] = replace(line, span=span)
            self._timeline.add(ClipOnAir(span=span, track=line.track, clause=clip.clause))
            wait_frames = max(0, span.start - self._playback.played())
            wait_ns = wait_frames * 1_000_000_000 // self._playback.sample_rate
            started.append(QueuedSound(clip=clip, heard_ns=time.monotonic_ns() + wait_ns))
        return started

    def _rewind(self, played: int) -> None:
        """Let all clips wait from the beginning of the clause that was being heard; with the lock held."""
        cut = next((n for n, line in enumerate(self._lines) if line.span and line.span.stop > played), None)
        if cut is None:
            return
        clause = self._lines[cut].clip.clause
        while cut and self._lines[cut - 1].clip.clause is clause:
            cut -= 1
        kept = [line for line in self._lines[cut:] if not line.clip.clause.is_filler]
        self._lines[cut:] = [replace(line, span=None, heard=_share(line, played)) for line in kept]


def _share(line: _Line, played: int) -> float:
    span = line.span
    if span is None or span.stop == span.start:
        return line.heard
    return max(line.heard, min(1.0, (played - span.start) / (span.stop - span.start)))
