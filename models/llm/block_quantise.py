"""Weights as ONNX Runtime's MatMulNBits reads them: whole numbers in blocks of 32 along a row.

A block has one scale and one zero point, a whole number as well: weight = (number - zero point) * scale.

Four-bit tensors of the kind Q4_K keep their numbers and scales as they are, so nothing is lost a second time. But
their blocks have an offset of any size where MatMulNBits has a whole zero point, and the difference is constant in a
block: it enters a product as difference times the sum of the input's block. So it becomes further columns, one to a
block, that are multiplied with these sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import gguf
import numpy as np
from numpy.typing import NDArray

from models.llm.gguf_file import GgufFile
from models.types import FloatArray

BLOCK = 32
"""Weights to a scale, as in all kinds of GGUF tensors but Q2_K, Q3_K and Q6_K, which have sixteen."""
FOUR_BIT_KIND = gguf.GGMLQuantizationType.Q4_K

_SUPER_BLOCK = 256
"""Weights of Q4_K with a common pair of half-precision factors."""
_PARTS = (2, 4, 16)
"""Bytes after which end: scale factor, offset factor, six-bit scales and offsets. 128 bytes of numbers follow."""

ByteArray = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class BlockWeights:
    """One matrix of N rows and K columns, B = ceil(K / 32) blocks to a row."""

    bits: int
    """4 or 8."""
    columns: int
    """K, those for block sums included."""
    numbers: ByteArray
    """(N, B, 4 * bits): 4-bit numbers in pairs, the first in the lower half of a byte."""
    scales: FloatArray
    """(N, B)"""
    zero_points: ByteArray
    """(N, ceil(B * bits / 8)), packed the same way."""


class _Blocks(NamedTuple):
    """Rows that are not packed yet."""

    numbers: ByteArray
    """(N, B, 32)"""
    scales: FloatArray
    """(N, B)"""
    zero_points: ByteArray
    """(N, B)"""


def has_four_bits(file: GgufFile, tensors: list[str]) -> bool:
    """Whether all of these can be taken over as they are; their product then needs the input's block sums."""
    return all(file.kind(tensor) == FOUR_BIT_KIND for tensor in tensors)


def block_weights(file: GgufFile, tensors: list[str]) -> BlockWeights:
    """Matrices with equally many columns, stacked by rows: four bits if all have them, else eight.

    Raises:
        CheckpointError: One is absent.
    """
    columns = file.shape(tensors[0])[1]
    if has_four_bits(file, tensors):
        parts = [_take_four_bits(rows) for tensor in tensors for _, rows in file.raw_rows(tensor)]
        bits, columns = 4, columns + columns // BLOCK
    else:
        parts = [_quantise(rows, 8) for tensor in tensors for _, rows in file.rows(tensor)]
        bits = 8
    return BlockWeights(
        bits,
        columns,
        _pack(np.concatenate([part.numbers for part in parts]), bits),
        np.concatenate([part.scales for part in parts]),
        _pack(np.concatenate([part.zero_points for part in parts]), bits),
    )


def _take_four_bits(rows: ByteArray) -> _Blocks:
    """Take the bytes of Q4_K rows apart, and append the columns for block sums."""
    super_blocks = rows.reshape(-1, _PARTS[-1] + _SUPER_BLOCK // 2)
    factor, offset_factor, packed, numbers = np.split(super_blocks, _PARTS, axis=1)
    scale_numbers, offset_numbers = gguf.quants.Q4_K.get_scale_min(packed)
    scales = _times(factor, scale_numbers).reshape(len(rows), -1)
    offsets = _times(offset_factor, offset_numbers).reshape(len(rows), -1)  # weight = number * scale - offset
    # 32 bytes hold a block in their lower halves and the next one in their upper halves.
    halves = numbers.reshape(-1, 1, BLOCK) >> np.array([0, 4], np.uint8)[:, None] & np.uint8(15)
    nearest = np.rint(offsets / np.where(scales == 0, np.float32(1), scales))
    zero_points = np.clip(nearest, 0, 15).astype(np.uint8)
    taken = _Blocks(halves.reshape(len(rows), -1, BLOCK), scales, zero_points)
    differences = _quantise(zero_points * scales - offsets, 4)
    return _Blocks(
        np.concatenate([taken.numbers, differences.numbers], axis=1),
        np.concatenate([taken.scales, differences.scales], axis=1),
        np.concatenate([taken.zero_points, differences.zero_points], axis=1),
    )


def _times(half: ByteArray, numbers: ByteArray) -> FloatArray:
    return half.copy().view(np.float16).astype(np.float32) * numbers


def _quantise(rows: FloatArray, bits: int) -> _Blocks:
    """The nearest numbers to these rows; 0 stays 0."""
    top = np.float32((1 << bits) - 1)
    padded = np.pad(rows, ((0, 0), (0, -rows.shape[1] % BLOCK)))
    blocks = padded.reshape(len(rows), -1, BLOCK)
    low, high = np.minimum(blocks.min(axis=2), 0), np.maximum(blocks.max(axis=2), 0)
    scales = np.where(high > low, (high - low) / top, np.float32(1)).astype(np.float32)
    zero_points = np.rint(-low / scales)
    numbers = np.clip(np.rint(blocks / scales[..., None]) + zero_points[..., None], 0, top)
    return _Blocks(numbers.astype(np.uint8), scales, zero_points.astype(np.uint8))


def _pack(numbers: ByteArray, bits: int) -> ByteArray:
    if bits == 8:
        return numbers
    even = np.pad(numbers, [*[(0, 0)] * (numbers.ndim - 1), (0, numbers.shape[-1] % 2)])
    packed: ByteArray = even[..., ::2] | even[..., 1::2] << np.uint8(4)
    return packed
