"""The edits of ONNX graphs, on small graphs that are made here."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from models.errors import CheckpointError
from models.tts.dequantise import GraphPatternError, dequantise
from models.tts.norms import expose_statistics, take_statistics
from models.tts.prepare import is_prepared, prepare

CHANNELS = 8


def _run(model: onnx.ModelProto, **feed: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    outputs: list[NDArray[np.float32]] = session.run(None, feed)
    return outputs


def _model(
    nodes: list[onnx.NodeProto], weights: dict[str, NDArray[np.generic]], inputs: dict[str, list[int | str]]
) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


@pytest.mark.parametrize("kind", ["conv", "matmul", "lstm"])
def test_float_graph_stays_close_to_the_quantised_one(tmp_path: Path, kind: str) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((1, CHANNELS, 12)).astype(np.float32)
    if kind == "conv":
        weights = {
            "w": rng.standard_normal((6, CHANNELS, 3)).astype(np.float32),
            "b": rng.standard_normal(6).astype(np.float32),
        }
        nodes = [helper.make_node("Conv", ["x", "w", "b"], ["y"], name="conv", pads=[2, 2], dilations=[2])]
    elif kind == "matmul":
        weights = {"w": rng.standard_normal((12, 5)).astype(np.float32)}
        nodes = [helper.make_node("MatMul", ["x", "w"], ["y"], name="product")]
    else:
        weights = {
            "w": rng.standard_normal((2, 20, 12)).astype(np.float32),
            "r": 0.1 * rng.standard_normal((2, 20, 5)).astype(np.float32),
            "b": rng.standard_normal((2, 40)).astype(np.float32),
        }
        nodes = [
            helper.make_node(
                "LSTM", ["x", "w", "r", "b"], ["y"], name="rnn", hidden_size=5, direction="bidirectional"
            )
        ]
    source, quantised = tmp_path / "float.onnx", tmp_path / "int8.onnx"
    onnx.save(_model(nodes, weights, {"x": [1, CHANNELS, 12]}), source)
    quantize_dynamic(source, quantised, weight_type=QuantType.QUInt8 if kind == "conv" else QuantType.QInt8)
    model = onnx.load(quantised)
    integer_nodes = {node.op_type for node in model.graph.node}
    assert integer_nodes & {"ConvInteger", "MatMulInteger", "DynamicQuantizeLSTM"}
    (expected,) = _run(onnx.load(source), x=x)
    dequantise(model)
    assert not {node.op_type for node in model.graph.node} & integer_nodes - {"Reshape", "Add"}
    (actual,) = _run(model, x=x)
    assert actual.shape == expected.shape
    assert np.abs(actual - expected).max() < 0.03 * np.abs(expected).max()


def _normaliser() -> onnx.ModelProto:
    """Style → gain and offset; x → convolution of width 3 → instance normalisation with them."""
    rng = np.random.default_rng(1)
    weights = {
        "kernel": rng.standard_normal((CHANNELS, CHANNELS, 3)).astype(np.float32),
        "fc": rng.standard_normal((4, 2 * CHANNELS)).astype(np.float32),
        "fc_bias": rng.standard_normal(2 * CHANNELS).astype(np.float32),
        "one": np.float32(1.0),
        "eps": np.float32(1e-5),
        "axis": np.array([2], np.int64),
        "halves": np.array([CHANNELS, CHANNELS], np.int64),
    }
    make = helper.make_node
    nodes = [
        make("MatMul", ["style", "fc"], ["raw"]),
        make("Add", ["raw", "fc_bias"], ["both"]),
        make("Unsqueeze", ["both", "axis"], ["column"]),
        make("Split", ["column", "halves"], ["gamma", "beta"], axis=1),
        make("Add", ["gamma", "one"], ["gain"]),
        make("Conv", ["x", "kernel"], ["c"], pads=[1, 1]),
        make("ReduceMean", ["c", "axis"], ["mean"], keepdims=1),
        make("Sub", ["c", "mean"], ["centred"]),
        make("Mul", ["centred", "centred"], ["square"]),
        make("ReduceMean", ["square", "axis"], ["variance"], keepdims=1),
        make("Add", ["variance", "eps"], ["shifted"]),
        make("Sqrt", ["shifted"], ["deviation"]),
        make("Div", ["centred", "deviation"], ["normalised"]),
        make("Mul", ["gain", "normalised"], ["scaled"]),
        make("Add", ["scaled", "beta"], ["y"]),
    ]
    return _model(nodes, weights, {"x": [1, CHANNELS, "t"], "style": [1, 4]})


def test_part_with_given_statistics_equals_the_same_part_of_the_whole() -> None:
    rng = np.random.default_rng(2)
    x = rng.standard_normal((1, CHANNELS, 50)).astype(np.float32)
    style = rng.standard_normal((1, 4)).astype(np.float32)
    whole, parts = _normaliser(), _normaliser()
    expose_statistics(whole)
    take_statistics(parts)
    expected, means, variances = _run(whole, x=x, style=style)
    part = _run(parts, x=x[:, :, 19:31], style=style, means=means, variances=variances)[0]
    assert np.abs(part[:, :, 1:-1] - expected[:, :, 20:30]).max() < 1e-4
    alone = _run(_normaliser(), x=x[:, :, 19:31], style=style)[0]
    assert np.abs(alone[:, :, 1:-1] - expected[:, :, 20:30]).max() > 0.05


def test_graph_without_normalisations_is_refused() -> None:
    model = _model([helper.make_node("Relu", ["x"], ["y"])], {}, {"x": [1, CHANNELS, "t"]})
    with pytest.raises(GraphPatternError, match="no instance normalisation"):
        expose_statistics(model)


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot be read"), (b"not a graph", "damaged or no ONNX file"), (b"", "no Kokoro-82M export")],
)
def test_wrong_export_is_refused_and_leaves_nothing(tmp_path: Path, content: bytes | None, message: str) -> None:
    source, folder = tmp_path / "source.onnx", tmp_path / "graphs"
    if content is not None:
        source.write_bytes(content)
    with pytest.raises(CheckpointError, match=message):
        prepare(source, folder)
    assert not folder.exists()
    assert not is_prepared(folder)


def test_half_written_graphs_do_not_count_as_prepared(tmp_path: Path) -> None:
    (tmp_path / "prepared.json").write_text('{"version": 2, "sizes": {"prosody.onnx": 3}}', encoding="utf-8")
    (tmp_path / "prosody.onnx").write_bytes(b"abc")
    assert not is_prepared(tmp_path)
