"""What the segmenter reports while it listens: frozen results, in the order in which they happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from kiosk.events import EndedBy
from models.types import FloatArray

DropReason: TypeAlias = Literal["gate", "no-speech"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechBegan:
    """Somebody speaks, or holds the talk button."""

    speech_start_ns: int
    """Capture time of the first voiced sample, or of the press."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechPaused:
    """A pause that may be the end.

    Recognition can begin; its result holds if the turn ends at the same `speech_end_ns`.
    """

    samples: FloatArray
    """The turn so far, float32 mono at 16 kHz, exactly what `SpeechEnded` will carry if nothing is said any more."""
    speech_end_ns: int
    """Capture time of the last voiced sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechResumed:
    """The speaker went on: what was recognised since the pause is worth nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechEnded:
    """The turn is over."""

    samples: FloatArray
    """Float32 mono at 16 kHz from the pre-roll to a little after the last voiced sample, shape (n,)."""
    speech_start_ns: int
    """Capture time of the first voiced sample, or of the press."""
    speech_end_ns: int
    """Capture time of the last voiced sample."""
    ended_by: EndedBy
    """Which rule closed the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechDropped:
    """What began is thrown away; no `SpeechEnded` follows."""

    reason: DropReason
    """The gate was closed; or no word came: a button pressed by mistake, a noise over the kiosk's voice."""


HearingResult: TypeAlias = SpeechBegan | SpeechPaused | SpeechResumed | SpeechEnded | SpeechDropped
