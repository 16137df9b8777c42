"""Writes a folder with which a machine that never sees a network can be set up."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from models.weights.catalog import Checkpoint
from models.weights.errors import FetchError
from models.weights.partial import disk_errors
from models.weights.progress import Progress
from models.weights.store import folder_of, write_atomically

WHEELS = "wheels"
CHECKPOINTS = "checkpoints"
HOW_TO = "HOW-TO.txt"
HOW_TO_TEXT = (
    "On the machine without network (same system and Python): KIOSK_BUNDLE=<this folder> bash installer/run.sh\n"
)


def write_bundle(
    folder: Path, checkpoints: Sequence[Checkpoint], checkpoints_dir: Path, locks: Sequence[Path], progress: Progress
) -> None:
    """Copy ready weights and fetch the pinned Python packages.

    Args:
        folder: Made if absent; files that are there already are kept.
        checkpoints: Ready ones.
        checkpoints_dir: Where they lie.
        locks: Requirement files with hashes.
        progress: Shown to the user.

    Raises:
        FetchError: pip cannot fetch a package.
        DiskFullError: The folder cannot be written.
    """
    with disk_errors(folder):
        (folder / WHEELS).mkdir(parents=True, exist_ok=True)
    for checkpoint in checkpoints:
        if not checkpoint.installed_with:
            _copy(checkpoint, checkpoints_dir, folder, progress)
    for lock in locks:
        progress.note(f"fetching the Python packages of {lock.name}")
        _download(lock, folder / WHEELS)
    with disk_errors(folder):
        write_atomically(folder / HOW_TO, HOW_TO_TEXT)


def _copy(checkpoint: Checkpoint, checkpoints_dir: Path, folder: Path, progress: Progress) -> None:
    source, target = folder_of(checkpoint, checkpoints_dir), folder / CHECKPOINTS / checkpoint.name
    files = [f for f in checkpoint.files if (source / f.path).is_file()]
    progress.begin(f"{checkpoint.name}: copying", sum(f.size for f in files))
    done = 0
    try:
        with disk_errors(target):
            for file in files:
                copy = target / file.path
                if not (copy.is_file() and copy.stat().st_size == file.size):
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    partial = copy.with_name(copy.name + ".part")
                    shutil.copyfile(source / file.path, partial)
                    partial.replace(copy)
                done += file.size
                progress.update(done)
    finally:
        progress.end()


def _download(lock: Path, folder: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
        "--no-deps",
    ]
    # Packages that exist as source alone are built with the locked setuptools, not with whatever is newest.
    command += [
        "--no-build-isolation",
        "--ignore-requires-python",
        "--require-hashes",
        "--requirement",
        str(lock),
        "--dest",
        str(folder),
    ]
    result = subprocess.run(command, stdout=sys.stderr, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode:
        errors = [line for line in result.stderr.splitlines() if line.startswith("ERROR: ")]
        reason = (errors or result.stderr.splitlines() or ["no reason given"])[-1]
        raise FetchError(f"{lock.name}: pip cannot fetch the packages ({reason.removeprefix('ERROR: '):.200})")
