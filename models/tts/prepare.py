"""Makes Kokoro's runtime graphs from the published int8 export. Runs once, after the weights are fetched.

The export is one graph from tokens to sound. It is turned into float32 and cut in two where the sound's time axis is
complete but the costly part has not begun:

- `prosody.onnx`: tokens, style, speed → durations, features, harmonics. About a sixth of the work.
- `vocoder.onnx`: features, harmonics, style → audio. Can be run on any stretch of time.

With F = sum of the durations, in frames of 600 samples (25 ms at 24 kHz):

| tensor | shape | meaning |
|---|---|---|
| tokens | int64 (1, n + 2) | phoneme ids with 0 at both ends |
| style | (1, 256) | row of the voice file |
| speed | (1,) | 1 is the voice's own rate |
| durations | (n + 2,) | frames of each token, whole numbers |
| features | (1, 512, 2 F) | acoustic features, 80 columns a second |
| harmonics | (1, 22, 120 F + 1) | magnitude and phase of the voiced source, window 20, hop 5 samples |
| audio | (600 F,) | sound |
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from models.errors import CheckpointError
from models.tts.dequantise import GraphPatternError, dequantise, remove_unread

if TYPE_CHECKING:
    import onnx

PROSODY_FILE = "prosody.onnx"
VOCODER_FILE = "vocoder.onnx"
STAMP_FILE = "prepared.json"
VERSION = 1
"""Raised whenever the graphs are made in another way; older files are then made anew."""

# Names of the tensors inside the export.
DURATIONS = "/encoder/Clip_output_0"
FEATURES = "/decoder/decoder/decode.3/Div_4_output_0"
HARMONICS = "/decoder/decoder/generator/Concat_3_output_0"
AUDIO = "audio"
NEW_NAMES = {DURATIONS: "durations", FEATURES: "features", HARMONICS: "harmonics"}

CUT_SHAPES: dict[str, tuple[int | str, ...]] = {
    FEATURES: (1, 512, "columns"),
    HARMONICS: (1, 22, "source_columns"),
}


def is_prepared(folder: Path) -> bool:
    """Whether the folder holds complete graphs of the present version."""
    try:
        stamp = json.loads((folder / STAMP_FILE).read_text(encoding="utf-8"))
        sizes = {name: (folder / name).stat().st_size for name in (PROSODY_FILE, VOCODER_FILE)}
    except (OSError, ValueError):
        return False
    return bool(stamp == {"version": VERSION, "sizes": sizes})


def prepare(source: Path, folder: Path) -> None:
    """Write the runtime graphs of Kokoro.

    Takes about 10 s and 1 GB of memory. An interrupted run leaves no file that `is_prepared` accepts.

    Args:
        source: The int8 export of Kokoro-82M v1.0.
        folder: Where the graphs go; made if it is not there. Needs 330 MB.

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
        if absent := {DURATIONS, FEATURES, HARMONICS, AUDIO} - produced:
            raise CheckpointError(source, f"is no Kokoro-82M export (no tensor {sorted(absent)[0]})")
        dequantise(model)
    except DecodeError as error:
        raise CheckpointError(source, "is damaged or no ONNX file") from error
    except GraphPatternError as error:
        raise CheckpointError(source, f"is another export of Kokoro than the one known here ({error})") from error
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / STAMP_FILE).unlink(missing_ok=True)
        prosody = ["tokens", "style", "speed"], [DURATIONS, FEATURES, HARMONICS]
        vocoder = [FEATURES, HARMONICS, "style"], [AUDIO]
        for name, (inputs, outputs) in ((PROSODY_FILE, prosody), (VOCODER_FILE, vocoder)):
            _write(folder / name, _cut(model, inputs, outputs).SerializeToString())
        sizes = {name: (folder / name).stat().st_size for name in (PROSODY_FILE, VOCODER_FILE)}
        _write(folder / STAMP_FILE, json.dumps({"version": VERSION, "sizes": sizes}).encode())
    except OSError as error:
        remedy = "free 400 MB of disk space and allow writing there"
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


def _write(path: Path, data: bytes) -> None:
    """Write a whole file or none."""
    partial = path.with_name(path.name + ".part")
    try:
        partial.write_bytes(data)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
