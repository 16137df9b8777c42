"""Reads Kokoro's vocabulary and voice files and opens its graphs."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from models.errors import CheckpointError
from models.types import FloatArray

if TYPE_CHECKING:
    import onnxruntime

log = logging.getLogger("tts")

STYLE_ROWS = 510
"""One style vector for each length of the token sequence, from 1."""
STYLE_WIDTH = 256
RESTORE = "restore it from the installation"


def load_vocabulary(path: Path) -> dict[str, int]:
    """Read phoneme → token id.

    Raises:
        CheckpointError: The file cannot be read or has no vocabulary.
    """
    try:
        table = json.loads(path.read_text(encoding="utf-8"))["vocab"]
        return {str(symbol): int(token) for symbol, token in table.items()}
    except OSError as error:
        raise CheckpointError(path, f"cannot be read ({error.strerror})", RESTORE) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(path, "holds no phoneme vocabulary", RESTORE) from error


def load_style(path: Path) -> FloatArray:
    """Read a voice: float32, shape (510, 256); row n − 1 is for n phonemes.

    Raises:
        CheckpointError: The file cannot be read or has another size.
    """
    try:
        style = np.fromfile(path, np.float32)
    except OSError as error:
        raise CheckpointError(
            path, f"cannot be read ({error.strerror})", "choose a voice of resources/voices"
        ) from error
    if style.size != STYLE_ROWS * STYLE_WIDTH or not np.isfinite(style).all():
        raise CheckpointError(path, f"is no Kokoro voice of {STYLE_ROWS} x {STYLE_WIDTH} numbers", RESTORE)
    return style.reshape(STYLE_ROWS, STYLE_WIDTH)


def open_session(
    path: Path, *, device: Literal["cpu", "cuda"], threads: int, extra_output: str = ""
) -> onnxruntime.InferenceSession:
    """Open a graph on the device; CUDA falls back to the CPU, with a warning, where it is not to be had.

    Args:
        path: The graph.
        device: Where it runs.
        threads: CPU threads.
        extra_output: Name of a float tensor inside the graph to give out too.

    Raises:
        CheckpointError: The graph cannot be read.
    """
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as errors

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Lengths change with every clause: a memory plan for one shape is of no use for the next.
    options.enable_mem_pattern = False
    # Idle threads sleep: the language model and the face use the same cores meanwhile.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    providers = ["CPUExecutionProvider"]
    if device == "cuda":
        if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
            providers.insert(0, "CUDAExecutionProvider")
        else:
            log.warning("this ONNX Runtime has no CUDA provider; the voice runs on the CPU")
    known = (errors.Fail, errors.InvalidProtobuf, errors.InvalidGraph, errors.InvalidArgument)
    try:
        # Given as a path: from bytes, the runtime would hold the weights twice for as long as it lives.
        model = _with_output(path.read_bytes(), extra_output) if extra_output else str(path)
        return onnxruntime.InferenceSession(model, options, providers=providers)
    except errors.NoSuchFile as error:
        raise CheckpointError(path, "is missing") from error
    except OSError as error:
        raise CheckpointError(path, f"cannot be read ({error.strerror})") from error
    except known as error:
        raise CheckpointError(path, "is damaged or of another version") from error


def _with_output(data: bytes, name: str) -> bytes:
    """Declare one more output.

    A serialised message appended to another is merged into it, lists being joined: no need to parse the graph.
    """
    from onnx import GraphProto, ModelProto, TensorProto, helper

    addition = ModelProto(graph=GraphProto(output=[helper.make_tensor_value_info(name, TensorProto.FLOAT, None)]))
    return data + bytes(addition.SerializeToString())
