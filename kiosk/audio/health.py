"""Is the microphone alive? A pure state machine: blocks and time in, a status out."""

from __future__ import annotations

from enum import Enum

from kiosk.audio.clock import NS_PER_S

NO_BLOCK_NS = 11 * NS_PER_S // 5
"""A stream that has brought nothing for 2.2 s is lost, whatever it says (a pulled plug gives no error). PulseAudio's
null sinks need up to 2 s to begin."""
ZEROS_NS = 5 * NS_PER_S // 2
"""Exact zeros for so long: switched off, not permitted, or not there. A quiet room has noise of at least one bit."""


class MicStatus(Enum):
    """Can we hear?"""

    OK = "ok"
    ABSENT = "absent"
    """No microphone, or it was lost; it is looked for."""
    SILENT_DEVICE = "silent-device"
    """It gives exact zeros: muted, not permitted, or taken away from under the sound server."""
    CLOSED = "closed"


class MicHealth:
    """Judges a microphone by what it brings.

    A fault ends only with a sample that is not zero. Sound that comes while the loudspeaker plays counts neither way:
    a sound server gives the loudspeaker's own signal in place of a microphone that was pulled out.
    """

    def __init__(self, now_ns: int) -> None:
        self._status = MicStatus.OK
        self._opened_ns = now_ns
        self._last_block_ns = now_ns
        self._last_sound_ns = now_ns

    @property
    def status(self) -> MicStatus:
        """As of the last call."""
        return self._status

    def note_block(self, now_ns: int, is_zero: bool, is_loudspeaker_quiet: bool) -> None:
        """A block came.

        Args:
            now_ns: time.monotonic_ns().
            is_zero: Every sample is exactly 0.
            is_loudspeaker_quiet: Nothing is being played.
        """
        self._last_block_ns = now_ns
        if not is_zero and (is_loudspeaker_quiet or self._status is MicStatus.OK):
            self._last_sound_ns = now_ns
            self._status = MicStatus.OK
        self._judge(now_ns)

    def note_opened(self, now_ns: int) -> None:
        """The stream was opened (again); the fault stays until it has brought sound."""
        self._opened_ns = now_ns

    def note_absent(self) -> None:
        """There is no stream."""
        self._status = MicStatus.ABSENT

    def is_stalled(self, now_ns: int) -> bool:
        """The stream brings nothing."""
        return now_ns - max(self._last_block_ns, self._opened_ns) >= NO_BLOCK_NS

    def check(self, now_ns: int) -> MicStatus:
        """Judge without a block; call it several times a second."""
        self._judge(now_ns)
        return self._status

    def _judge(self, now_ns: int) -> None:
        if self.is_stalled(now_ns):
            self._status = MicStatus.ABSENT
        elif self._last_block_ns - self._last_sound_ns >= ZEROS_NS:
            self._status = MicStatus.SILENT_DEVICE
