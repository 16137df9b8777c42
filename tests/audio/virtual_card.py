"""A sound card of software: a private PulseAudio with a loudspeaker and a microphone that can be unplugged."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path
from types import TracebackType

import numpy as np

from models.types import FloatArray

RATE = 44_100
REMAP = ("module-remap-source", "master=micfeed.monitor", "source_name=mic")
SINKS = ("speaker", "micfeed")
ROOM_NOISE_VOLUME = "6000"  # of 65536, cubic: white noise of some 25 steps of 16 bits

REQUIRED = ("pulseaudio", "pactl", "parec", "pacat")


def is_installed() -> bool:
    """Everything that a virtual card needs is there."""
    return all(shutil.which(program) for program in REQUIRED)


class Recorder:
    """Records what a sink plays and knows when each sample was played."""

    def __init__(self, sink: str, env: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            ["parec", "--raw", "-d", f"{sink}.monitor", f"--rate={RATE}", "--channels=1", "--format=float32le",
             "--latency-msec=10"],
            stdout=subprocess.PIPE,
            env=env,
        )  # fmt: skip
        self._parts: list[tuple[int, bytes]] = []
        self._thread = threading.Thread(target=self._read, name="recorder", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        while data := os.read(self._process.stdout.fileno(), 1 << 16):
            self._parts.append((time.monotonic_ns(), data))

    @property
    def samples(self) -> FloatArray:
        """float32, shape (n,), all that was recorded so far."""
        return np.frombuffer(b"".join(data for _, data in list(self._parts)), np.float32)

    def time_of(self, index: int) -> int:
        """time.monotonic_ns() at which this sample was played.

        Data may be read late, never early: the earliest of the readings around it counts.
        """
        ends = np.cumsum([len(data) // 4 for _, data in self._parts])
        times = np.array([at for at, _ in self._parts])
        near = np.abs(ends - index) < RATE // 4
        return int((times[near] - (ends[near] - index) * 1e9 / RATE).min())

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(5)
        self._thread.join(5)
        assert self._process.stdout is not None
        self._process.stdout.close()


class VirtualCard:
    """Starts and stops the server; `env` is what its clients need."""

    def __init__(self, runtime_dir: Path) -> None:
        runtime_dir.chmod(0o700)
        self._dir = runtime_dir
        self.env = os.environ | {"XDG_RUNTIME_DIR": str(runtime_dir), "XDG_CONFIG_HOME": str(runtime_dir / "config")}
        self._server: subprocess.Popen[bytes] | None = None
        self._helpers: list[subprocess.Popen[bytes]] = []
        self._remap = ""

    def start(self) -> None:
        """Start the server with the sinks, the microphone and the noise of a quiet room."""
        loads = ["module-native-protocol-unix", *(f"module-null-sink sink_name={sink}" for sink in SINKS)]
        self._server = subprocess.Popen(
            ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
             *(f"--load={load}" for load in loads)],
            env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        deadline = time.monotonic() + 10
        while subprocess.run(["pactl", "info"], env=self.env, capture_output=True, check=False).returncode:
            assert time.monotonic() < deadline, "PulseAudio does not start"
            time.sleep(0.05)
        self.plug_microphone()
        self.pactl("set-default-source", "mic")
        self.pactl("set-default-sink", "speaker")
        # A null sink that nobody hears works in steps of 2 s, which no card does: keep both awake.
        for sink in SINKS:
            self._help("parec", "-d", f"{sink}.monitor", "--latency-msec=10")
        self.start_room_noise()

    def stop(self) -> None:
        """Stop everything, as a crash would."""
        for process in (*self._helpers, self._server):
            if process is not None:
                process.kill()
                process.wait(5)
        self._helpers.clear()
        self._server = None

    def freeze(self) -> None:
        """Let the server hang."""
        assert self._server is not None
        self._server.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let the server go on."""
        assert self._server is not None
        self._server.send_signal(signal.SIGCONT)

    def pactl(self, *arguments: str) -> str:
        """Run pactl and give what it prints."""
        return subprocess.run(
            ["pactl", *arguments], env=self.env, capture_output=True, text=True, check=True
        ).stdout.strip()

    def plug_microphone(self) -> None:
        """Make the source `mic` appear."""
        self._remap = self.pactl("load-module", *REMAP)

    def unplug_microphone(self) -> None:
        """Make the source `mic` vanish."""
        self.pactl("unload-module", self._remap)

    def start_room_noise(self) -> None:
        """Let the microphone hear the noise of a quiet room."""
        self._noise = self._help("pacat", "-d", "micfeed", f"--volume={ROOM_NOISE_VOLUME}", "/dev/urandom")

    def stop_room_noise(self) -> None:
        """From now on the microphone gives exact zeros, as a muted one does."""
        self._noise.kill()
        self._noise.wait(5)
        self._helpers.remove(self._noise)

    def record(self, sink: str = "speaker") -> Recorder:
        """Record what a sink plays."""
        return Recorder(sink, self.env)

    def _help(self, *command: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(command, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._helpers.append(process)
        return process

    def __enter__(self) -> VirtualCard:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
