"""Sound and mouth together: puts clips on the loudspeaker and poses the face for the sample that is heard.

It knows which turn may be heard. Clips of a turn that has not begun, or that come while the sound is held because
somebody speaks, are kept. What was held goes on where it was cut if that was a moment ago, else at the beginning of
that clause.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace

import numpy as np

from kiosk.audio.playback import FADE_S, Playback
from kiosk.audio.playqueue import PlaybackSpan
from kiosk.dialogue.heard import PlayedClause, text_heard
from kiosk.events import SpeechClip
from kiosk.face.animator import FaceAnimator
from kiosk.face.motion import plan_motion
from kiosk.face.types import FacePose, Mood, MotionTrack
from kiosk.pipeline.steady import SteadyPosition
from kiosk.pipeline.timeline import ClipOnAir, SpeechTimeline
from models.types import FloatArray

MOMENT_S = 0.5
"""After so short a silence an answer goes on in mid-word and is understood all the same."""


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
    skipped_s: float = 0.0  # so much of it does not lie in the span
    cut_s: float = 0.0  # where it was cut when it was held
    heard_s: float = 0.0  # how far it had been heard then, or ever before


class Performer:
    """The one place where the clock of samples played meets the picture.

    `play` runs in the speaking thread or the window's, everything else in the window's thread.
    """

    def __init__(self, playback: Playback, animator: FaceAnimator) -> None:
        self._playback = playback
        self._animator = animator
        self._timeline = SpeechTimeline()
        self._position = SteadyPosition()
        self._lock = threading.Lock()
        self._admitted = 0
        self._is_held = False
        self._cut = 0  # the frame at which the sound was cut for holding it
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
                self._cut = self._playback.clear()
                self._keep_unheard(self._cut)
                self._timeline.clear()
            return any(line.span is None for line in self._lines)

    def resume(self) -> list[QueuedSound]:
        """Go on where the sound was cut, or at that clause; words that were to bridge the wait come too late."""
        with self._lock:
            self._is_held = False
            self._lines = [line for line in self._lines if line.span is not None or not line.clip.clause.is_filler]
            silent_s = (self._playback.played() - self._cut) / self._playback.sample_rate
            return self._start_waiting(goes_on=silent_s < MOMENT_S)

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
                clauses[clause.index] = PlayedClause(
                    known.written,
                    known.language,
                    known.total_s + _seconds(line.clip),
                    known.heard_s + _heard_s(line, played),
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
        return self._animator.pose(now_s, clip.track, clip.start_s + (played - clip.span.start) / rate)

    def _start_waiting(self, *, goes_on: bool = False) -> list[QueuedSound]:
        """Queue all clips of the admitted turn that wait, or what has not sounded of them; with the lock held."""
        started = []
        for number, line in enumerate(self._lines):
            if line.span is not None or line.clip.turn_id != self._admitted:
                continue
            clip = line.clip
            skipped_s = line.cut_s if goes_on else 0.0
            span = self._playback.enqueue(_rest_of(clip, skipped_s), clip.sample_rate)
            self._lines[number] = replace(line, span=span, skipped_s=skipped_s)
            self._timeline.add(ClipOnAir(span=span, track=line.track, clause=clip.clause, start_s=skipped_s))
            wait_frames = max(0, span.start - self._playback.played())
            wait_ns = wait_frames * 1_000_000_000 // self._playback.sample_rate
            started.append(QueuedSound(clip=clip, heard_ns=time.monotonic_ns() + wait_ns))
        return started

    def _keep_unheard(self, cut: int) -> None:
        """Let all clips wait from the beginning of the clause that sounded at this frame; with the lock held."""
        first = next((n for n, line in enumerate(self._lines) if line.span and line.span.stop > cut), None)
        if first is None:
            return
        clause = self._lines[first].clip.clause
        while first and self._lines[first - 1].clip.clause is clause:
            first -= 1
        kept = [line for line in self._lines[first:] if not line.clip.clause.is_filler]
        self._lines[first:] = [
            replace(line, span=None, cut_s=_reached_s(line, cut), heard_s=_heard_s(line, cut)) for line in kept
        ]


def _reached_s(line: _Line, played: int) -> float:
    """The place in a clip at a frame of the loudspeaker."""
    span = line.span
    if span is None or span.stop == span.start:
        return line.cut_s
    share = min(1.0, max(0.0, (played - span.start) / (span.stop - span.start)))
    return line.skipped_s + share * (_seconds(line.clip) - line.skipped_s)


def _heard_s(line: _Line, played: int) -> float:
    return max(line.heard_s, _reached_s(line, played))


def _seconds(clip: SpeechClip) -> float:
    return len(clip.samples) / clip.sample_rate


def _rest_of(clip: SpeechClip, skipped_s: float) -> FloatArray:
    """Its samples from there on, faded in."""
    if skipped_s == 0:
        return clip.samples
    samples = clip.samples[round(skipped_s * clip.sample_rate) :].copy()
    fade = min(len(samples), round(FADE_S * clip.sample_rate))
    samples[:fade] *= np.linspace(0.0, 1.0, fade, dtype=np.float32)
    return samples
