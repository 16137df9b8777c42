"""Opening small ONNX networks on the CPU, with errors that say what to do."""

from __future__ import annotations

from pathlib import Path

import onnxruntime as ort
from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors

from models.errors import CheckpointError


def open_session(path: Path, threads: int) -> ort.InferenceSession:
    """Open a network on the CPU.

    Args:
        path: An ONNX file; large weights may lie in other files of its folder.
        threads: For one operator; operators run one after the other.

    Raises:
        CheckpointError: The file is absent, cannot be read or is no ONNX graph.
    """
    if not path.is_file():
        raise CheckpointError(path, "is missing")
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Workers that spin between two calls would keep a core busy for nothing.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(path.parent))
    try:
        # Bytes, not the path: C++ cannot open every name on Windows.
        return ort.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])
    except OSError as error:
        raise CheckpointError(path, f"cannot be read ({error.strerror})") from error
    except (
        ort_errors.Fail,
        ort_errors.InvalidArgument,
        ort_errors.InvalidGraph,
        ort_errors.InvalidProtobuf,
        ort_errors.NotImplemented,
        ort_errors.RuntimeException,
    ) as error:
        raise CheckpointError(path, "is damaged or no ONNX graph") from error


def check_names(path: Path, session: ort.InferenceSession, inputs: set[str], outputs: set[str], what: str) -> None:
    """Make sure that a file holds the network it should.

    Raises:
        CheckpointError: Its inputs or outputs have other names.
    """
    found_inputs, found_outputs = {i.name for i in session.get_inputs()}, {o.name for o in session.get_outputs()}
    if found_inputs != inputs or found_outputs != outputs:
        names = ", ".join(sorted(found_inputs | found_outputs))
        raise CheckpointError(path, f"is not {what} (its inputs and outputs are {names})")
