"""Microphones and loudspeakers: what there is, and which one a name means. Pure; knows no PortAudio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kiosk.errors import AudioError

Direction: TypeAlias = Literal["input", "output"]

DEFAULT_NAME = "default"
_NOUN = {"input": "microphone", "output": "loudspeaker"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundDevice:
    """One device of the sound system; many are microphone and loudspeaker at once."""

    index: int
    """Number within the present device list; changes when the list is refreshed."""
    name: str
    """As the sound system calls it."""
    host: str
    """Sound system, such as ALSA, Windows WASAPI or Core Audio."""
    input_channels: int
    """0: no microphone."""
    output_channels: int
    """0: no loudspeaker."""
    sample_rate: int
    """Its own rate in Hz."""
    is_default_input: bool
    """The system's default microphone."""
    is_default_output: bool
    """The system's default loudspeaker."""

    def channels(self, direction: Direction) -> int:
        """Channels in this direction."""
        return self.input_channels if direction == "input" else self.output_channels

    def is_default(self, direction: Direction) -> bool:
        """The system's default in this direction."""
        return self.is_default_input if direction == "input" else self.is_default_output


def find_device(devices: Sequence[SoundDevice], direction: Direction, name: str = DEFAULT_NAME) -> SoundDevice:
    """Choose a device by the system's default or by a part of its name.

    Args:
        devices: The present list.
        direction: "input" for a microphone, "output" for a loudspeaker.
        name: "default", or part of a name in any case; an exact name is preferred, then the default device, then the
            first.

    Raises:
        AudioError: There is none; says which there are.
    """
    noun = _NOUN[direction]
    usable = [d for d in devices if d.channels(direction) > 0]
    if not usable:
        raise AudioError(f"no-{noun}", f"no {noun} found; plug one in or switch it on in the system's sound settings")
    if name.strip().lower() == DEFAULT_NAME:
        return min(usable, key=lambda d: not d.is_default(direction))
    wanted = name.strip().lower()
    matching = [d for d in usable if wanted in d.name.lower()]
    if not matching:
        known = ", ".join(d.name for d in usable)
        raise AudioError(
            f"no-{noun}", f'no {noun} named "{name}"; plug it in or set sound.{direction}_device to one of: {known}'
        )
    return min(matching, key=lambda d: (d.name.lower() != wanted, not d.is_default(direction)))
