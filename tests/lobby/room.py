"""The room between the kiosk's loudspeaker and its microphone, in real time, in a thread of its own.

    speaker (sink) ─► tape.monitor ─► EchoPath ─┐
                            visitors ───────────┼─► FIFO ─► mic (module-pipe-source), default source of the kiosk
                            noise ──────────────┘

A pipe source has no clock: it passes on what is written. The microphone's clock is therefore this thread's, which may
run fast or slow against the loudspeaker's, as two devices do.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import subprocess
import threading
import time
from collections import deque
from dataclasses import dataclass
from types import TracebackType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tests.audio.echo_path import EchoPath
from tests.lobby.acoustics import at_level
from tests.lobby.stage_set import MICROPHONE, RATE, TAPE, StageSet
from tests.lobby.tape import AUDIBLE, Sound
from tests.lobby.track import NS, Track
from tests.lobby.visitors import lobby_noise

BLOCK = RATE // 100
"""10 ms."""
ECHO_BLOCK = 2 * BLOCK
"""The echo's way is computed in steps of this: half the work of single blocks."""
FIFO_BYTES = 16_384
"""170 ms: what a stall of this thread may leave to be caught up; empty otherwise."""
SETTLE_S = 1.0
"""Within this time some block comes without delay, and tells the loudspeaker's clock."""
WATCH_S = 5.0
LOST_NS = 30_000_000
"""When no block of `WATCH_S` came sooner than this after it was due, samples were lost."""
NOISE_S = 100.0
"""Then the noise begins again, without a seam."""


@dataclass(frozen=True)
class Said:
    """One sound of a visitor on its way into the microphone."""

    sound: Sound
    track: Track
    start: int
    """Its first sample in the microphone's track."""

    @property
    def start_ns(self) -> int:
        return self.track.time_of(self.start)

    @property
    def end_ns(self) -> int:
        return self.track.time_of(self.start + len(self.sound))

    @property
    def first_voiced_ns(self) -> int:
        return self.track.time_of(self.start + int(self._voiced()[0]))

    @property
    def last_voiced_ns(self) -> int:
        return self.track.time_of(self.start + int(self._voiced()[-1]))

    def wait(self) -> None:
        """Until it has ended."""
        time.sleep(max(0.0, (self.end_ns - time.monotonic_ns()) / NS))

    def _voiced(self) -> NDArray[np.intp]:
        level = np.abs(self.sound)
        return np.flatnonzero(level > min(AUDIBLE, level.max() / 10))


class Room:
    """A context manager: enter it before the kiosk starts.

    `loudspeaker` and `microphone` record both ends, `visitors` what visitors alone brought to the microphone.
    """

    def __init__(
        self,
        stage_set: StageSet,
        delay_ms: float = 120.0,
        gain_db: float | None = -10.0,
        drift_ppm: float = 0.0,
        noise_db: float = -70.0,
        *,
        seed: int = 0,
    ) -> None:
        """Describe the room.

        Args:
            stage_set: Running.
            delay_ms: From the loudspeaker to the microphone, at least 60.
            gain_db: Level of the echo against the loudspeaker's signal; None: no echo.
            drift_ppm: How much faster the microphone's clock runs.
            noise_db: Level of the hall's noise, dB of full scale.
            seed: Of the reflections.
        """
        self._set = stage_set
        self._delay_ns = round(delay_ms * 1e6)
        self._path = None if gain_db is None else EchoPath(0.0, gain_db, seed=seed, drift_ppm=drift_ppm)
        rate = RATE * (1 + drift_ppm * 1e-6)
        self.loudspeaker = Track(RATE)
        self.microphone, self.visitors = Track(rate), Track(rate)
        self._noise = lobby_noise(NOISE_S) * np.float32(10 ** (noise_db / 20))
        self._lock = threading.Lock()
        self._said: list[Said] = []
        self._speaker_rest = np.zeros(0, np.float32)  # not yet sent through the room
        self._echo = np.zeros(0, np.float32)  # arrived, not yet in the microphone
        self._echo_start: int | None = None  # its place in the microphone's track
        self._unsent = b""
        self._delays: deque[tuple[float, int]] = deque()  # lateness of the loudspeaker's blocks, ns
        self.late_frames = 0
        """Frames of echo that came too late for the microphone and were lost."""
        self.unsent_frames = 0
        """Frames that the sound server did not take in time."""
        self.busy_s = 0.0
        """Processor time of the thread."""
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="room")
        self._parec: subprocess.Popen[bytes] | None = None
        self._fifo_path = stage_set.folder / f"microphone-{time.monotonic_ns()}.fifo"
        self._fifo = -1

    def __enter__(self) -> Room:
        self._set.change_microphone(
            f"module-pipe-source source_name={MICROPHONE} file={self._fifo_path} format=s16le rate={RATE} channels=1"
        )
        self._open_fifo()
        command = ["parec", f"--device={TAPE}.monitor", f"--rate={RATE}", "--channels=1", "--format=s16le", "--raw"]
        command += ["--channel-map=front-left", "--no-remix", "--latency-msec=10"]
        self._parec = subprocess.Popen(command, env=self._set.env, stdout=subprocess.PIPE)
        assert self._parec.stdout is not None
        os.set_blocking(self._parec.stdout.fileno(), False)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._thread.join()
        if self._parec is not None and self._parec.stdout is not None:
            self._parec.terminate()
            self._parec.wait()
            self._parec.stdout.close()
        os.close(self._fifo)
        with contextlib.suppress(*([subprocess.CalledProcessError] if error else [])):  # the server may be gone
            self._set.change_microphone(None)

    def say(self, sound: Sound, at: Literal["now"] | int = "now", level_db: float | None = None) -> Said:
        """Let a visitor make a sound; returns at once.

        Args:
            sound: float32 mono at 48 kHz.
            at: Time of its first sample, time.monotonic_ns(), or as soon as may be.
            level_db: Speech level at the microphone, dB of full scale; None: as the sound is.
        """
        sound = sound if level_db is None else at_level(sound, level_db)
        with self._lock:
            start = (
                self.microphone.length if at == "now" else max(self.microphone.length, self.microphone.index_at(at))
            )
            said = Said(sound, self.microphone, start)
            self._said.append(said)
        return said

    def hush(self) -> None:
        """Visitors fall silent at once."""
        with self._lock:
            self._said.clear()

    def _run(self) -> None:
        started_ns = time.monotonic_ns()
        while time.monotonic_ns() < started_ns + SETTLE_S * NS and not self._stopping.wait(0.01):
            self._hear_loudspeaker()
        self.microphone.set_time(0, time.monotonic_ns())
        self.visitors.set_time(0, time.monotonic_ns())
        for tick in itertools.count(1):
            if self._stopping.wait(max(0.0, (self.microphone.time_of(tick * BLOCK) - time.monotonic_ns()) / NS)):
                break
            self._hear_loudspeaker()
            self._feed_microphone()
            self.busy_s = time.thread_time()

    # --- from the loudspeaker

    def _hear_loudspeaker(self) -> None:
        assert self._parec is not None
        assert self._parec.stdout is not None
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._parec.stdout.fileno(), 2 * RATE):
                played = np.frombuffer(data[: len(data) // 2 * 2], "<i2").astype(np.float32) / 32768
                self.loudspeaker.append(played)
                self._follow_clock()
                if self._path is not None:
                    self._pass_through(self._path, played)

    def _follow_clock(self) -> None:
        """Blocks come late or in time, never early: the earliest tell when a sample is heard."""
        track, now_ns = self.loudspeaker, time.monotonic_ns()
        late_ns = now_ns - track.time_of(track.length)
        self._delays.append((now_ns, late_ns))
        is_long = self._delays[0][0] < now_ns - WATCH_S * NS
        has_lost = is_long and min(late for _, late in self._delays) > LOST_NS
        if late_ns < 0 or len(self._delays) == 1 or has_lost:
            track.set_time(track.length, now_ns)
            self._delays = deque([(now_ns, 0)])
        elif is_long:
            self._delays.popleft()

    def _pass_through(self, path: EchoPath, played: Sound) -> None:
        self._speaker_rest = np.concatenate((self._speaker_rest, played))
        whole = len(self._speaker_rest) // ECHO_BLOCK * ECHO_BLOCK
        if not whole:
            return
        arrived = path.push(self._speaker_rest[:whole])
        self._speaker_rest = self._speaker_rest[whole:]
        self._echo = np.concatenate((self._echo, arrived))

    # --- to the microphone

    def _feed_microphone(self) -> None:
        while self.microphone.time_of(self.microphone.length + BLOCK) <= time.monotonic_ns():
            start = self.microphone.length
            with self._lock:
                voices = self._voices(start)
                self.visitors.append(voices)
                block = voices + self._echo_at(start) + self._noise_at(start)
                self.microphone.append(block)
            self._unsent += np.clip(np.round(block * 32768), -32768, 32767).astype("<i2").tobytes()
        self._send()

    def _voices(self, start: int) -> Sound:
        out = np.zeros(BLOCK, np.float32)
        for said in self._said:
            offset = said.start - start
            part = said.sound[max(0, -offset) : max(0, BLOCK - offset)]
            out[max(0, offset) : max(0, offset) + len(part)] += part
        self._said = [said for said in self._said if said.start + len(said.sound) > start + BLOCK]
        return out

    def _echo_at(self, start: int) -> Sound:
        """The next block of echo, at the place where the loudspeaker's clock, the delay and the drift put it."""
        block = np.zeros(BLOCK, np.float32)
        if self._path is None or not self.loudspeaker.length:
            return block
        newest_ns = self.loudspeaker.time_of(self.loudspeaker.length - len(self._speaker_rest)) + self._delay_ns
        place = self.microphone.index_at(newest_ns) - len(self._echo)
        if self._echo_start is None or abs(place - self._echo_start) > LOST_NS * RATE // NS:
            self._echo_start = place  # at first; later only if the loudspeaker stopped or lost samples
        begin, end = start - self._echo_start, start - self._echo_start + BLOCK
        if end > 0:
            part = self._echo[max(0, begin) : end]
            block[max(0, -begin) : max(0, -begin) + len(part)] = part
            self.late_frames += min(BLOCK, end) - len(part)
            self._echo_start += min(end, len(self._echo))
            self._echo = self._echo[end:]
        return block

    def _noise_at(self, start: int) -> Sound:
        begin = start % len(self._noise)
        part = self._noise[begin : begin + BLOCK]
        return part if len(part) == BLOCK else np.concatenate((part, self._noise[: BLOCK - len(part)]))

    def _send(self) -> None:
        self._open_fifo()
        try:
            sent = os.write(self._fifo, self._unsent)
        except BlockingIOError:
            sent = 0
        self._unsent = self._unsent[sent:]
        surplus = len(self._unsent) - FIFO_BYTES
        if surplus > 0:  # nobody takes it: the microphone is unplugged or the server stands still
            surplus += surplus % 2
            self._unsent = self._unsent[surplus:]
            self.unsent_frames += surplus // 2

    def _open_fifo(self) -> None:
        """The server makes a new FIFO each time that the microphone is plugged in."""
        try:
            number = os.stat(self._fifo_path).st_ino
        except FileNotFoundError:
            return
        if self._fifo < 0 or os.fstat(self._fifo).st_ino != number:
            if self._fifo >= 0:
                os.close(self._fifo)
            # Open at both ends, so that writing does not fail while nobody reads.
            self._fifo = os.open(self._fifo_path, os.O_RDWR | os.O_NONBLOCK)
            fcntl.fcntl(self._fifo, fcntl.F_SETPIPE_SZ, FIFO_BYTES)
