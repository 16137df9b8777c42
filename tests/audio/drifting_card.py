"""A loudspeaker with a clock of its own: drifts, trembles, stalls, runs dry, and says what drivers say about it.

It keeps what its converter emits, so that a test can ask which sample is heard at any moment.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from kiosk.audio.clock import HostTime
from kiosk.audio.devices import Direction, SoundDevice
from kiosk.audio.host import BlockCallback, BlockTime, SoundStream
from kiosk.errors import AudioError
from models.types import FloatArray
from tests.audio.fake_host import FakeTime, device

HOST_EPOCH_S = 5_000.0
"""The sound system's own clock shows so much more than `time.monotonic`."""
KEPT_S = 1.0


class Report(Enum):
    """What the driver says about the time at which a block is heard."""

    JITTER = "jitter"
    """The truth within 8 ms, as a sound server does, and once in 2,000 blocks something wrong by up to 0.3 s."""
    ZERO = "zero"
    """Nothing: all times are 0."""
    PAST = "past"
    """20 ms ago."""


@dataclass(frozen=True, kw_only=True)
class Model:
    """What kind of loudspeaker."""

    name: str = "HDMI"
    rate: int = 48_000
    ppm: float = 0.0
    """How much faster its clock runs than `time.monotonic`."""
    latency_s: float = 0.055
    """What its buffer holds when full."""
    block_s: float = 0.01
    report: Report = Report.JITTER


class DriftingStream:
    """One opening; the test calls `call_back` at `next_ns`."""

    def __init__(self, time: FakeTime, model: Model, on_block: BlockCallback, rng: np.random.Generator) -> None:
        self.model = model
        self._time = time
        self._on_block = on_block
        self._rng = rng
        self._host_time = HostTime(model.latency_s)
        self._frames = round(model.block_s * model.rate)
        self._speed = 1 + model.ppm * 1e-6
        self._stopped_ns = 0  # of all stalls that are over
        self._stall: tuple[int, int] | None = None
        self._began_ns = 0
        self._called_ns = 0
        self._end_s = 0.0  # of what was written, by the device's clock
        self._emitted: deque[tuple[float, FloatArray]] = deque()
        self._lateness_ns = 0
        self.is_running = False
        self.is_dead = False
        """The plug is pulled: no callback ever again, and no error either."""
        self.underruns = 0

    def start(self) -> None:
        self._began_ns = self._called_ns = self._time()
        self.is_running = True
        self._be_late()

    def close(self) -> None:
        self.is_running = False

    def stall(self, seconds: float) -> None:
        """Stand still from now on and then go on where it stood."""
        self._stopped_ns += self._standing_ns(self._time())
        self._stall = (self._time(), round(seconds * 1e9))

    def move(self, latency_s: float) -> None:
        """The sound server takes the stream to a loudspeaker with more delay: a gap, and a larger buffer to fill."""
        self.stall(latency_s - self.model.latency_s)
        self.model = replace(self.model, latency_s=latency_s)

    def clock_s(self, at_ns: int) -> float:
        """The device's clock."""
        return (at_ns - self._began_ns - self._stopped_ns - self._standing_ns(at_ns)) * 1e-9 * self._speed

    @property
    def next_ns(self) -> int:
        """When it asks for the next block."""
        return self._due_ns() + self._lateness_ns

    def call_back(self) -> None:
        """Ask for a block; the time must be `next_ns`."""
        due_ns, now_ns = self._due_ns(), self._time()
        self._called_ns = now_ns
        start_s = max(self._end_s, self.clock_s(now_ns))
        self.underruns += start_s > self._end_s and bool(self._emitted)
        truth_ns = self._moment_ns(start_s)
        dac_s, host_now_s = self._times(truth_ns, due_ns)
        block = np.empty((self._frames, 2), np.float32)
        self._on_block(block, BlockTime(now_ns, self._host_time.heard_ns(dac_s, host_now_s, now_ns), False))
        self._emitted.append((start_s, block[:, 0]))
        self._end_s = start_s + self._frames / self.model.rate
        while self._emitted[0][0] < self._end_s - KEPT_S:
            self._emitted.popleft()
        self._be_late()

    def heard(self, at_ns: int) -> FloatArray:
        """Up to three samples from the one that is emitted at this moment on; empty when none is."""
        at_s = self.clock_s(at_ns)
        for start_s, samples in reversed(self._emitted):
            if start_s <= at_s:
                i = int((at_s - start_s) * self.model.rate)
                return samples[i : i + 3]
        return np.zeros(0, np.float32)

    def _due_ns(self) -> int:
        free_s = self._end_s - (self.model.latency_s - self.model.block_s)
        return max(self._called_ns, self._moment_ns(max(0.0, free_s)))

    def _moment_ns(self, clock_s: float) -> int:
        """When the device's clock shows this."""
        at_ns = self._began_ns + self._stopped_ns + round(clock_s / self._speed * 1e9)
        if self._stall is not None and at_ns > self._stall[0]:
            at_ns += self._stall[1]
        return at_ns

    def _standing_ns(self, at_ns: int) -> int:
        return 0 if self._stall is None else min(max(0, at_ns - self._stall[0]), self._stall[1])

    def _times(self, truth_ns: int, due_ns: int) -> tuple[float, float]:
        host_now_s = HOST_EPOCH_S + due_ns * 1e-9
        if self.model.report is Report.ZERO:
            return 0.0, 0.0
        if self.model.report is Report.PAST:
            return host_now_s - 0.02, host_now_s
        error_s = self._rng.uniform(-0.008, 0.008)
        if self._rng.random() < 1 / 2_000:
            error_s = self._rng.uniform(-0.3, 0.3)
        return HOST_EPOCH_S + truth_ns * 1e-9 + error_s, host_now_s

    def _be_late(self) -> None:
        """Python is let run a little late, at times much later, and once in 20,000 blocks too late."""
        chance = self._rng.random()
        if chance < 1 / 20_000:
            late_s = 0.03 + self.model.latency_s
        elif chance < 1 / 500:
            late_s = self._rng.uniform(0.005, 0.03)
        else:
            late_s = self._rng.exponential(0.0005)
        self._lateness_ns = round(late_s * 1e9)


class DriftingHost:
    """A sound system whose only loudspeaker is `model`; another one counts from the next refresh on."""

    def __init__(self, time: FakeTime, model: Model, seed: int = 0) -> None:
        self.time = time
        self.model: Model | None = model
        self.streams: list[DriftingStream] = []
        self._listed = self.model
        self._rng = np.random.default_rng(seed)

    def devices(self) -> tuple[SoundDevice, ...]:
        return () if self._listed is None else (device(0, self._listed.name, outputs=2, rate=self._listed.rate),)

    def open_stream(
        self, direction: Direction, device: SoundDevice, sample_rate: int, channels: int, on_block: BlockCallback
    ) -> SoundStream:
        if self.model is None or self.model.name != device.name or sample_rate != self.model.rate:
            raise AudioError("device-refused", f"{device.name} refuses {sample_rate} Hz")
        self.streams.append(DriftingStream(self.time, self.model, on_block, self._rng))
        return self.streams[-1]

    def refresh(self) -> None:
        assert not any(stream.is_running for stream in self.streams)
        self._listed = self.model

    @property
    def stream(self) -> DriftingStream | None:
        """The one that runs."""
        return self.streams[-1] if self.streams and self.streams[-1].is_running else None

    def switch(self, model: Model | None) -> None:
        """Pull the plug without a word, and put another loudspeaker (or none) in its place."""
        if self.stream is not None:
            self.stream.is_dead = True
        self.model = model
