"""The virtual screen and the virtual sound card.

One null sink, the tape, has two channels: what the kiosk's loudspeaker plays (left) and what is played into its
microphone (right). Both are views on the same sink, so one recording of the tape holds both, sample by sample.

    speaker  (sink)    ─► tape, left          default sink of the kiosk; it can be changed for another one
    micfeed  (sink)    ─► tape, right ─► mic (source), default source of the kiosk

A `tests.lobby.room.Room` takes the place of the microphone and lets it hear the loudspeaker.

Debian packages: pulseaudio, pulseaudio-utils, libasound2-plugins, xvfb.
"""

from __future__ import annotations

import atexit
import functools
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

RATE = 48_000
XWD_COLOUR_BYTES = 12
ROOM_VOLUME = 5243  # of 65536; PulseAudio's scale is cubic: white noise of full scale comes out at -70 dBFS
SPEAKER, MIC_FEED, MICROPHONE, TAPE = "speaker", "micfeed", "mic", "tape"
_MODULES = (
    "module-native-protocol-unix",
    f"module-null-sink sink_name={TAPE} rate={RATE} channels=2 channel_map=front-left,front-right",
    f"module-remap-sink sink_name={MIC_FEED} master={TAPE} channels=1 channel_map=mono "
    "master_channel_map=front-right remix=no",
)
_SPEAKER_MODULE = (
    f"module-remap-sink sink_name={{name}} master={TAPE} channels=1 channel_map=mono "
    "master_channel_map=front-left remix=no"
)
_MICROPHONE_MODULE = (
    f"module-remap-source source_name={MICROPHONE} master={TAPE}.monitor channels=1 channel_map=mono "
    "master_channel_map=front-right remix=no"
)


@functools.cache
def _shared_cache() -> Path:
    """One for all programs of this run: the first start of them is that of a new machine."""
    folder = Path(tempfile.mkdtemp(prefix="lobby-cache-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class StageSet:
    """Xvfb and PulseAudio for one run; a context manager. `env` is for the programs that run in it."""

    def __init__(self, width: int = 1280, height: int = 720, *, with_microphone: bool = True) -> None:
        self.width, self.height = width, height
        self.env: dict[str, str] = {}
        self._with_microphone = with_microphone
        self._folder = Path(tempfile.mkdtemp(prefix="lobby-"))
        self._processes: list[subprocess.Popen[bytes]] = []
        self._microphone_module = _MICROPHONE_MODULE
        self._microphone_index: str | None = None
        self._speaker_index = ""
        self._num_speakers = 0
        self._pixels: NDArray[np.uint8] | None = None

    def __enter__(self) -> StageSet:
        for program in ("Xvfb", "pulseaudio", "pactl", "paplay", "parec"):
            if shutil.which(program) is None:
                raise RuntimeError(f"{program} is not installed; run `bash installer/test.sh` once")
        runtime = self._folder / "runtime"
        runtime.mkdir(mode=0o700)
        self.env = {
            **os.environ,
            "XDG_RUNTIME_DIR": str(runtime),
            "PULSE_RUNTIME_PATH": str(runtime / "pulse"),
            "PULSE_SERVER": f"unix:{runtime}/pulse/native",
            "HOME": str(self._folder),
            "KIOSK_DATA": str(self._folder / "data"),
            "KIOSK_CACHE": str(_shared_cache()),
            "QT_QPA_PLATFORM": "xcb",
            "LIBGL_ALWAYS_SOFTWARE": "1",
        }
        self.env["DISPLAY"] = self._start_screen()
        self._start_sound()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in reversed(self._processes):
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def folder(self) -> Path:
        """A folder that goes with this set."""
        return self._folder

    def unplug_microphone(self) -> None:
        """Take the microphone away."""
        if self._microphone_index is not None:
            self.pactl("unload-module", self._microphone_index)
            self._microphone_index = None

    def plug_microphone(self) -> None:
        """Bring the microphone and make it the default."""
        self._microphone_index = self.pactl("load-module", *self._microphone_module.split())
        self.pactl("set-default-source", MICROPHONE)

    def change_microphone(self, module: str | None) -> None:
        """Take another microphone: a module and its arguments; None: the tape's again."""
        self.unplug_microphone()
        self._microphone_module = module or _MICROPHONE_MODULE
        self.plug_microphone()

    def change_speaker(self) -> None:
        """Plug in a new loudspeaker, make it the default and take the old one away."""
        old = self._speaker_index
        self._num_speakers += 1
        name = SPEAKER if self._num_speakers == 1 else f"{SPEAKER}{self._num_speakers}"
        self._speaker_index = self.pactl("load-module", *_SPEAKER_MODULE.format(name=name).split())
        self.pactl("set-default-sink", name)
        if old:
            self.pactl("unload-module", old)

    def screenshot(self) -> NDArray[np.uint8]:
        """What is on the screen now, RGB, shape (height, width, 3)."""
        return np.ascontiguousarray(self.pixels()[..., 2::-1])

    def pixels(self) -> NDArray[np.uint8]:
        """The screen's own memory, which changes: BGRX, shape (height, width, 4); no program involved."""
        if self._pixels is None:
            path = self._folder / "Xvfb_screen0"
            header = np.fromfile(path, ">u4", 25)  # an XWD file: header, window name, colour map, then the pixels
            offset = int(header[0] + header[19] * XWD_COLOUR_BYTES)
            shape = (self.height, int(header[12]) // 4, 4)
            self._pixels = np.memmap(path, np.uint8, "r", offset, shape)
        return self._pixels[:, : self.width]

    def pactl(self, *arguments: str) -> str:
        """Ask the sound server."""
        done = subprocess.run(
            ["pactl", *arguments], env=self.env, capture_output=True, text=True, timeout=10, check=True
        )
        return done.stdout.strip()

    def _start_screen(self) -> str:
        read_end, write_end = os.pipe()
        screen = f"{self.width}x{self.height}x24"
        command = ["Xvfb", "-displayfd", str(write_end), "-screen", "0", screen, "-nolisten", "tcp", "-noreset"]
        command += ["-fbdir", str(self._folder)]
        self._processes.append(
            subprocess.Popen(
                command,
                pass_fds=[write_end],
                env=self.env,
                stderr=subprocess.DEVNULL,
            )
        )
        os.close(write_end)
        with os.fdopen(read_end) as numbers:
            if not select.select([numbers], [], [], 20)[0]:
                raise RuntimeError("Xvfb does not start")
            return f":{numbers.readline().strip()}"

    def _start_sound(self) -> None:
        command = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--disable-shm=yes", "--realtime=no"]
        command += [f"--load={module}" for module in _MODULES]
        with (self._folder / "pulseaudio.log").open("wb") as log:
            self._processes.append(subprocess.Popen(command, env=self.env, stderr=log, stdout=log))
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if subprocess.run(["pactl", "info"], env=self.env, capture_output=True, check=False).returncode == 0:
                break
            time.sleep(0.1)
        else:
            raise RuntimeError(f"PulseAudio does not start: {(self._folder / 'pulseaudio.log').read_text()}")
        self.change_speaker()
        self._start_room()
        if self._with_microphone:
            self.plug_microphone()

    def _start_room(self) -> None:
        """A quiet room at about -70 dBFS: a live microphone never gives exact zeros."""
        command = ["pacat", "--playback", f"--device={MIC_FEED}", "--raw", "--format=s16le", "--channels=1"]
        command += [f"--rate={RATE}", f"--volume={ROOM_VOLUME}"]
        with open("/dev/urandom", "rb") as noise:
            self._processes.append(subprocess.Popen(command, env=self.env, stdin=noise))
