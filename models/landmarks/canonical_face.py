"""The canonical face that lies beside the networks in a `.task` archive: mesh, and which points fix the pose.

The file is a small protocol buffer; the few wire types it uses are read here, so that no protobuf package is needed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.types import FloatArray

_VARINT, _BYTES, _FIXED32 = 0, 2, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalFace:
    """A mean face seen from the front."""

    vertices: FloatArray
    """Centimetres, x to the viewer's right, y up, z towards the viewer, shape (468, 3)."""
    triangles: NDArray[np.int32]
    """Vertex numbers, shape (898, 3)."""
    pose_points: NDArray[np.int32]
    """Numbers of the points that fix the pose, shape (33,)."""
    pose_weights: FloatArray
    """Their weights, shape (33,)."""


def read_canonical_face(data: bytes) -> CanonicalFace:
    """Decode `geometry_pipeline_metadata_landmarks.binarypb`.

    Raises:
        ValueError: The bytes are no such message.
    """
    floats: list[float] = []
    indices: list[int] = []
    weights: dict[int, float] = {}
    for number, value in _fields(data):
        if number == 1 and isinstance(value, bytes):
            for inner, item in _fields(value):
                if inner == 3 and isinstance(item, float):
                    floats.append(item)
                elif inner == 4 and isinstance(item, int):
                    indices.append(item)
        elif number == 2 and isinstance(value, bytes):
            entry = dict(_fields(value))
            weights[int(entry.get(1, 0))] = float(entry.get(2, 0.0))
    vertices = np.array(floats, np.float32)
    triangles = np.array(indices, np.int32)
    if vertices.size != 468 * 5 or triangles.size != 898 * 3 or not weights:
        raise ValueError("not the metadata of the canonical face")
    return CanonicalFace(
        vertices=vertices.reshape(468, 5)[:, :3].copy(),
        triangles=triangles.reshape(898, 3),
        pose_points=np.array(list(weights), np.int32),
        pose_weights=np.array(list(weights.values()), np.float32),
    )


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _fields(data: bytes) -> Iterator[tuple[int, int | float | bytes]]:
    """Yield (field number, value) of one message."""
    at = 0
    try:
        while at < len(data):
            tag, at = _varint(data, at)
            kind = tag & 7
            value: int | float | bytes
            if kind == _VARINT:
                value, at = _varint(data, at)
            elif kind == _FIXED32:
                value = struct.unpack_from("<f", data, at)[0]
                at += 4
            elif kind == _BYTES:
                size, at = _varint(data, at)
                value = data[at : at + size]
                at += size
            else:
                raise ValueError(f"wire type {kind} is not expected")
            yield tag >> 3, value
    except (IndexError, struct.error) as error:
        raise ValueError("the message is cut off") from error
