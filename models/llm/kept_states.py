"""Keys and values of fixed texts, kept on disk: a system prompt is read once, not at every start.

Only texts that the program itself brings are kept, nothing that a visitor said.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime as ort

from models.types import FloatArray

MAX_FILES = 8
"""Two languages of four profiles, 30 to 40 MB each; beyond that the one that was used longest ago goes."""
log = logging.getLogger(__name__)


class KeptStates:
    """The states that one network has computed. Without a folder, or where it cannot be used, nothing is kept."""

    def __init__(self, folder: Path | None, weights: Sequence[Path]) -> None:
        """Name what the states belong to.

        Args:
            folder: Made when it is needed.
            weights: All files of the network: other files, other states.
        """
        self._folder = folder
        facts = [ort.__version__]
        facts += [f"{path.name} {(stat := path.stat()).st_size} {stat.st_mtime_ns}" for path in weights]
        self._network = "\n".join(facts)

    def get(self, ids: Sequence[int], shape: tuple[int, ...]) -> FloatArray | None:
        """The state after a text, of this shape; None where it is not known or damaged."""
        path = self._path(ids)
        if path is None or not path.is_file():
            return None
        try:
            state = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            log.warning("%s cannot be read (%s); it is computed anew", path, error)
            return None
        if state.shape != shape or state.dtype != np.float32 or not np.isfinite(state).all():
            log.warning("%s is damaged; it is computed anew", path)
            return None
        with contextlib.suppress(OSError):  # a cache that cannot be written is used all the same
            path.touch()
        return np.asarray(state, np.float32)

    def put(self, ids: Sequence[int], state: FloatArray) -> None:
        """Keep the state after a text; a full or write-protected disk only costs time at the next start."""
        path = self._path(ids)
        if path is None:
            return
        part = path.with_suffix(".part")  # of one that was killed, too: it is written over
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with part.open("wb") as file:
                np.save(file, state, allow_pickle=False)
            part.replace(path)
            self._drop_oldest(path.parent)
        except OSError as error:
            log.warning("%s cannot be written (%s); the next start takes longer", path, error.strerror)
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)

    def _path(self, ids: Sequence[int]) -> Path | None:
        if self._folder is None:
            return None
        text = ",".join(map(str, ids))
        name = hashlib.sha256(f"{self._network}\n{text}".encode()).hexdigest()[:32]
        return self._folder / f"{name}.npy"

    @staticmethod
    def _drop_oldest(folder: Path) -> None:
        files = sorted(folder.glob("*.npy"), key=lambda path: path.stat().st_mtime_ns)
        for path in files[:-MAX_FILES]:
            path.unlink(missing_ok=True)
