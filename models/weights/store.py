"""Where weights lie and whether they are whole.

A stamp in each folder says what was checked when; a program start compares sizes with it instead of hashing
a thousand million bytes.
"""

from __future__ import annotations

import enum
import hashlib
import importlib.metadata
import json
import os
from collections.abc import Callable
from pathlib import Path

from models.errors import CheckpointError
from models.weights.catalog import Catalog, Checkpoint, Preparation, WeightsFile, load_catalog
from models.weights.prepare import PREPARERS

FETCHED_STAMP = ".fetched.json"
PREPARED_STAMP = ".prepared.json"
BLOCK_BYTES = 1 << 20
"""Read and written at once: 1 MiB."""


class State(enum.Enum):
    """What is there of a checkpoint, judged quickly."""

    READY = "ready"
    UNPREPARED = "fetched, not prepared"
    UNCHECKED = "there, not checked"
    INCOMPLETE = "incomplete"
    ABSENT = "absent"


def locate(name: str, checkpoints_dir: Path, catalog: Catalog | None = None) -> Path:
    """The folder of ready weights.

    Args:
        name: As in the catalogue.
        checkpoints_dir: Folder of all weights.
        catalog: By default the program's own.

    Raises:
        CatalogError: No such name.
        CheckpointError: A file is absent or of another size than was fetched; the text says what to do.
    """
    checkpoint = (catalog or load_catalog()).get(name)
    found = state(checkpoint, checkpoints_dir)
    if found is not State.READY:
        raise CheckpointError(
            folder_of(checkpoint, checkpoints_dir),
            f"the weights {name} are {found.value}",
            "run `python main.py models fetch`" + ("" if checkpoint.is_default else f" {name}"),
        )
    return folder_of(checkpoint, checkpoints_dir)


def folder_of(checkpoint: Checkpoint, checkpoints_dir: Path) -> Path:
    """Where the files of a checkpoint lie, or will lie."""
    if checkpoint.installed_with:
        try:
            return Path(str(importlib.metadata.distribution(checkpoint.installed_with).locate_file("")))
        except importlib.metadata.PackageNotFoundError:
            return checkpoints_dir / checkpoint.name
    return checkpoints_dir / checkpoint.name


def state(checkpoint: Checkpoint, checkpoints_dir: Path) -> State:
    """Judge by stamps and sizes; takes no noticeable time."""
    folder = folder_of(checkpoint, checkpoints_dir)
    whole = [e for e in checkpoint.editions if all(_has_size(folder, f) for f in checkpoint.files_of(e))]
    if checkpoint.installed_with:
        return State.READY if whole else State.ABSENT
    if not whole:
        return State.INCOMPLETE if any((folder / f.path).exists() for f in checkpoint.files) else State.ABSENT
    if not any(_read(folder / FETCHED_STAMP) == _fetched_stamp(checkpoint, e) for e in whole):
        return State.UNCHECKED
    if checkpoint.preparation and not is_prepared(checkpoint, checkpoint.preparation, folder):
        return State.UNPREPARED
    return State.READY


def is_prepared(checkpoint: Checkpoint, preparation: Preparation, folder: Path) -> bool:
    """Whether the derived files are there, whole, and made from the present source in the present way."""
    target = folder / preparation.into
    stamp = _read(target / PREPARED_STAMP)
    if not isinstance(stamp, dict) or not isinstance(sizes := stamp.get("sizes"), dict):
        return False
    present = {name: _size_of(target / name) for name in sizes}
    return bool(sizes) and stamp == _prepared_stamp(checkpoint, preparation, present)


def write_prepared_stamp(checkpoint: Checkpoint, preparation: Preparation, target: Path) -> Path:
    """Record from what and how the files of a derived folder were made, and how large they are; give the stamp."""
    files = sorted(p for p in target.rglob("*") if p.is_file())
    sizes: dict[str, int | None] = {p.relative_to(target).as_posix(): _size_of(p) for p in files}
    stamp = target / PREPARED_STAMP
    write_atomically(stamp, json.dumps(_prepared_stamp(checkpoint, preparation, sizes), indent=1))
    return stamp


def write_fetched_stamp(checkpoint: Checkpoint, edition: str, folder: Path) -> None:
    """Record that the files of an edition were checked against their hashes."""
    write_atomically(folder / FETCHED_STAMP, json.dumps(_fetched_stamp(checkpoint, edition), indent=1))


def _prepared_stamp(
    checkpoint: Checkpoint, preparation: Preparation, sizes: dict[str, int | None]
) -> dict[str, object]:
    """What the stamp of a derived folder says: the source, the maker and the size of each file."""
    (source,) = {f.sha256 for f in checkpoint.files if f.path == preparation.source}
    version = PREPARERS[preparation.preparer].version
    return {"preparer": preparation.preparer, "version": version, "source_sha256": source, "sizes": sizes}


def write_atomically(path: Path, text: str) -> None:
    """Write a small file whole or not at all."""
    partial = path.with_name(path.name + ".part")
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def sha256_of(path: Path, on_bytes: Callable[[int], None] = lambda total: None) -> str:
    """Hash a file.

    Args:
        path: Any file.
        on_bytes: Told the number of bytes read so far.

    Raises:
        OSError: The file cannot be read.
    """
    digest = hashlib.sha256()
    total = 0
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            digest.update(block)
            total += len(block)
            on_bytes(total)
    return digest.hexdigest()


def _has_size(folder: Path, file: WeightsFile) -> bool:
    return _size_of(folder / file.path) == file.size


def _size_of(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None


def _fetched_stamp(checkpoint: Checkpoint, edition: str) -> dict[str, object]:
    return {"edition": edition, "sha256": {f.path: f.sha256 for f in checkpoint.files_of(edition)}}


def _read(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
