"""Recording the tape and reading times from it."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.lobby.stage_set import RATE, TAPE, StageSet

AUDIBLE = 10 ** (-50 / 20)  # full scale = 1; a quiet room is about -60 dBFS
Sound = NDArray[np.float32]


class Tape:
    """Records loudspeaker (left) and microphone (right) from `start` on."""

    def __init__(self, stage_set: StageSet) -> None:
        self._set = stage_set
        self._process: subprocess.Popen[bytes] | None = None
        self._data = bytearray()
        self._lock = threading.Lock()
        self._reader: threading.Thread | None = None

    def start(self) -> None:
        """Begin to record."""
        command = ["parec", f"--device={TAPE}.monitor", f"--rate={RATE}", "--channels=2", "--format=s16le"]
        command += ["--channel-map=front-left,front-right", "--raw", "--latency-msec=20"]
        self._process = subprocess.Popen(command, env=self._set.env, stdout=subprocess.PIPE)
        self._reader = threading.Thread(target=self._read, name="tape")
        self._reader.start()

    def stop(self) -> None:
        """End the recording; what was recorded stays."""
        if self._process is not None and self._reader is not None:
            self._process.terminate()
            self._process.wait()
            self._reader.join()
            self._process = None

    @property
    def position(self) -> int:
        """Frames recorded so far."""
        return len(self._data) // 4

    def sound(self, start: int = 0) -> tuple[Sound, Sound]:
        """Loudspeaker and microphone from a frame on, float32 mono at 48 kHz."""
        with self._lock:
            data = bytes(self._data[start * 4 : len(self._data) // 4 * 4])
        both = np.frombuffer(data, np.int16).reshape(-1, 2).astype(np.float32) / 32768
        return both[:, 0].copy(), both[:, 1].copy()

    def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        while chunk := self._process.stdout.read1(65536):  # type: ignore[attr-defined]
            with self._lock:
                self._data += chunk


def first_audible(sound: Sound, start: int = 0) -> int | None:
    """The first frame from `start` on that can be heard."""
    loud = np.flatnonzero(np.abs(sound[start:]) > AUDIBLE)
    return int(loud[0]) + start if len(loud) else None


def last_audible(sound: Sound) -> int | None:
    """The last frame that can be heard."""
    loud = np.flatnonzero(np.abs(sound) > AUDIBLE)
    return int(loud[-1]) if len(loud) else None


def find(part: Sound, whole: Sound) -> int:
    """Where `part` begins in `whole`: the lag of the highest cross-correlation, in frames."""
    size = 1 << int(np.ceil(np.log2(len(part) + len(whole))))
    spectrum = np.fft.rfft(whole, size) * np.conj(np.fft.rfft(part, size))
    correlation = np.fft.irfft(spectrum, size)[: len(whole)]
    return int(np.argmax(np.abs(correlation)))


def save(path: Path, sound: Sound) -> None:
    """Write a 16-bit mono WAV at 48 kHz."""
    import wave

    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((np.clip(sound, -1, 1) * 32767).astype(np.int16).tobytes())
