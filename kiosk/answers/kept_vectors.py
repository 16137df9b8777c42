"""Vectors of sentences, kept on disk from one start to the next: an index of ten thousand answers is there at once.

Only words of the house are kept, as numbers; what visitors ask is not.
"""

from __future__ import annotations

import hashlib
import io
import logging
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kiosk.files import replace_file
from models.embedding.base import SentenceEncoder
from models.types import FloatArray, ShouldStop, never_stop

log = logging.getLogger("llm")

BATCH = 64
"""Sentences that are read between two looks at whether to stop."""


class KeptVectors:
    """Sentence → vector, read from a file where it is known, else encoded. Holds nothing between calls."""

    def __init__(self, encoder: SentenceEncoder, path: Path | None) -> None:
        """Nothing is read yet.

        Args:
            encoder: Of this file's vectors; the name of the file must tell it from others.
            path: Made when it is needed; None: nothing is kept.
        """
        self._encoder = encoder
        self._path = path

    def encode(self, texts: Sequence[str], should_stop: ShouldStop = never_stop) -> FloatArray | None:
        """Vectors of all sentences, float32, shape (n, width); None when it was stopped.

        The file then holds these sentences and no others.
        """
        keys = np.array([_key(text) for text in texts], np.uint64)
        known_keys, known = self._read()
        place = np.searchsorted(known_keys, keys)
        is_known = np.zeros(len(keys), bool)
        inside = place < len(known_keys)
        is_known[inside] = known_keys[place[inside]] == keys[inside]
        missing = np.flatnonzero(~is_known)
        fresh = []
        for begin in range(0, len(missing), BATCH):
            if should_stop():
                return None
            fresh.append(self._encoder.encode([texts[i] for i in missing[begin : begin + BATCH]]))
        if not fresh:
            return np.asarray(known[place], np.float32) if len(keys) else np.zeros((0, 1), np.float32)
        new = np.concatenate(fresh)
        vectors = np.zeros((len(keys), new.shape[1]), np.float32)
        vectors[missing] = new
        if is_known.any():
            vectors[is_known] = known[place[is_known]]
        self._write(keys, vectors)
        return vectors

    def _read(self) -> tuple[NDArray[np.uint64], NDArray[np.float16]]:
        nothing = np.zeros(0, np.uint64), np.zeros((0, 1), np.float16)
        if self._path is None or not self._path.is_file():
            return nothing
        try:
            with np.load(self._path, allow_pickle=False) as file:
                keys, vectors = file["keys"], file["vectors"]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            log.warning("%s cannot be used (%s); it is made anew", self._path, error)
            return nothing
        if keys.ndim != 1 or vectors.ndim != 2 or len(keys) != len(vectors):
            log.warning("%s has another form; it is made anew", self._path)
            return nothing
        return keys, vectors

    def _write(self, keys: NDArray[np.uint64], vectors: FloatArray) -> None:
        if self._path is None:
            return
        unique, first = np.unique(keys, return_index=True)
        out = io.BytesIO()
        np.savez(out, keys=unique, vectors=vectors[first].astype(np.float16))
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self._path, out.getvalue())
        except OSError as error:
            log.warning("%s cannot be written (%s); it is made anew at the next start", self._path, error.strerror)


def _key(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
