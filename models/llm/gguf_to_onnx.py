"""Turns a GGUF file into a graph for ONNX Runtime with four- and eight-bit weights, without torch.

Done once, when weights are fetched; takes half a minute per thousand million parameters.

- `model.onnx`: the graph; `weights.bin`: its weights.
- `embeddings.npy`: the rows of the embedding as the GGUF file stores them, (vocabulary, bytes of a row). They stay
  outside of the graph: a step reads only its own tokens' rows from the disk's cache.

| tensor | shape | meaning |
|---|---|---|
| embeddings | float32 (1, n, width) | the new tokens' vectors |
| first | int64 (1,) | place among the new tokens from which on predictions are wanted; n for none |
| last_position | int32 (1,) | position of the last new token in the whole text |
| num_tokens | int32 () | length of the whole text |
| past_i, present_i | float32 (1, heads, context, head) | layer i // 2: keys (even i), values (odd i); one buffer |
| logits | float32 (1, m, vocabulary) | after each of the last m = n - first tokens |
| ids | int64 (1, m) | the likeliest token there |
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from models.llm.block_quantise import BLOCK, block_weights, has_four_bits
from models.llm.chat_files import ChatFiles
from models.llm.choose import ONNX_GRAPH, ONNX_WEIGHTS
from models.llm.gguf_decoder import DecoderShape, Progress, read_decoder_shape
from models.llm.gguf_file import GgufFile
from models.llm.onnx_decoder import EMBEDDING_KIND, EMBEDDINGS_FILE
from models.types import FloatArray

ALIGNMENT = 4096
"""Of each tensor in the weights file, in bytes: what mapping a file into memory asks for."""
MICROSOFT = "com.microsoft"
OPSET = 21
IR_VERSION = 10
INT8_INPUT = 4
"""Accuracy level at which MatMulNBits rounds its input to eight bits by blocks and computes in whole numbers."""
_TYPES: Final = {np.dtype(np.uint8): TensorProto.UINT8, np.dtype(np.float32): TensorProto.FLOAT}


def convert(source: Path, folder: Path, progress: Progress | None = None) -> None:
    """Write graph, weights, embedding, tokenizer, chat template and facts about generation.

    Args:
        source: A GGUF file of a Qwen2 or Llama model with a byte-level BPE vocabulary and a chat template.
        folder: Receives the files; made if absent. On an error it may be left half-filled: use a scratch folder.
        progress: Told after each layer.

    Raises:
        CheckpointError: The file is damaged, or of a kind that cannot be converted.
        OSError: The folder cannot be written.
    """
    file = GgufFile(source)
    shape = read_decoder_shape(file)
    chat_files = ChatFiles.from_gguf(file)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ONNX_WEIGHTS).open("wb") as weights:
        graph = _Graph(file, shape, weights)
        model = graph.build(progress or (lambda share: None))
    (folder / ONNX_GRAPH).write_bytes(model.SerializeToString())
    rows = [block for _, block in file.raw_rows("token_embd.weight")]
    np.save(folder / EMBEDDINGS_FILE, np.concatenate(rows))
    chat_files.save(folder)


class _Graph:
    """Collects nodes; writes each weight as soon as it is made."""

    def __init__(self, file: GgufFile, shape: DecoderShape, weights: IO[bytes]) -> None:
        self._file = file
        self._shape = shape
        self._weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def build(self, progress: Progress) -> onnx.ModelProto:
        shape = self._shape
        self._add_rotary_tables()
        (x,) = self._add("SimplifiedLayerNormalization", ["embeddings", self._vector("blk.0.attn_norm")], ["x"])
        residual = "embeddings"
        for index in range(shape.num_layers):
            is_last = index == shape.num_layers - 1
            next_norm = "output_norm" if is_last else f"blk.{index + 1}.attn_norm"
            x, residual = self._layer(index, x, residual, next_norm)
            progress((index + 1) / (shape.num_layers + 1))
        end, token_axis = self._stored("end", [np.iinfo(np.int64).max]), self._stored("token_axis", [1])
        self._add("Slice", [x, "first", end, token_axis], ["wanted"])
        head = "output" if "output.weight" in self._file else "token_embd"
        self._linear("wanted", self._sums("wanted", [[head]]), [head], "logits")
        self._add("ArgMax", ["logits"], ["ids"], axis=-1, keepdims=0)
        progress(1.0)
        return self._model()

    def _layer(self, index: int, x: str, residual: str, next_norm: str) -> tuple[str, str]:
        """Add one layer; gives the names of its normalised output and of the residual stream."""
        shape, name = self._shape, f"blk.{index}"
        parts = [f"{name}.attn_{part}" for part in "qkv"]
        qkv = self._linear(x, self._sums(x, [parts]), parts, f"{name}.qkv")
        key, value = 2 * index, 2 * index + 1
        attended, *_ = self._add(
            "GroupQueryAttention",
            [qkv, "", "", f"past_{key}", f"past_{value}", "last_position", "num_tokens", "cosines", "sines"],
            [f"{name}.attended", f"present_{key}", f"present_{value}"],
            num_heads=shape.num_heads,
            kv_num_heads=shape.num_heads_kv,
            do_rotary=1,
            rotary_interleaved=int(shape.rotary_is_interleaved),
        )
        out = [f"{name}.attn_output"]
        projected = self._linear(attended, self._sums(attended, [out]), out, f"{name}.projected")
        x, residual = self._add_and_normalise(projected, residual, f"{name}.ffn_norm")
        gate, up, down = ([f"{name}.ffn_{part}"] for part in ("gate", "up", "down"))
        sums = self._sums(x, [gate, up])
        gated = self._linear(x, sums, gate, f"{name}.gated")
        lifted = self._linear(x, sums, up, f"{name}.lifted")
        self._add("Sigmoid", [gated], [f"{name}.sigmoid"])
        self._add("Mul", [gated, f"{name}.sigmoid"], [f"{name}.silu"])
        (inner,) = self._add("Mul", [f"{name}.silu", lifted], [f"{name}.inner"])
        lowered = self._linear(inner, self._sums(inner, [down]), down, f"{name}.lowered")
        return self._add_and_normalise(lowered, residual, next_norm)

    def _sums(self, x: str, products: list[list[str]]) -> str:
        """Name of the input with its block sums appended, if one of these products needs them, else empty."""
        matrices = [[f"{name}.weight" for name in names] for names in products]
        if not any(has_four_bits(self._file, names) for names in matrices):
            return ""
        columns = self._file.shape(matrices[0][0])[1]
        blocks = self._stored(f"{columns}.blocks", [0, 0, columns // BLOCK, BLOCK])
        self._add("Reshape", [x, blocks], [f"{x}.blocks"])
        self._add("ReduceSum", [f"{x}.blocks", self._stored("last_axis", [-1])], [f"{x}.sums"], keepdims=0)
        return self._add("Concat", [x, f"{x}.sums"], [f"{x}.with_sums"], axis=-1)[0]

    def _linear(self, x: str, with_sums: str, names: list[str], result: str) -> str:
        """Multiply with one matrix or several stacked by rows, and add their biases."""
        weights = block_weights(self._file, [f"{name}.weight" for name in names])
        inputs = [
            with_sums if weights.bits == 4 else x,
            self._weight(f"{result}.numbers", weights.numbers),
            self._weight(f"{result}.scales", weights.scales),
            self._weight(f"{result}.zero_points", weights.zero_points),
        ]
        if any(f"{name}.bias" in self._file for name in names):
            inputs += ["", self._weight(f"{result}.bias", np.concatenate([self._bias(name) for name in names]))]
        return self._add(
            "MatMulNBits",
            inputs,
            [result],
            K=weights.columns,
            N=len(weights.numbers),
            bits=weights.bits,
            block_size=BLOCK,
            accuracy_level=INT8_INPUT,
        )[0]

    def _bias(self, name: str) -> FloatArray:
        if f"{name}.bias" in self._file:
            return self._file.vector(f"{name}.bias")
        return np.zeros(self._file.shape(f"{name}.weight")[0], np.float32)

    def _add_and_normalise(self, x: str, residual: str, norm: str) -> tuple[str, str]:
        outputs = [f"{x}.normalised", "", "", f"{x}.residual"]
        self._add("SkipSimplifiedLayerNormalization", [x, residual, self._vector(norm)], outputs)
        return outputs[0], outputs[3]

    def _vector(self, name: str) -> str:
        return self._weight(name, self._file.vector(f"{name}.weight"))

    def _add_rotary_tables(self) -> None:
        shape = self._shape
        rates = shape.rotary_base ** (-np.arange(0, shape.head_dim, 2) / shape.head_dim)
        angles = np.arange(shape.context_tokens)[:, None] * rates
        self._weight("cosines", np.cos(angles).astype(np.float32))
        self._weight("sines", np.sin(angles).astype(np.float32))

    def _add(self, kind: str, inputs: list[str], outputs: list[str], **attributes: int) -> list[str]:
        is_standard = kind in ("Slice", "ArgMax", "Sigmoid", "Mul", "Reshape", "ReduceSum", "Concat")
        more: dict[str, float] = {"epsilon": self._shape.norm_epsilon} if kind.endswith("Normalization") else {}
        domain = "" if is_standard or kind == "SimplifiedLayerNormalization" else MICROSOFT
        self._nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **attributes, **more))
        return outputs

    def _stored(self, name: str, value: list[int]) -> str:
        """Name of some whole numbers inside of the graph, added when they are first asked for."""
        if all(constant.name != name for constant in self._constants):
            self._constants.append(onnx.numpy_helper.from_array(np.array(value, np.int64), name))
        return name

    def _weight(self, name: str, value: FloatArray | NDArray[np.uint8]) -> str:
        self._weights.write(bytes(-self._weights.tell() % ALIGNMENT))
        tensor = TensorProto(
            name=name, data_type=_TYPES[value.dtype], dims=value.shape, data_location=TensorProto.EXTERNAL
        )
        where = {"location": ONNX_WEIGHTS, "offset": self._weights.tell(), "length": value.nbytes}
        for key, entry in where.items():
            tensor.external_data.add(key=key, value=str(entry))
        self._weights.write(value.tobytes())
        self._constants.append(tensor)
        return name

    def _model(self) -> onnx.ModelProto:
        shape = self._shape
        cache: list[int | str] = [1, shape.num_heads_kv, "context", shape.head_dim]
        vocabulary = self._file.shape("token_embd.weight")[0]
        indices = range(2 * shape.num_layers)
        inputs = [
            _value("embeddings", TensorProto.FLOAT, [1, "new", shape.width]),
            _value("first", TensorProto.INT64, [1]),
            _value("last_position", TensorProto.INT32, [1]),
            _value("num_tokens", TensorProto.INT32, []),
            *(_value(f"past_{i}", TensorProto.FLOAT, cache) for i in indices),
        ]
        outputs = [
            _value("ids", TensorProto.INT64, [1, "wanted"]),
            _value("logits", TensorProto.FLOAT, [1, "wanted", vocabulary]),
            *(_value(f"present_{i}", TensorProto.FLOAT, cache) for i in indices),
        ]
        graph = helper.make_graph(self._nodes, "decoder", inputs, outputs, self._constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
        helper.set_model_props(model, {EMBEDDING_KIND: self._file.kind("token_embd.weight").name})
        return model


def _value(name: str, kind: int, dims: Sequence[int | str]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, dims)
