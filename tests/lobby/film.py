"""Filming the window: every picture it shows, with the time at which it was first seen, and the mouth in them."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.types import FloatArray, PhonemeTime
from tests.face.mouth_meter import faces_in, head_turns, openings
from tests.lobby.stage_set import StageSet

LOOKS_PER_S = 90
"""Three looks for each picture that the window draws: one that comes late still sees every picture."""


@dataclass(frozen=True, kw_only=True)
class Acting:
    """What the landmarks tell of a film, one row a picture."""

    times: FloatArray
    """Seconds, monotonic, float64."""
    opening: FloatArray
    """Of the mouth, in its widths."""
    turns: FloatArray
    """Yaw, pitch and roll in degrees and how far the lids are shut (0..1), shape (n, 4)."""


@dataclass
class Film:
    """Pictures of the window, each one different from the one before."""

    times_ns: list[int]
    frames: list[NDArray[np.uint8]]
    blind_ns: list[int]
    """The longest time between two looks since the picture before: so long others may have come and gone."""

    def between(self, start_s: float, end_s: float) -> Film:
        """The part between two times, monotonic."""
        seen = [i for i, time_ns in enumerate(self.times_ns) if start_s <= time_ns / 1e9 <= end_s]
        return Film(*([column[i] for i in seen] for column in (self.times_ns, self.frames, self.blind_ns)))

    def acting(self) -> Acting:
        """Mouth and head as `tests.face.mouth_meter` sees them."""
        from kiosk.face.avatar_import import load_landmarker

        landmarker = load_landmarker()
        faces = faces_in(self.frames, landmarker)
        times = np.asarray(self.times_ns, np.float64) / 1e9
        return Acting(times=times, opening=openings(faces), turns=head_turns(faces, landmarker))

    def mouth(self) -> tuple[FloatArray, FloatArray]:
        """Seconds (monotonic) and opening of the mouth."""
        acting = self.acting()
        return acting.times, acting.opening


class Camera:
    """Takes the left part of the window, where the face is, whenever it has changed; in a thread of its own."""

    def __init__(self, stage_set: StageSet) -> None:
        self._set = stage_set
        self._film = Film([], [], [])
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="camera")

    def start(self) -> None:
        """Begin to film."""
        self._thread.start()

    def stop(self) -> Film:
        """End and give what was taken."""
        self._stopping.set()
        self._thread.join()
        return self._film

    def _run(self) -> None:
        width = round(self._set.width * 0.56) if self._set.width >= self._set.height else self._set.width
        last: NDArray[np.uint8] | None = None
        looked = time.monotonic_ns()
        blind = 0
        while not self._stopping.wait(1 / LOOKS_PER_S):
            now, pixels = time.monotonic_ns(), self._set.pixels()[:, :width].copy()
            blind, looked = max(blind, now - looked), now
            if last is None or not np.array_equal(pixels, last):
                self._film.times_ns.append(now)
                self._film.frames.append(np.ascontiguousarray(pixels[..., 2::-1]))
                self._film.blind_ns.append(blind)
                last, blind = pixels, 0


def phonemes_heard(lines: list[dict[str, object]]) -> list[PhonemeTime]:
    """All phonemes of a trace on the monotonic clock, in seconds."""
    heard = []
    for line in lines:
        if line["what"] == "sound":
            start = float(line["heard_ns"]) / 1e9  # type: ignore[arg-type]
            for symbol, begin, end in line["phonemes"]:  # type: ignore[attr-defined]
                heard.append(PhonemeTime(symbol=symbol, start_s=start + begin, end_s=start + end))
    return heard
