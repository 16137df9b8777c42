"""Sound that is made before anybody asks for it, kept on disk from one start to the next.

The name of a file says what was spoken and by whom: after a change of a text or a voice nothing old is found, and the
sound that was not used for longest makes room. Only words of the house are kept, nothing that a visitor said.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from models.tts.base import SynthesisedSpeech
from models.types import Language, PhonemeTime

log = logging.getLogger("tts")

Parts = tuple[SynthesisedSpeech, ...]
MAX_IN_MEMORY = 60
"""Clauses that are kept where no file can be written: of about 3 s, 17 MB."""
_FULL_SCALE = 32767


class PreparedSpeech:
    """Spoken form of a clause → its sound, in parts. Written by one thread, read by any; outlives the stage."""

    def __init__(self, folder: Path | None = None, voice: str = "", max_bytes: int = 300_000_000) -> None:
        """Nothing is read yet.

        Args:
            folder: Made when it is needed. None: kept in memory only.
            voice: Everything but the text that changes the sound: weights, voices, speed.
            max_bytes: Of all files together.
        """
        self._folder = folder
        self._voice = voice
        self._max_bytes = max_bytes
        self._in_memory: dict[str, Parts] = {}

    def __contains__(self, key: tuple[str, Language]) -> bool:
        """Whether the sound of a clause is ready."""
        name = self._name(*key)
        return name in self._in_memory or (self._folder is not None and (self._folder / name).is_file())

    def get(self, spoken: str, language: Language) -> Parts | None:
        """The sound of a clause; None where it is not ready or the file is damaged.

        Args:
            spoken: As for `Synthesiser.stream`.
            language: As for `Synthesiser.stream`.
        """
        name = self._name(spoken, language)
        if name in self._in_memory or self._folder is None:
            return self._in_memory.get(name)
        path = self._folder / name
        try:
            parts = _read(path)
            path.touch()  # it was used
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            log.warning("%s cannot be used (%s); it is made anew", path, error)
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
            return None
        return parts

    def put(self, spoken: str, language: Language, parts: Sequence[SynthesisedSpeech]) -> None:
        """Keep the sound of a clause: in a file, or in memory where none can be written."""
        name = self._name(spoken, language)
        if self._folder is None or not self._write(self._folder, name, parts):
            self._in_memory[name] = tuple(parts)
            while len(self._in_memory) > MAX_IN_MEMORY:
                del self._in_memory[next(iter(self._in_memory))]

    def _name(self, spoken: str, language: Language) -> str:
        return hashlib.sha256(f"{self._voice}\n{language}\n{spoken}".encode()).hexdigest()[:32] + ".npz"

    def _write(self, folder: Path, name: str, parts: Sequence[SynthesisedSpeech]) -> bool:
        part = folder / f"{name}.part"  # of one that was killed, too: it is written over
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with part.open("wb") as file:
                _save(file, parts)
            part.replace(folder / name)
            self._make_room(folder)
        except OSError as error:
            log.warning("%s cannot be written (%s); prepared sound is kept in memory", folder / name, error.strerror)
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
            return False
        return True

    def _make_room(self, folder: Path) -> None:
        files = sorted(((path.stat(), path) for path in folder.glob("*.npz")), key=lambda entry: entry[0].st_mtime_ns)
        total = sum(stat.st_size for stat, _ in files)
        for stat, path in files[:-1]:
            if total <= self._max_bytes:
                break
            path.unlink(missing_ok=True)
            total -= stat.st_size


def _save(file: IO[bytes], parts: Sequence[SynthesisedSpeech]) -> None:
    about = [
        {"sample_rate": part.sample_rate, "phonemes": [[p.symbol, p.start_s, p.end_s] for p in part.phonemes]}
        for part in parts
    ]
    arrays: dict[str, Any] = {"about": np.frombuffer(json.dumps(about).encode(), np.uint8)}
    for i, part in enumerate(parts):
        arrays[f"samples{i}"] = np.round(part.samples * _FULL_SCALE).astype(np.int16)
    np.savez(file, **arrays)


def _read(path: Path) -> Parts:
    with np.load(path, allow_pickle=False) as file:
        about = json.loads(file["about"].tobytes().decode())
        return tuple(
            SynthesisedSpeech(
                samples=file[f"samples{i}"].astype(np.float32) / _FULL_SCALE,
                sample_rate=int(part["sample_rate"]),
                phonemes=tuple(
                    PhonemeTime(symbol=symbol, start_s=start, end_s=end) for symbol, start, end in part["phonemes"]
                ),
            )
            for i, part in enumerate(about)
        )
