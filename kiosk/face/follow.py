"""The mouth's place in a clip: follows the samples played, and closes when they stop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kiosk.face.types import UNIT_NAMES, MotionTrack
from models.types import FloatArray

STALL_S = 0.12  # the position stands still that long: the sound has run dry, the mouth must not hang open
_OVERRUN_S = 0.05  # the position is so far past the end of a clip: what goes on with its sound is not there yet
CATCH_UP = 1.1  # after a late picture the mouth goes on this much faster than its usual pace, not in one leap
CATCH_UP_S = 0.034  # and at least this much a picture
MAX_BEHIND_S = 0.035  # what a slow screen may be behind the sound for it
_MAX_USUAL_S = 0.1
_PACE_SHARE = 0.1  # of each new picture in the usual time between pictures
_EASE_S = 0.16  # from any shape to the one that is due, when speech stops, stalls, or another clip begins


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechShape:
    """What speech asks of the face at one moment."""

    units: FloatArray
    """Shape (52,)."""
    close: float
    """0..1."""
    loudness: float
    """0..1."""


class SpeechFollower:
    """Reads a track at the played position; never jumps, whatever the track or the sound do."""

    def __init__(self) -> None:
        self._shown = np.zeros(len(UNIT_NAMES) + 2, np.float32)  # units, close, loudness
        self._left_over = np.zeros_like(self._shown)
        self._age_s = _EASE_S
        self._track: MotionTrack | None = None
        self._position_s = -1.0
        self._heard_s = -1.0
        self._usual_s = CATCH_UP_S
        self._still_s = 0.0
        self._was_speaking = False

    def _run_on(self, elapsed_s: float) -> FloatArray:
        """What the clip of the last call would show now, or at its end."""
        due = np.zeros_like(self._shown)
        if self._track is not None and self._was_speaking:
            due = sample_track(self._track, self._position_s + elapsed_s)
        return due + self._left_over * max(0.0, 1 - (self._age_s + elapsed_s) / _EASE_S)

    def _caught_up(self, position_s: float) -> float:
        """Where the mouth stands: with the sound, or on its way there after a picture that came late."""
        reach = self._position_s + max(CATCH_UP_S, CATCH_UP * self._usual_s)
        return min(position_s, max(reach, position_s - MAX_BEHIND_S))

    def update(self, elapsed_s: float, track: MotionTrack | None, position_s: float) -> SpeechShape:
        """Advance by `elapsed_s` seconds.

        Args:
            elapsed_s: Since the last call.
            track: Of the clip that plays, None when nothing plays.
            position_s: Seconds of that clip that were really played.
        """
        same = track is self._track
        backwards = same and position_s < self._heard_s
        self._still_s = self._still_s + elapsed_s if same and position_s == self._heard_s else 0.0
        self._heard_s = position_s
        at = self._caught_up(position_s) if same and not backwards else position_s
        self._usual_s += (min(elapsed_s, _MAX_USUAL_S) - self._usual_s) * _PACE_SHARE
        speaking = track is not None and self._still_s < STALL_S and at < track.end_s + _OVERRUN_S
        due = sample_track(track, at) if track is not None and speaking else np.zeros_like(self._shown)
        if not same or backwards or speaking != self._was_speaking:
            self._left_over, self._age_s = self._run_on(elapsed_s) - due, -elapsed_s
        self._track, self._position_s, self._was_speaking = track, at, speaking
        self._age_s += elapsed_s
        self._shown = due + self._left_over * max(0.0, 1 - self._age_s / _EASE_S)
        return SpeechShape(units=self._shown[:-2], close=float(self._shown[-2]), loudness=float(self._shown[-1]))


def sample_track(track: MotionTrack, position_s: float) -> FloatArray:
    """Units, close and loudness at a moment by linear interpolation, shape (54,).

    At rest before the track; after it as at its end, which is at rest, too, unless another clip goes on with it.
    """
    out = np.zeros(len(UNIT_NAMES) + 2, np.float32)
    columns = len(track.close)
    at = min(position_s * track.rate, columns - 1)
    if columns == 0 or at < 0:
        return out
    first = min(int(at), columns - 1)
    second, share = min(first + 1, columns - 1), np.float32(at - first)
    out[:-2] = track.units[first] + (track.units[second] - track.units[first]) * share
    out[-2] = track.close[first] + (track.close[second] - track.close[first]) * share
    out[-1] = track.loudness[first] + (track.loudness[second] - track.loudness[first]) * share
    return out
