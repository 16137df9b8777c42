"""The face detector (BlazeFace, short range): boxes and eye points, before and after the network.

Source: Bazarevsky et al., "BlazeFace" (2019); layout of the outputs: MediaPipe's face detector, Apache-2.0.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.types import FloatArray

INPUT_SIDE = 128
_STRIDES = ((8, 2), (16, 6))  # (pixels of a cell, anchors in it): 16*16*2 + 8*8*6 = 896 anchors
_SAME_FACE_OVERLAP = 0.3  # intersection over union from which two hits are one face


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedFace:
    """One hit of the detector, in pixels of the picture."""

    score: float
    """0..1."""
    box: FloatArray
    """Left, top, right, bottom, shape (4,)."""
    eyes: FloatArray
    """Right and left eye of the person, shape (2, 2)."""


def make_anchors() -> FloatArray:
    """Centres of the anchors in parts of the square, shape (896, 2)."""
    anchors = []
    for stride, per_cell in _STRIDES:
        cells = INPUT_SIDE // stride
        centres = (np.arange(cells) + 0.5) / cells
        y, x = np.meshgrid(centres, centres, indexing="ij")
        anchors.append(np.repeat(np.stack([x, y], -1).reshape(-1, 2), per_cell, 0))
    return np.concatenate(anchors).astype(np.float32)


def detector_input(rgb: NDArray[np.uint8]) -> tuple[FloatArray, float, FloatArray]:
    """Scale a picture into the network's square.

    Args:
        rgb: Picture, shape (H, W, 3).

    Returns:
        The blob in [-1, 1], shape (1, 3, 128, 128); the side of the square in pixels of the picture; the padding
        left and above in pixels of the picture, shape (2,).
    """
    height, width = rgb.shape[:2]
    side = max(height, width)
    scale = INPUT_SIDE / side
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(rgb, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    left, top = (INPUT_SIDE - size[0]) // 2, (INPUT_SIDE - size[1]) // 2
    square = np.zeros((INPUT_SIDE, INPUT_SIDE, 3), np.uint8)
    square[top : top + size[1], left : left + size[0]] = small
    blob = (square.astype(np.float32) / 127.5 - 1).transpose(2, 0, 1)[None]
    return blob, float(side), np.array([left, top], np.float32) / scale


def read_hits(
    regressors: FloatArray,
    logits: FloatArray,
    anchors: FloatArray,
    side: float,
    padding: FloatArray,
    threshold: float,
) -> list[DetectedFace]:
    """Turn the network's outputs into faces, best score first.

    Overlapping hits are averaged by their scores, not dropped: less jitter than plain non-maximum suppression.

    Args:
        regressors: Box and six key points of each anchor in pixels of the square, shape (896, 16).
        logits: Score of each anchor, shape (896,).
        anchors: From `make_anchors`.
        side: From `detector_input`.
        padding: From `detector_input`.
        threshold: Lowest score of a face, 0..1.
    """
    scores = 1 / (1 + np.exp(-np.clip(logits, -60, 60)))
    keep = np.flatnonzero(scores > threshold)
    keep = keep[np.argsort(-scores[keep])]
    scores, found, centres = scores[keep], regressors[keep] / INPUT_SIDE, anchors[keep]
    middle, size = found[:, :2] + centres, found[:, 2:4]
    boxes = np.concatenate([middle - size / 2, middle + size / 2], 1)
    eyes = found[:, 4:8].reshape(-1, 2, 2) + centres[:, None]
    faces = []
    left = np.arange(len(keep))
    while len(left):
        same = left[_overlap(boxes[left], boxes[left[0]]) > _SAME_FACE_OVERLAP]
        if not len(same):  # a box without area overlaps nothing, not even itself
            same = left[:1]
        weight = scores[same] / scores[same].sum()
        faces.append(
            DetectedFace(
                score=float(scores[left[0]]),
                box=np.asarray(weight @ boxes[same] * side - np.tile(padding, 2), np.float32),
                eyes=np.asarray(np.tensordot(weight, eyes[same], 1) * side - padding, np.float32),
            )
        )
        left = np.setdiff1d(left, same, assume_unique=True)
    return faces


def _overlap(boxes: FloatArray, box: FloatArray) -> FloatArray:
    shared = np.clip(np.minimum(boxes[:, 2:], box[2:]) - np.maximum(boxes[:, :2], box[:2]), 0, None).prod(1)
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(1)
    return np.asarray(shared / np.maximum(areas + (box[2:] - box[:2]).prod() - shared, 1e-9), np.float32)
