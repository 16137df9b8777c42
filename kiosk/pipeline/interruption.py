"""An answer that was cut: by what, and what was heard of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class InterruptedBy(Enum):
    """What ended an answer before its end."""

    VOICE = "voice"
    STOP = "stop"
    TOUCH = "touch"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interruption:
    """An answer that was cut."""

    turn_id: int
    """Of the answer."""
    by: InterruptedBy
    """By what."""
    heard: str
    """What the visitor heard of it, as written."""
