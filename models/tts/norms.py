"""Opens the instance normalisations of Kokoro's vocoder, so that it can speak a clause in parts.

Each of the vocoder's 44 normalisations takes mean and variance over the whole clause. A part of the clause has other
statistics, so decoding it alone changes the sound. Two edits follow from that:

- `expose_statistics` gives the means and variances out, to learn what they usually are (see `models.tts.statistics`).
- `take_statistics` makes them inputs. Then each output sample depends on nothing further away than the convolutions
  reach, any stretch can be decoded alone, and each normalisation is one multiplication and one addition.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from models.tts.dequantise import GraphPatternError, remove_unread

if TYPE_CHECKING:
    import onnx

MEANS, VARIANCES = "means", "variances"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Norm:
    """One normalisation: (x − mean) / √(variance + ε), then × gain + offset for each block that reads it."""

    data: str
    mean: str
    variance: str
    epsilon: str
    affines: tuple[tuple[str, str, str], ...]
    """(gain, offset, output) of each reader."""
    channels: int


def expose_statistics(model: onnx.ModelProto) -> None:
    """Add the outputs `means` and `variances`, float32 (1, channels of all normalisations, 1), in place.

    Raises:
        GraphPatternError: The graph holds no such normalisations.
    """
    from onnx import TensorProto, helper

    norms = list(_find(model.graph))
    total = sum(norm.channels for norm in norms)
    for name, parts in ((MEANS, [n.mean for n in norms]), (VARIANCES, [n.variance for n in norms])):
        model.graph.node.append(helper.make_node("Concat", parts, [name], axis=1))
        model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, total, 1]))


def take_statistics(model: onnx.ModelProto) -> None:
    """Make `means` and `variances` inputs in place of what the graph computes itself.

    Raises:
        GraphPatternError: The graph holds no such normalisations.
    """
    from onnx import TensorProto, helper, numpy_helper

    graph = model.graph
    norms = list(_find(graph))
    sizes = np.array([norm.channels for norm in norms], np.int64)
    graph.initializer.append(numpy_helper.from_array(sizes, "norm_sizes"))
    first = []
    for name in (MEANS, VARIANCES):
        graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, int(sizes.sum()), 1]))
        parts = [f"{name}.{i}" for i in range(len(norms))]
        first.append(helper.make_node("Split", [name, "norm_sizes"], parts, axis=1))
    replacement: dict[str, list[onnx.NodeProto]] = {}
    for i, norm in enumerate(norms):
        p = f"norm.{i}"
        first.append(helper.make_node("Add", [f"{VARIANCES}.{i}", norm.epsilon], [f"{p}.shifted"]))
        first.append(helper.make_node("Sqrt", [f"{p}.shifted"], [f"{p}.deviation"]))
        for j, (gain, offset, output) in enumerate(norm.affines):
            q = f"{p}.{j}"
            replacement[output] = [
                helper.make_node("Div", [gain, f"{p}.deviation"], [f"{q}.scale"]),
                helper.make_node("Mul", [f"{MEANS}.{i}", f"{q}.scale"], [f"{q}.centre"]),
                helper.make_node("Sub", [offset, f"{q}.centre"], [f"{q}.shift"]),
                helper.make_node("Mul", [norm.data, f"{q}.scale"], [f"{q}.scaled"]),
                helper.make_node("Add", [f"{q}.scaled", f"{q}.shift"], [output]),
            ]
    nodes = [new for node in graph.node for new in replacement.get(node.output[0], [node])]
    del graph.node[:]
    graph.node.extend(first + nodes)
    remove_unread(graph)


def _find(graph: onnx.GraphProto) -> Iterator[_Norm]:
    """The normalisations in the order of the graph."""
    readers: dict[str, list[onnx.NodeProto]] = defaultdict(list)
    for node in graph.node:
        for name in set(node.input):
            readers[name].append(node)
    channels = _channels(graph)

    def next_node(name: str, op_type: str) -> onnx.NodeProto:
        found = [node for node in readers[name] if node.op_type == op_type]
        if len(found) != 1:
            raise GraphPatternError(f"{name} should be read by one {op_type}, not by {len(found)}")
        return found[0]

    found = False
    for node in graph.node:
        if node.op_type != "ReduceMean" or not any(r.op_type == "Sub" for r in readers[node.output[0]]):
            continue
        centred = next_node(node.output[0], "Sub")
        square = next_node(centred.output[0], "Mul")
        variance = next_node(square.output[0], "ReduceMean")
        shifted = next_node(variance.output[0], "Add")
        normalised = next_node(next_node(shifted.output[0], "Sqrt").output[0], "Div").output[0]
        affines = []
        for product in readers[normalised]:
            last = next_node(product.output[0], "Add")
            affines.append((_other(product, normalised), _other(last, product.output[0]), last.output[0]))
        found = True
        yield _Norm(
            data=node.input[0],
            mean=node.output[0],
            variance=variance.output[0],
            epsilon=_other(shifted, variance.output[0]),
            affines=tuple(affines),
            channels=channels[affines[0][0]],
        )
    if not found:
        raise GraphPatternError("no instance normalisation was found")


def _channels(graph: onnx.GraphProto) -> dict[str, int]:
    """Number of channels of each gain: half the width of the layer that makes gain and offset from the style."""
    width = {i.name: i.dims[-1] for i in graph.initializer if len(i.dims) == 1}
    known: dict[str, int] = {}
    for node in graph.node:
        for name in node.input:
            # The bias of that layer is the only one-dimensional weight on the way; its size is passed along.
            if name in width and node.op_type == "Add" and width[name] > 1:
                known[node.output[0]] = width[name] // 2
        if node.op_type in ("Unsqueeze", "Split", "Add"):
            sizes = [known[name] for name in node.input if name in known]
            for name in node.output if sizes else ():
                known.setdefault(name, sizes[0])
    return known


def _other(node: onnx.NodeProto, name: str) -> str:
    others = [str(i) for i in node.input if i != name]
    if len(others) != 1:
        raise GraphPatternError(f"{node.name} should have one input beside {name}")
    return others[0]
