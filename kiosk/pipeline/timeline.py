"""What is on the air: which clip the loudspeaker plays at which sample, and what the mouth does then."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from kiosk.audio.playqueue import PlaybackSpan
from kiosk.events import ReplyClause
from kiosk.face.types import MotionTrack


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipOnAir:
    """One clip with its place on the clock of samples played."""

    span: PlaybackSpan
    """Where it is heard, in device frames."""
    track: MotionTrack
    """What the mouth does meanwhile."""
    clause: ReplyClause
    """What is said."""
    start_s: float = 0.0
    """Time of the track at the first frame."""


class SpeechTimeline:
    """Clips in the order in which they are heard. Used by the speaking thread (adds) and the window (reads)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._clips: list[ClipOnAir] = []

    def add(self, clip: ClipOnAir) -> None:
        """Put a clip behind the others."""
        with self._lock:
            self._clips.append(clip)

    def clear(self) -> None:
        """Forget all clips: the sound was dropped."""
        with self._lock:
            self._clips.clear()

    def at(self, position: int) -> ClipOnAir | None:
        """The clip that is heard at this device frame, or the last one that ended before it; forgets older ones.

        A clip that has ended is still given so that the mouth can ease shut from where it was.
        """
        with self._lock:
            while len(self._clips) > 1 and self._clips[1].span.start <= position:
                self._clips.pop(0)
            return self._clips[0] if self._clips and self._clips[0].span.start <= position else None

    @property
    def end(self) -> int | None:
        """The device frame at which the last clip ends; None when there is none."""
        with self._lock:
            return self._clips[-1].span.stop if self._clips else None
