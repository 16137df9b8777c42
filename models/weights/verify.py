"""Checks every byte of weights against the catalogue."""

from __future__ import annotations

from pathlib import Path

from models.weights.catalog import Checkpoint
from models.weights.progress import Progress
from models.weights.store import State, folder_of, sha256_of, state


def problems(checkpoint: Checkpoint, checkpoints_dir: Path, progress: Progress) -> list[str]:
    """Hash all files of the edition that is there.

    Returns:
        One line for each thing that is wrong; empty when the checkpoint may be used.
    """
    found = state(checkpoint, checkpoints_dir)
    if found in (State.ABSENT, State.INCOMPLETE):
        return [f"{checkpoint.name}: {found.value}"]
    folder = folder_of(checkpoint, checkpoints_dir)
    wrong: list[str] = []
    for file in checkpoint.files_of(_edition(checkpoint, folder)):
        progress.begin(f"{checkpoint.name}/{file.path}", file.size)
        try:
            if sha256_of(folder / file.path, progress.update) != file.sha256:
                wrong.append(f"{checkpoint.name}/{file.path}: damaged (wrong sha256)")
        except OSError as error:
            wrong.append(f"{checkpoint.name}/{file.path}: cannot be read ({error.strerror})")
        finally:
            progress.end()
    if not wrong and found is not State.READY:
        wrong.append(f"{checkpoint.name}: {found.value}")
    return wrong


def _edition(checkpoint: Checkpoint, folder: Path) -> str:
    complete = (
        edition
        for edition in checkpoint.editions
        if all((folder / f.path).is_file() for f in checkpoint.files_of(edition))
    )
    return next(complete, checkpoint.editions[0])
