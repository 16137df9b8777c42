"""Hours of speech in minutes: is the picture on the sound that the loudspeaker really gives?

python -m tests.audio.av_soak --hours 8 --ppm 100
"""

from __future__ import annotations

import argparse
import dataclasses
from collections import deque
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from kiosk.audio.manager import DeviceManager
from kiosk.audio.playback import Playback
from kiosk.audio.playqueue import PlaybackSpan
from kiosk.config import SoundConfig
from models.types import FloatArray
from tests.audio.drifting_card import DriftingHost, Model, Report
from tests.audio.fake_host import FakeTime

CLIP_S = 3
CHECK_NS = 200_000_000
LOW, HIGH = 0.1, 0.9


class StillDevices(DeviceManager):
    """Without its thread: the simulation calls `check`."""

    def _watch(self) -> None:
        pass


@dataclasses.dataclass
class Seen:
    """What was compared: seconds since the start, ms by which the picture was ahead of the sound."""

    seconds: list[float] = dataclasses.field(default_factory=list)
    offsets_ms: list[float] = dataclasses.field(default_factory=list)
    estimates_ms: list[float] = dataclasses.field(default_factory=list)
    """What the kiosk itself thought the offset was."""

    def between(self, start_s: float, stop_s: float) -> NDArray[np.float64]:
        at = np.array(self.seconds)
        return np.array(self.offsets_ms)[(at >= start_s) & (at < stop_s)]

    def summary(self, start_s: float = 0, stop_s: float = np.inf) -> str:
        off = self.between(start_s, stop_s)
        p50, p99 = np.percentile(np.abs(off), (50, 99))
        return (
            f"{off.size} pictures: mean {off.mean():+.1f} ms, |offset| p50 {p50:.1f}, p99 {p99:.1f}, "
            f"max {np.abs(off).max():.1f} ms"
        )


class Soak:
    """One kiosk that speaks, one loudspeaker, one clock that runs as fast as it can."""

    def __init__(self, model: Model, seed: int = 0) -> None:
        self.time = FakeTime()
        self.host = DriftingHost(self.time, model, seed)
        self.devices = StillDevices(self.host, self.time)
        self.playback = Playback(self.devices, self.time)
        self.seen = Seen()
        self._rng = np.random.default_rng(seed + 1)
        self._spans: deque[PlaybackSpan] = deque(maxlen=20)
        self._clips: dict[int, FloatArray] = {}
        self._speak_at_ns = 0
        self._next_check_ns = 0
        self._start_ns = self.time()

    def run(self, seconds: float, deeds: Mapping[float, Callable[[], None]] | None = None) -> Seen:
        """Let time pass.

        Args:
            seconds: How much.
            deeds: What happens to the loudspeaker, by the second at which it does.
        """
        self._start_ns = self._next_check_ns = self.time()
        end_ns = self._start_ns + round(seconds * 1e9)
        todo = deque(sorted((self._start_ns + round(at * 1e9), deed) for at, deed in (deeds or {}).items()))
        self.playback.open(SoundConfig(volume=1.0))
        while self.time() < end_ns:
            stream = self.host.stream
            call_ns = end_ns if stream is None or stream.is_dead else stream.next_ns
            next_ns = min(call_ns, self._next_check_ns, todo[0][0] if todo else end_ns, end_ns)
            self._look(next_ns)
            self.time.now_ns = max(next_ns, self.time())
            if todo and next_ns == todo[0][0]:
                todo.popleft()[1]()
            elif next_ns == self._next_check_ns:
                self._next_check_ns += CHECK_NS
                self._speak()
                self.devices.check()
            elif stream is not None and next_ns == call_ns:
                stream.call_back()
        self.playback.close()
        return self.seen

    def _speak(self) -> None:
        """Clause after clause, with a pause now and then."""
        if self.playback.queued_s > 0.5 or self.time() < self._speak_at_ns:
            return
        self._spans.append(self.playback.enqueue(self._clip(), self.playback.sample_rate))
        if self._rng.random() < 0.3:
            self._speak_at_ns = self.time() + round((CLIP_S + self._rng.uniform(0.2, 2)) * 1e9)

    def _clip(self) -> FloatArray:
        """A signal that tells its own place: it rises from its first sample to its last."""
        rate = self.playback.sample_rate
        if rate not in self._clips:
            self._clips[rate] = np.linspace(LOW, HIGH, CLIP_S * rate, dtype=np.float32)
        return self._clips[rate]

    def _look(self, before_ns: int) -> None:
        """Draw a picture at some moment before the next event and compare it with what is heard then."""
        now_ns = self.time()
        if before_ns <= now_ns:
            return
        self.time.now_ns = int(self._rng.integers(now_ns, before_ns))
        shown = self.playback.played()
        stream = self.host.stream
        if stream is None or stream.is_dead:
            return
        place = self._place(stream.heard(self.time()))
        if place is None or not self._spans:
            return
        emitted = [span.start + place * (span.stop - span.start) for span in self._spans]
        offset_s = min((shown - frame for frame in emitted), key=abs) / self.playback.sample_rate
        self.seen.seconds.append((self.time() - self._start_ns) * 1e-9)
        self.seen.offsets_ms.append(offset_s * 1000)
        self.seen.estimates_ms.append(self.playback.offset_ms)

    def _place(self, heard: FloatArray) -> float | None:
        """Where in a clip, 0..1; None in silence and where a clip ends."""
        if heard.size < 3 or heard[0] < LOW or not 0 < heard[2] - heard[0] < 0.001:
            return None
        return float((heard[0] - LOW) / (HIGH - LOW))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=8)
    parser.add_argument("--ppm", type=float, default=100)
    parser.add_argument("--report", choices=[r.value for r in Report], default="jitter")
    parser.add_argument("--block-ms", type=float, default=10)
    parser.add_argument("--stall-every-s", type=float, default=0, help="2 s each")
    options = parser.parse_args()
    model = Model(ppm=options.ppm, report=Report(options.report), block_s=options.block_ms / 1000)
    soak = Soak(model)
    seconds = options.hours * 3_600
    stalls = np.arange(options.stall_every_s, seconds, options.stall_every_s) if options.stall_every_s else []

    def stall() -> None:
        if soak.host.stream is not None:
            soak.host.stream.stall(2)

    seen = soak.run(seconds, {float(at): stall for at in stalls})
    tenth = seconds / 10
    print("all  :", seen.summary())
    print("start:", seen.summary(0, tenth))
    print("end  :", seen.summary(seconds - tenth))
    print(
        f"the kiosk's own estimate: {soak.playback.offset_ms:+.1f} ms, at worst "
        f"{soak.playback.worst_offset_ms:+.1f} ms; "
        f"underruns {sum(s.underruns for s in soak.host.streams)}, openings {len(soak.host.streams)}"
    )


if __name__ == "__main__":
    main()
