"""A kiosk that hears itself, offline: two devices with clocks of their own, a room, a visitor."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from kiosk.audio.conversion import AudioBlock, StreamConverter
from kiosk.audio.echo import PROCESSING_DELAY_NS, EchoProcessor
from kiosk.audio.playback import RenderedBlock
from kiosk.hearing.results import SpeechBegan
from kiosk.hearing.segmenter import Segmenter
from models.types import FloatArray
from tests.audio.echo_path import EchoPath

RATE = 48_000
"""Hz, of both devices."""
BLOCK = RATE // 100
NS_PER_S = 1_000_000_000
OUTPUT_LATENCY_NS = 60_000_000
"""So long before it is heard a block is known."""
JITTER_MS = 1.5
NOISE_DB = -65.0
VOICED_DB = 40.0
"""A visitor's first voiced sample lies in the first 10 ms that are at most so far below the loudest ones."""


class Room:
    """Far end, near end and times as the devices report them."""

    def __init__(
        self,
        far: FloatArray,
        path: EchoPath,
        visitor: FloatArray | None = None,
        *,
        drift_ppm: float = 0.0,
        time_error_ms: float = 0.0,
        seed: int = 0,
    ) -> None:
        """Let the loudspeaker play.

        Args:
            far: What the loudspeaker plays, float32 mono at 48 kHz.
            path: From there to the microphone, with the same drift.
            visitor: What else arrives at the microphone, at 48 kHz, from the same moment on.
            drift_ppm: How much faster the microphone's clock runs.
            time_error_ms: The loudspeaker's times are wrong by so much.
            seed: Of the noise and of the times' jitter.
        """
        rng = np.random.default_rng(seed)
        self.far = far
        self._microphone_rate = RATE * (1 + drift_ppm * 1e-6)
        near = np.concatenate([path.push(far[at : at + RATE]) for at in range(0, far.size, RATE)])
        if visitor is not None:
            count = min(near.size, visitor.size)
            near[:count] += visitor[:count]
        near += rng.normal(0, 10 ** (NOISE_DB / 20), near.size).astype(np.float32)
        self.near = np.clip(near, -1, 1).astype(np.float32)
        self._rng = rng
        self._time_error_ns = round(time_error_ms * 1e6)
        self.recorded = 0
        """Samples that the microphone has given so far, at 48 kHz."""

    def _jitter_ns(self) -> int:
        return round(self._rng.uniform(-JITTER_MS, JITTER_MS) * 1e6)

    def devices(self) -> Iterator[RenderedBlock | AudioBlock]:
        """What both devices' threads bring, in the order of time."""
        converter = StreamConverter(RATE)
        far_at = 0
        for near_at in range(0, self.near.size - BLOCK + 1, BLOCK):
            first_ns = round(near_at / self._microphone_rate * NS_PER_S)
            while far_at + BLOCK <= self.far.size and far_at * NS_PER_S // RATE < first_ns + OUTPUT_LATENCY_NS:
                heard_ns = far_at * NS_PER_S // RATE + self._jitter_ns() + self._time_error_ns
                yield RenderedBlock(samples=self.far[far_at : far_at + BLOCK], sample_rate=RATE, heard_ns=heard_ns)
                far_at += BLOCK
            block = self.near[near_at : near_at + BLOCK, np.newaxis]
            self.recorded = near_at + BLOCK
            yield from converter.push(block, first_ns + self._jitter_ns())


@dataclass(frozen=True)
class TalkOver:
    """A visitor speaks while the kiosk does."""

    start: int
    """Sample of the microphone at 48 kHz: the first voiced one."""
    end: int

    def delay_ms(self, begins: Sequence[int]) -> float | None:
        """From the first voiced sample to the moment at which the ear noticed; None: it did not."""
        return next((1000 * (at - self.start) / RATE for at in begins if self.start < at < self.end), None)

    def covers(self, at: int) -> bool:
        """The ear noticed something that this visitor, or the last of the reverberation, may be."""
        return self.start < at < self.end + RATE


def talk_over(
    samples: int, clips: Sequence[FloatArray], count: int, gain_db: float, seed: int = 0
) -> tuple[FloatArray, list[TalkOver]]:
    """Visitors at random moments, after five seconds at the earliest, never two at once.

    Args:
        samples: Length of the sound at 48 kHz.
        clips: What they say, at the level of the kiosk's speech.
        count: Of visitors; must fit.
        gain_db: Level at the microphone against the loudspeaker's signal.
        seed: Of the moments.
    """
    sound = np.zeros(samples, np.float32)
    visitors = []
    room = (samples - 5 * RATE) // count
    rng = np.random.default_rng(seed)
    for number in range(count):
        clip = clips[number % len(clips)]
        at = 5 * RATE + number * room + int(rng.integers(max(1, room - clip.size - RATE)))
        sound[at : at + clip.size] += clip * 10 ** (gain_db / 20)
        levels = np.sqrt(np.mean(clip[: clip.size // BLOCK * BLOCK].reshape(-1, BLOCK) ** 2, axis=1))
        first_voiced = int(np.flatnonzero(levels > levels.max() * 10 ** (-VOICED_DB / 20))[0]) * BLOCK
        visitors.append(TalkOver(at + first_voiced, at + clip.size))
    return sound, visitors


@dataclass
class Heard:
    """What the ear made of a room."""

    begins: list[int] = field(default_factory=list)
    """When it noticed speech: what the microphone had recorded by then, in samples at 48 kHz."""
    bare_begins: list[int] = field(default_factory=list)
    """The same, had it not known the kiosk's own voice; only where `listen` was asked for it."""
    own_share: float = 0.0
    wall_s: float = 0.0

    def of_nobody(self, visitors: Sequence[TalkOver] = (), *, bare: bool = False) -> int:
        """How often speech was noticed while no visitor spoke."""
        begins = self.bare_begins if bare else self.begins
        return sum(not any(visitor.covers(at) for visitor in visitors) for at in begins)


def listen(room: Room, ears: Callable[[], Segmenter], *, cancels: bool = True, bare: bool = False) -> Heard:
    """Run canceller, gate and hearing over a room.

    Args:
        room: To be heard.
        ears: Makes a segmenter with the real networks.
        cancels: Off: the ear gets the bare microphone, with the gate's word for it.
        bare: A second ear listens that is not told the own voice.
    """
    started = time.perf_counter()
    echo, ear, bare_ear = EchoProcessor(), ears(), ears() if bare else None
    heard = Heard()
    own = blocks = 0
    for block in room.devices():
        if isinstance(block, RenderedBlock):
            echo.add_reference(block)
            continue
        cleaned = echo.process(block.samples, block.captured_ns)
        samples = cleaned if cancels else block.samples
        captured_ns = block.captured_ns - PROCESSING_DELAY_NS
        own, blocks = own + echo.is_own_voice, blocks + 1
        for result in ear.push(
            samples, captured_ns, echo.is_own_voice, echo.visitor_evidence or 0.0, to_recognise=echo.to_recognise
        ):
            if isinstance(result, SpeechBegan):
                heard.begins.append(room.recorded)
        for result in bare_ear.push(samples, captured_ns) if bare_ear else ():
            if isinstance(result, SpeechBegan):
                heard.bare_begins.append(room.recorded)
    heard.own_share = own / max(1, blocks)
    heard.wall_s = time.perf_counter() - started
    return heard
