"""A sound system without hardware: the test feeds and takes blocks, moves time and pulls plugs."""

from __future__ import annotations

import numpy as np

from kiosk.audio.devices import Direction, SoundDevice
from kiosk.audio.host import BlockCallback, BlockTime, SoundStream
from kiosk.errors import AudioError
from models.types import FloatArray

LATENCY_NS = 50_000_000


class FakeTime:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now_ns = 1_000_000_000_000

    def __call__(self) -> int:
        return self.now_ns

    def advance(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)


def device(index: int, name: str, inputs: int = 0, outputs: int = 0, rate: int = 48_000) -> SoundDevice:
    """A device that is the default in the directions it has."""
    return SoundDevice(
        index=index,
        name=name,
        host="Fake",
        input_channels=inputs,
        output_channels=outputs,
        sample_rate=rate,
        is_default_input=inputs > 0,
        is_default_output=outputs > 0,
    )


MICROPHONE = device(0, "USB microphone", inputs=1, rate=44_100)
LOUDSPEAKER = device(1, "HDMI loudspeaker", outputs=2, rate=48_000)


class FakeStream:
    """Runs only when the test says so."""

    def __init__(
        self, host: FakeHost, direction: Direction, rate: int, channels: int, on_block: BlockCallback
    ) -> None:
        self._host = host
        self.direction = direction
        self.sample_rate = rate
        self.channels = channels
        self._on_block = on_block
        self.is_running = False
        self.is_closed = False

    def start(self) -> None:
        self.is_running = True

    def close(self) -> None:
        self.is_running = False
        self.is_closed = True

    def play(self, frames: int) -> FloatArray:
        """Ask for a block as a loudspeaker does, then let its time pass; gives what is heard."""
        block = np.full((frames, self.channels), np.nan, np.float32)
        now_ns = self._host.time()
        self._on_block(block, BlockTime(now_ns, now_ns + LATENCY_NS, False))
        self._host.time.advance(frames / self.sample_rate)
        return block

    def record(self, block: FloatArray) -> None:
        """Let the time of a block pass, then bring it as a microphone does; shape (frames, channels)."""
        self._host.time.advance(block.shape[0] / self.sample_rate)
        now_ns = self._host.time()
        self._on_block(block, BlockTime(now_ns, now_ns - round(block.shape[0] / self.sample_rate * 1e9), False))


class FakeHost:
    """What is plugged in counts from the next refresh on, as with PortAudio."""

    def __init__(self, time: FakeTime) -> None:
        self.time = time
        self.plugged: list[SoundDevice] = [MICROPHONE, LOUDSPEAKER]
        self.refused_rates: set[int] = set()
        self.streams: list[FakeStream] = []
        self.refreshes = 0
        self._listed = tuple(self.plugged)

    def devices(self) -> tuple[SoundDevice, ...]:
        return self._listed

    def open_stream(
        self, direction: Direction, device: SoundDevice, sample_rate: int, channels: int, on_block: BlockCallback
    ) -> SoundStream:
        if device not in self.plugged or sample_rate in self.refused_rates:
            raise AudioError("device-refused", f"{device.name} refuses {sample_rate} Hz")
        stream = FakeStream(self, direction, sample_rate, channels, on_block)
        self.streams.append(stream)
        return stream

    def refresh(self) -> None:
        assert all(s.is_closed for s in self.streams), "PortAudio must not be restarted under an open stream"
        self.refreshes += 1
        self._listed = tuple(self.plugged)

    def stream(self, direction: Direction) -> FakeStream:
        """The newest stream in this direction."""
        return [s for s in self.streams if s.direction == direction][-1]

    def pull(self, device: SoundDevice) -> None:
        """Pull the plug; the stream just ends."""
        self.plugged.remove(device)
        direction: Direction = "input" if device.input_channels else "output"
        self.stream(direction).is_running = False
