"""What staff may know about a running kiosk, as one frozen value: for operator page, health file and `doctor`.

It holds no word that a visitor said or heard. Times of day are time.time(), in seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

FORMAT = 1
"""Of the JSON; another number is not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageFacts:
    """One stage."""

    name: str
    """Such as "recogniser"."""
    state: str
    """A value of `kiosk.pipeline.progress.StageState`."""
    since_s: float
    """Time of day at which the state began."""
    turn_id: int | None = None
    """The turn that it works on."""
    restarts: int = 0
    """How often it was started again."""
    restarted_at_s: float | None = None
    """Time of day of the last restart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFacts:
    """Microphone or loudspeaker."""

    name: str
    """As the sound system calls it; empty when there is none."""
    state: str
    """A value of `MicStatus` or `SpeakerStatus`."""
    level: float | None = None
    """Loudness at the microphone, 0..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFacts:
    """How long one turn took."""

    at_s: float
    """Time of day of its first sound."""
    parts_ms: Mapping[str, float]
    """As in `kiosk.pipeline.latency.TurnLatency.parts_ms`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFacts:
    """Something that went wrong."""

    at_s: float
    """Time of day."""
    stage: str
    """Where."""
    message: str
    """One line that says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorFacts:
    """The kiosk at one moment."""

    pid: int
    """Its process."""
    started_after_boot_s: float
    """Start of the process; with the pid it names the process whatever is done to the clock."""
    written_ns: int
    """time.monotonic_ns() of this moment, which all processes of a machine share."""
    uptime_s: float
    """Since the start."""
    phase: str
    """A value of `kiosk.ui.state.Phase`."""
    stages: tuple[StageFacts, ...] = ()
    """In the order of loading."""
    microphone: DeviceFacts = field(default_factory=lambda: DeviceFacts(name="", state="closed"))
    """What is heard with."""
    loudspeaker: DeviceFacts = field(default_factory=lambda: DeviceFacts(name="", state="closed"))
    """What is spoken with."""
    turns: tuple[TurnFacts, ...] = ()
    """The last turns, the newest first."""
    av_offset_ms: float | None = None
    """How far the picture is ahead of the sound; below 0 it is behind. None while unknown."""
    resident_bytes: int = 0
    """Memory of the process."""
    available_bytes: int = 0
    """Memory that the machine could still give."""
    errors: tuple[ErrorFacts, ...] = ()
    """The last errors, the newest first."""


def to_table(facts: OperatorFacts) -> dict[str, Any]:
    """For json.dumps."""
    return {"format": FORMAT, **asdict(facts)}


def from_table(table: object) -> OperatorFacts | None:
    """Read what `to_table` gave; None when it is of another format or damaged."""
    if not isinstance(table, dict) or table.get("format") != FORMAT:
        return None
    fields = {key: value for key, value in table.items() if key != "format"}
    try:
        fields["stages"] = tuple(StageFacts(**stage) for stage in fields["stages"])
        fields["turns"] = tuple(TurnFacts(**turn) for turn in fields["turns"])
        fields["errors"] = tuple(ErrorFacts(**error) for error in fields["errors"])
        fields["microphone"] = DeviceFacts(**fields["microphone"])
        fields["loudspeaker"] = DeviceFacts(**fields["loudspeaker"])
        return OperatorFacts(**fields)
    except (KeyError, TypeError):
        return None
