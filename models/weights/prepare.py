"""Derives the files that the engines read from those that are fetched: once, whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from models.tts.prepare import VERSION as KOKORO_VERSION

Share = Callable[[float], None]
"""Told the share that is done, 0..1."""


@dataclass(frozen=True, slots=True)
class Preparer:
    """A way to derive files."""

    version: int
    """Raised whenever the same source gives other files; they are then made anew."""
    run: Callable[[Path, Path, Share], None]
    """Reads the source, fills the (existing, empty) folder."""


def _gguf_to_onnx(source: Path, folder: Path, on_share: Share) -> None:
    from models.llm.gguf_to_onnx import convert  # loads onnx

    convert(source, folder, on_share)


def _kokoro_graphs(source: Path, folder: Path, on_share: Share) -> None:
    from models.tts.prepare import prepare  # loads onnx

    prepare(source, folder)
    on_share(1.0)


PREPARERS = {
    "gguf-to-onnx": Preparer(1, _gguf_to_onnx),
    "kokoro-graphs": Preparer(KOKORO_VERSION, _kokoro_graphs),
}
"""By the name in the catalogue."""


def run_preparer(name: str, source: Path, target: Path, seal: Callable[[Path], Path], on_share: Share) -> None:
    """Fill a scratch folder, then move what is in it to the target, the stamp last.

    Args:
        name: Key of `PREPARERS`.
        source: The fetched file.
        target: Receives the files; made if absent.
        seal: Writes the stamp into the finished folder and returns its path.
        on_share: See `Share`.

    Raises:
        ModelError: The source cannot be used.
        OSError: Something cannot be written; without its stamp the target does not count as prepared.
    """
    target.mkdir(parents=True, exist_ok=True)
    scratch = target / ".prepare.part"
    shutil.rmtree(scratch, ignore_errors=True)  # left by a run that was killed
    try:
        scratch.mkdir()
        PREPARERS[name].run(source, scratch, on_share)
        stamp = seal(scratch)
        (target / stamp.name).unlink(missing_ok=True)
        for path in (*(p for p in scratch.iterdir() if p != stamp), stamp):
            os.replace(path, target / path.name)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
