"""Was all of an utterance the kiosk itself? What its first blocks leave open, the whole tells. Pure; one thread.

A hall's echo may look like a visitor for a moment, and then the sound is held at once. A visitor goes on: soon the
voice stands clearly out of what the loudspeaker explains, or is there when nothing of it can arrive any more.
"""

from __future__ import annotations

from collections import deque

CLEAR_EVIDENCE = 2.0
"""Evidence of a visitor that no echo has; measured: the kiosk's own voice 1.0-1.2, a visitor as loud 4-12."""
BEYOND_BLOCKS = 8
"""So many blocks of an utterance without anything of the kiosk's in them: somebody else spoke there."""
_REMEMBERED_BLOCKS = 3000
_BEFORE_NS = 150_000_000
"""The evidence with which an utterance began lies a little before its first voiced sample."""


class OwnDoubt:
    """Keeps what each block of the last half minute told."""

    def __init__(self) -> None:
        self._blocks: deque[tuple[int, float | None]] = deque(maxlen=_REMEMBERED_BLOCKS)

    def note(self, captured_ns: int, evidence: float | None) -> None:
        """Take 10 ms.

        Args:
            captured_ns: When its last sample reached the microphone.
            evidence: Of a visitor, 1 being just enough; None while nothing of the kiosk's can be in it.
        """
        self._blocks.append((captured_ns, evidence))

    def is_own(self, start_ns: int, end_ns: int) -> bool:
        """Whether speech from the first to the last voiced sample was the kiosk's, as far as can be told."""
        within = [evidence for at, evidence in self._blocks if start_ns - _BEFORE_NS <= at <= end_ns]
        sounding = [evidence for evidence in within if evidence is not None]
        return bool(sounding) and len(within) - len(sounding) < BEYOND_BLOCKS and max(sounding) < CLEAR_EVIDENCE
