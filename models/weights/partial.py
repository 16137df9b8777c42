"""A file on its way: grows, is hashed while it grows, and takes its place only when it is whole and right."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

from models.weights.errors import DiskFullError, FetchError
from models.weights.store import BLOCK_BYTES

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn failures of the disk into one line.

    Raises:
        DiskFullError: Writing failed, for want of room or of permission.
    """
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            reason = "the disk is full; free some space and run the same command again, it goes on where it stopped"
        else:
            reason = f"{error.strerror or error}; check the folder and run the same command again"
        raise DiskFullError(f"{path}: cannot be written: {reason}") from error


class PartialFile:
    """What has arrived of a file, kept across runs, whatever the source of its bytes."""

    def __init__(self, path: Path, size: int, on_bytes: Callable[[int], None] = lambda total: None) -> None:
        """Open the file, keeping what an earlier run left.

        Args:
            path: Place of the unfinished file.
            size: Bytes of the finished file.
            on_bytes: Told the number of bytes present.

        Raises:
            DiskFullError: It cannot be written.
        """
        self.path = path
        self.size = size
        self._on_bytes = on_bytes
        with disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+b")
            self._digest = hashlib.sha256()
            self.offset = 0
            self._file.seek(0)
            while block := self._file.read(BLOCK_BYTES):
                self._digest.update(block)
                self.offset += len(block)
        self.was_resumed = self.offset > 0
        if self.offset > size:
            self.restart()
        on_bytes(self.offset)

    def __enter__(self) -> PartialFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with disk_errors(self.path):
            self._file.close()

    def restart(self) -> None:
        """Forget what arrived."""
        with disk_errors(self.path):
            self._file.truncate(0)
        self._digest = hashlib.sha256()
        self.offset = 0
        self.was_resumed = False
        self._on_bytes(0)

    def write(self, block: bytes) -> None:
        """Append.

        Raises:
            FetchError: More arrives than the file holds.
            DiskFullError: It cannot be written.
        """
        if self.offset + len(block) > self.size:
            raise FetchError(f"{self.path.name}: more than the {self.size} bytes that the catalogue names arrived")
        with disk_errors(self.path):
            self._file.write(block)
        self._digest.update(block)
        self.offset += len(block)
        self._on_bytes(self.offset)

    def finish(self, sha256: str, target: Path) -> None:
        """Check size and hash and move the file to its place.

        Raises:
            FetchError: It is too short (what is there stays for the next try) or wrong (it is thrown away).
            DiskFullError: It cannot be written.
        """
        if self.offset < self.size:
            raise FetchError(f"{target.name}: only {self.offset} of {self.size} bytes arrived")
        if self._digest.hexdigest() != sha256:
            self.restart()
            raise FetchError(f"{target.name}: the content is not what the catalogue names (wrong sha256)")
        with disk_errors(self.path):
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.path, target)
