"""Makes Kokoro's runtime graphs from the published int8 export. Runs once, after the weights are fetched.

The export is one graph from tokens to sound. It is turned into float32 and cut in two where the sound's time axis is
complete but the costly part has not begun:

- `prosody.onnx`: tokens, style, speed → durations, pitch, energy, features, harmonics. About an eighth of the work.
- `vocoder.onnx`: features, harmonics, style → audio, means, variances. For a whole clause.
- `part_vocoder.onnx`: features, harmonics, style, means, variances → audio. For any stretch of a clause.

With F = sum of the durations, in frames of 600 samples (25 ms at 24 kHz):

| tensor | shape | meaning |
|---|---|---|
| tokens | int64 (1, n + 2) | phoneme ids with 0 at both ends |
| style | (1, 256) | row of the voice file |
| speed | (1,) | 1 is the voice's own rate |
| durations | (1, n + 2) | frames of each token, whole numbers |
| pitch, energy | (1, 2 F) | voice pitch in Hz and loudness on the network's own scale, 80 columns a second |
| features | (1, 512, 2 F) | acoustic features, 80 columns a second |
| harmonics | (1, 22, 120 F + 1) | magnitude and phase of the voiced source, window 20, hop 5 samples |
| means, variances | (1, 8448, 1) | statistics of the vocoder's normalisations, see `models.tts.norms` |
| audio | (600 F,) | sound |
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from models.errors import CheckpointError
from models.tts.dequantise import GraphPatternError, dequantise, remove_unread
from models.tts.norms import expose_statistics, take_statistics

if TYPE_CHECKING:
    import onnx

PROSODY_FILE = "prosody.onnx"
VOCODER_FILE = "vocoder.onnx"
PART_VOCODER_FILE = "part_vocoder.onnx"
GRAPH_FILES = (PROSODY_FILE, VOCODER_FILE, PART_VOCODER_FILE)
STAMP_FILE = "prepared.json"
VERSION = 2
"""Raised whenever the graphs are made in another way; older files are then made anew."""

# Names of the tensors inside the export.
GENERATOR = "/decoder/decoder/generator"
DURATIONS = "/encoder/Clip_output_0"
PITCH = "/encoder/Reshape_output_0"
ENERGY = "/encoder/Reshape_1_output_0"
FEATURES = "/decoder/decoder/decode.3/Div_4_output_0"
HARMONICS = f"{GENERATOR}/Concat_3_output_0"
SOURCE = f"{GENERATOR}/Pad_output_0"
SOURCE_REAL, SOURCE_IMAGINARY = f"{GENERATOR}/Gather_4_output_0", f"{GENERATOR}/Gather_5_output_0"
AUDIO = "audio"
NEW_NAMES = {
    DURATIONS: "durations",
    PITCH: "pitch",
    ENERGY: "energy",
    FEATURES: "features",
    HARMONICS: "harmonics",
}

CUT_SHAPES: dict[str, tuple[int | str, ...]] = {
    FEATURES: (1, 512, "columns"),
    HARMONICS: (1, 22, "source_columns"),
}

SOURCE_WINDOW = 20
SOURCE_HOP = 5
"""Short-time Fourier transform of the voiced source: Hann window and hop, in samples."""
TINY = 1e-20
"""Far below any spectral value, far above the smallest float32."""


def is_prepared(folder: Path) -> bool:
    """Whether the folder holds complete graphs of the present version."""
    try:
        stamp = json.loads((folder / STAMP_FILE).read_text(encoding="utf-8"))
        sizes = {name: (folder / name).stat().st_size for name in GRAPH_FILES}
    except (OSError, ValueError):
        return False
    return bool(stamp == {"version": VERSION, "sizes": sizes})


def prepare(source: Path, folder: Path) -> None:
    """Write the runtime graphs of Kokoro.

    Takes about 10 s and 1.5 GB of memory. An interrupted run leaves no file that `is_prepared` accepts.

    Args:
        source: The int8 export of Kokoro-82M v1.0.
        folder: Where the graphs go; made if it is not there. Needs 410 MB.

    Raises:
        CheckpointError: The export cannot be read or is of another architecture, or the folder cannot be written.
    """
    import onnx
    from google.protobuf.message import DecodeError

    try:
        data = source.read_bytes()
    except OSError as error:
        raise CheckpointError(source, f"cannot be read ({error.strerror})") from error
    try:
        model = onnx.load_model_from_string(data)
        produced = {name for node in model.graph.node for name in node.output}
        if absent := {*NEW_NAMES, SOURCE, SOURCE_REAL, SOURCE_IMAGINARY, AUDIO} - produced:
            raise CheckpointError(source, f"is no Kokoro-82M export (no tensor {sorted(absent)[0]})")
        dequantise(model)
        _transform_source_by_convolution(model.graph)
        prosody = _cut(model, ["tokens", "style", "speed"], [DURATIONS, PITCH, ENERGY, FEATURES, HARMONICS])
        vocoder = _cut(model, [FEATURES, HARMONICS, "style"], [AUDIO])
        part_vocoder = onnx.ModelProto()
        part_vocoder.CopyFrom(vocoder)
        expose_statistics(vocoder)
        take_statistics(part_vocoder)
    except DecodeError as error:
        raise CheckpointError(source, "is damaged or no ONNX file") from error
    except (GraphPatternError, KeyError) as error:  # KeyError: a chain ends where the known export goes on
        raise CheckpointError(source, f"is another export of Kokoro than the one known here ({error})") from error
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / STAMP_FILE).unlink(missing_ok=True)
        for name, part in zip(GRAPH_FILES, (prosody, vocoder, part_vocoder), strict=True):
            _write(folder / name, part.SerializeToString())
        sizes = {name: (folder / name).stat().st_size for name in GRAPH_FILES}
        _write(folder / STAMP_FILE, json.dumps({"version": VERSION, "sizes": sizes}).encode())
    except OSError as error:
        remedy = "free 500 MB of disk space and allow writing there"
        raise CheckpointError(folder, f"cannot be written ({error.strerror})", remedy) from error


def _cut(model: onnx.ModelProto, inputs: list[str], outputs: list[str]) -> onnx.ModelProto:
    """The part of the graph between the named tensors, as a model of its own with readable names."""
    import onnx
    from onnx import TensorProto, helper

    part = onnx.ModelProto()
    part.CopyFrom(model)
    graph = part.graph
    given = {value.name: value for value in [*graph.input, *graph.output]}

    def describe(name: str) -> onnx.ValueInfoProto:
        return given.get(name) or helper.make_tensor_value_info(name, TensorProto.FLOAT, CUT_SHAPES.get(name))

    values = [describe(name) for name in inputs], [describe(name) for name in outputs]
    kept = [node for node in graph.node if not set(node.output) & set(inputs)]
    del graph.node[:], graph.input[:], graph.output[:], graph.value_info[:]
    graph.node.extend(kept)
    graph.input.extend(values[0])
    graph.output.extend(values[1])
    remove_unread(graph)
    for value in [*graph.input, *graph.output]:
        value.name = NEW_NAMES.get(value.name, value.name)
    for node in graph.node:
        node.input[:] = [NEW_NAMES.get(name, name) for name in node.input]
        node.output[:] = [NEW_NAMES.get(name, name) for name in node.output]
    return part


def _transform_source_by_convolution(graph: onnx.GraphProto) -> None:
    """Replace the STFT operator, which is slow on a CPU and absent on CUDA, by a convolution with the same basis."""
    from onnx import helper, numpy_helper

    n = np.arange(SOURCE_WINDOW)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * n / SOURCE_WINDOW)
    bins = np.arange(SOURCE_WINDOW // 2 + 1)
    # Angles in twentieths of a turn, reduced before the sine: the first and the last bin have an imaginary part of 0.
    # The bias makes it positive, since the graph has to take the phase of a negative number for +pi as in training.
    turn = np.outer(bins, n) % SOURCE_WINDOW
    sine = np.where(turn % (SOURCE_WINDOW // 2) == 0, 0.0, np.sin(2 * np.pi * turn / SOURCE_WINDOW))
    basis = np.concatenate([np.cos(2 * np.pi * turn / SOURCE_WINDOW), -sine]) * window
    graph.initializer.extend(
        [
            numpy_helper.from_array(basis[:, None].astype(np.float32), "source_basis"),
            numpy_helper.from_array(np.repeat([0, TINY], len(bins)).astype(np.float32), "source_bias"),
            numpy_helper.from_array(np.array([len(bins), len(bins)], np.int64), "source_bins"),
        ]
    )
    new = [
        helper.make_node("Conv", [SOURCE, "source_basis", "source_bias"], ["source_spectrum"], strides=[SOURCE_HOP]),
        helper.make_node("Split", ["source_spectrum", "source_bins"], [SOURCE_REAL, SOURCE_IMAGINARY], axis=1),
    ]
    nodes = [node for node in graph.node if node.output[0] not in (SOURCE_REAL, SOURCE_IMAGINARY)]
    after = next(i for i, node in enumerate(nodes) if SOURCE in node.output) + 1
    nodes[after:after] = new
    del graph.node[:]
    graph.node.extend(nodes)
    remove_unread(graph)


def _write(path: Path, data: bytes) -> None:
    """Write a whole file or none."""
    partial = path.with_name(path.name + ".part")
    try:
        partial.write_bytes(data)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
