"""Reads a GGUF file: metadata and tensors, a few rows at a time. Knows nothing about what they are used for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import gguf
import numpy as np
from numpy.typing import NDArray

from models.errors import CheckpointError
from models.types import FloatArray

ROWS_AT_ONCE = 4096
"""Rows dequantised together: at 8192 columns 128 MiB of float32, large enough to keep numpy busy."""

T = TypeVar("T")


class GgufFile:
    """One open GGUF file, memory-mapped."""

    def __init__(self, path: Path) -> None:
        """Open the file and read its header.

        Raises:
            CheckpointError: The file is absent, is no GGUF file, or is shorter than its header says.
        """
        self.path = path
        if not path.is_file():
            raise CheckpointError(path, "is absent")
        try:
            reader = gguf.GGUFReader(path)
        except (ValueError, IndexError, KeyError, OSError) as error:
            raise CheckpointError(path, f"is damaged or no GGUF file ({_one_line(error)})") from error
        self._fields = reader.fields
        self._tensors = {tensor.name: tensor for tensor in reader.tensors}

    def value(self, key: str, default: T) -> T:
        """The metadata entry, or the default when the file has none.

        Raises:
            CheckpointError: The entry is there, but is not of the default's type.
        """
        field = self._fields.get(key)
        if field is None:
            return default
        found = field.contents()
        if isinstance(default, float) and isinstance(found, int):
            found = float(found)
        if not isinstance(found, type(default)):
            raise CheckpointError(
                self.path, f"metadata {key} should be a {type(default).__name__}, not {found!r:.60}"
            )
        return found

    def required(self, key: str, kind: type[T]) -> T:
        """The metadata entry.

        Raises:
            CheckpointError: The file has no such entry, or one of another type.
        """
        if key not in self._fields:
            raise CheckpointError(self.path, f"lacks the metadata {key}", "choose another GGUF file")
        return self.value(key, kind())

    def __contains__(self, tensor: str) -> bool:
        return tensor in self._tensors

    @property
    def tensor_names(self) -> frozenset[str]:
        """Names of all tensors."""
        return frozenset(self._tensors)

    def shape(self, tensor: str) -> tuple[int, ...]:
        """Shape in numpy's order: (rows, columns) for a matrix, (n,) for a vector."""
        return tuple(int(n) for n in reversed(self._tensor(tensor).shape))

    def vector(self, tensor: str) -> FloatArray:
        """A bias or a norm's weight as float32, shape (n,)."""
        found = self._tensor(tensor)
        return np.ascontiguousarray(gguf.dequantize(found.data, found.tensor_type), np.float32).reshape(-1)

    def rows(self, tensor: str, at_once: int = ROWS_AT_ONCE) -> Iterator[tuple[int, FloatArray]]:
        """Yield (first row, float32 of shape (rows, columns)) piece by piece, so that memory stays small."""
        found = self._tensor(tensor)
        for start in range(0, len(found.data), at_once):
            block = gguf.dequantize(found.data[start : start + at_once], found.tensor_type)
            yield start, np.asarray(block, np.float32)

    def kind(self, tensor: str) -> gguf.GGMLQuantizationType:
        """How the tensor's numbers are stored."""
        return gguf.GGMLQuantizationType(self._tensor(tensor).tensor_type)

    def raw_rows(self, tensor: str, at_once: int = ROWS_AT_ONCE) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        """Yield (first row, bytes as stored, shape (rows, bytes of a row)) piece by piece."""
        data = self._tensor(tensor).data
        for start in range(0, len(data), at_once):
            block = np.ascontiguousarray(data[start : start + at_once])
            yield start, block.view(np.uint8).reshape(len(block), -1)

    def _tensor(self, name: str) -> Any:
        try:
            return self._tensors[name]
        except KeyError:
            raise CheckpointError(self.path, f"lacks the tensor {name}", "choose another GGUF file") from None


def quantise_rows(file: GgufFile, tensor: str) -> tuple[NDArray[np.int8], FloatArray]:
    """Dequantise a matrix and quantise it again to eight bits, one scale per row.

    Returns:
        int8 of shape (rows, columns) and float32 scales of shape (rows,), such that weight = int8 / scale.
    """
    shape = file.shape(tensor)
    weight = np.empty(shape, np.int8)
    scale = np.empty(shape[0], np.float32)
    for start, block in file.rows(tensor):
        peak = np.abs(block).max(axis=1)
        peak[peak == 0] = 127.0  # a row of zeros: any scale will do
        factor = np.float32(127.0) / peak
        scale[start : start + len(block)] = factor
        weight[start : start + len(block)] = np.rint(block * factor[:, None])
    return weight, scale


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:120]
