"""Does the kiosk hear itself, and does it hear a visitor who talks over it? Real voices, canceller and detector.

    python -m tests.audio.measure_echo --sounds FOLDER [--minutes 2] [CONDITION ...]

The first run speaks all sentences into FOLDER, about two minutes of work. Without a condition all are measured.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kiosk.config import HearingConfig
from kiosk.hearing.segmenter import Segmenter
from kiosk.paths import checkpoints_dir
from models.endpointing.smart_turn import SmartTurn
from models.types import FloatArray
from models.vad.silero import SileroVad
from models.weights import locate
from tests.audio.echo_path import EchoPath
from tests.audio.echo_room import RATE, Room, listen, talk_over
from tests.audio.kiosk_speech import KIOSK_VOICES, kiosk_speech, visitor_speech

SOON_MS = 400


class Moving:
    """The loudspeaker's way changes every few seconds, as no real room does."""

    def __init__(self, every_s: float, **changing: list[Any]) -> None:
        """Take for each argument of `EchoPath` the values it has in turn."""
        count = len(next(iter(changing.values())))
        self._paths = [EchoPath(**{name: values[i] for name, values in changing.items()}) for i in range(count)]
        self._every = round(every_s * RATE)
        self._samples = 0

    def push(self, block: FloatArray) -> FloatArray:
        """See `EchoPath`; blocks of a second or less."""
        arrived = [path.push(block) for path in self._paths]
        now = self._samples // self._every % len(self._paths)
        self._samples += block.size
        return arrived[now]


@dataclass(frozen=True)
class Condition:
    """One room, with or without visitors."""

    name: str
    path: dict[str, Any] = field(default_factory=dict)
    drift_ppm: float = 1000.0
    visitors: int = 0
    relative_db: float = 0.0
    """The visitor's level at the microphone against the echo's."""
    time_error_ms: float = 0.0
    cancels: bool = True
    moving: Callable[[], Moving] | None = None


def _moving_delay() -> Moving:
    return Moving(10, delay_ms=[120.0, 250.0, 40.0, 300.0, 20.0], seed=[0, 1, 2, 3, 4])


def _moving_gain() -> Moving:
    return Moving(10, gain_db=[-10.0, 0.0, -20.0, -5.0])


CONDITIONS = (
    Condition("drift-0", drift_ppm=0),
    Condition("drift-fast"),
    Condition("drift-slow", drift_ppm=-1000),
    Condition("delay-20", {"delay_ms": 20.0}),
    Condition("delay-120", {"delay_ms": 120.0}),
    Condition("delay-300", {"delay_ms": 300.0}),
    Condition("gain-10", {"gain_db": -10.0, "seed": 1}),
    Condition("gain-0", {"gain_db": 0.0}),
    Condition("gain-20", {"gain_db": -20.0}),
    Condition("distorted", {"gain_db": 0.0, "clip": 0.5}),
    Condition("long-room", {"gain_db": -5.0, "rt60_s": 0.8}),
    Condition("delay-jumps", drift_ppm=0, moving=_moving_delay),
    Condition("gain-jumps", drift_ppm=0, moving=_moving_gain),
    Condition("wrong-times", time_error_ms=200.0),
    Condition("no-canceller", cancels=False),
    Condition("visitors", visitors=20),
    Condition("visitors-0", drift_ppm=0, visitors=20),
    Condition("visitors-slow", drift_ppm=-1000, visitors=20),
    Condition("visitors-300", {"delay_ms": 300.0}, visitors=20),
    Condition("visitors-loud", {"gain_db": 0.0, "clip": 0.5}, visitors=20),
    Condition("visitors-6", visitors=20, relative_db=-6.0),
    Condition("visitors-bare", visitors=20, cancels=False),
)
"""By default: 120 ms, -10 dB, a room of 0.4 s, a microphone that is 0.1 % fast."""


def real_ears() -> Segmenter:
    """The segmenter as the kiosk has it."""
    vad = SileroVad.load(locate("silero-vad", checkpoints_dir()) / "silero_vad.onnx")
    end_of_turn = SmartTurn.load(locate("smart-turn-v3.2", checkpoints_dir()) / "smart-turn-v3.2-cpu.onnx")
    return Segmenter(vad, end_of_turn, HearingConfig())


def measure(condition: Condition, folder: Path, minutes: float) -> None:
    """Print one line of the table."""
    if condition.visitors:
        minutes = max(minutes, condition.visitors / 8)
    seconds = minutes * 60 / len(KIOSK_VOICES)
    far = np.concatenate([kiosk_speech(folder, voice, seconds) for voice in range(len(KIOSK_VOICES))])
    path = condition.moving() if condition.moving else EchoPath(**condition.path, drift_ppm=condition.drift_ppm)
    level_db = condition.path.get("gain_db", -10.0) + condition.relative_db
    sound, visitors = None, []
    if condition.visitors:
        sound, visitors = talk_over(far.size, visitor_speech(folder), condition.visitors, level_db)
    room = Room(far, path, sound, drift_ppm=condition.drift_ppm, time_error_ms=condition.time_error_ms)
    heard = listen(room, real_ears, cancels=condition.cancels, bare=True)
    line = (
        f"{condition.name:14} {minutes:7.1f} {heard.of_nobody(visitors):8} {heard.of_nobody(visitors, bare=True):9}"
        f" {heard.own_share:6.0%} {heard.wall_s / (minutes * 60):6.3f}"
    )
    if visitors:
        delays = [visitor.delay_ms(heard.begins) for visitor in visitors]
        found = sorted(delay for delay in delays if delay is not None)
        soon = sum(delay <= SOON_MS for delay in found)
        line += f"   {soon:2} of {len(visitors)}  " + " ".join(f"{delay:.0f}" for delay in found)
        line += " never" * (len(visitors) - len(found))
    print(line, flush=True)


def main() -> None:
    """Parse the arguments, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("conditions", nargs="*", metavar="CONDITION", help=", ".join(c.name for c in CONDITIONS))
    parser.add_argument("--sounds", type=Path, required=True, help="folder in which the spoken sentences are kept")
    parser.add_argument("--minutes", type=float, default=2.0, help="of the kiosk's speech in each condition")
    arguments = parser.parse_args()
    unknown = set(arguments.conditions) - {condition.name for condition in CONDITIONS}
    if unknown:
        parser.error(f"no condition {', '.join(sorted(unknown))}")
    print("begins: speech noticed while nobody spoke; bare: the same without the gate; delays in ms")
    print(f"{'condition':14} minutes   begins      bare    own    rtf   within {SOON_MS} ms")
    for condition in CONDITIONS:
        if not arguments.conditions or condition.name in arguments.conditions:
            measure(condition, arguments.sounds, arguments.minutes)


if __name__ == "__main__":
    main()
