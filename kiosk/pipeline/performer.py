"""Sound and mouth together: puts clips on the loudspeaker and poses the face for the sample that is heard."""

from __future__ import annotations

import time
from dataclasses import dataclass

from kiosk.audio.playback import Playback
from kiosk.events import SpeechClip
from kiosk.face.animator import FaceAnimator
from kiosk.face.motion import plan_motion
from kiosk.face.types import FacePose, Mood
from kiosk.pipeline.timeline import ClipOnAir, SpeechTimeline


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedSound:
    """News that a clip lies on the loudspeaker's queue."""

    clip: SpeechClip
    """What will be heard."""
    heard_ns: int
    """time.monotonic_ns() at which its first sample is expected to be heard."""


class Performer:
    """The one place where the clock of samples played meets the picture.

    `play` runs in the speaking thread, everything else in the window's thread.
    """

    def __init__(self, playback: Playback, animator: FaceAnimator) -> None:
        self._playback = playback
        self._animator = animator
        self._timeline = SpeechTimeline()

    def play(self, clip: SpeechClip) -> QueuedSound:
        """Queue a clip behind what is already queued."""
        track = plan_motion(clip.samples, clip.sample_rate, clip.phonemes)
        span = self._playback.enqueue(clip.samples, clip.sample_rate)
        self._timeline.add(ClipOnAir(span=span, track=track, clause=clip.clause))
        wait_frames = max(0, span.start - self._playback.played())
        wait_ns = wait_frames * 1_000_000_000 // self._playback.sample_rate
        return QueuedSound(clip=clip, heard_ns=time.monotonic_ns() + wait_ns)

    def stop(self) -> None:
        """Drop the sound; the mouth eases shut."""
        self._playback.clear()
        self._timeline.clear()

    def set_mood(self, mood: Mood) -> None:
        """Change the look of the face."""
        self._animator.set_mood(mood)

    @property
    def is_audible(self) -> bool:
        """Whether queued speech has not been heard to its end."""
        end = self._timeline.end
        return end is not None and self._playback.played() < end

    def pose(self) -> FacePose:
        """The face for the sample that is heard now."""
        played = self._playback.played()
        clip = self._timeline.at(played)
        if clip is None:
            return self._animator.pose(time.monotonic(), None, 0.0)
        return self._animator.pose(
            time.monotonic(), clip.track, (played - clip.span.start) / self._playback.sample_rate
        )
