"""Turns an ONNX graph whose weights were quantised dynamically to int8 back into a float32 graph.

ONNX Runtime's dynamic quantiser replaces each Conv, MatMul and LSTM by a small chain that quantises the
activations at run time. Undoing it gives a graph with fewer nodes that every execution provider can run, CUDA
included, and that can be cut and edited. The weights keep the values of the int8 file; only their storage changes.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import onnx

CONVOLUTION = "ConvInteger"
PRODUCT = "MatMulInteger"
RECURRENT = "DynamicQuantizeLSTM"
LSTM_ATTRIBUTES = ("direction", "hidden_size", "input_forget")


class GraphPatternError(ValueError):
    """The graph does not hold the chain that the dynamic quantiser writes."""


def dequantise(model: onnx.ModelProto) -> None:
    """Replace every quantised operator of the graph, in place; nodes and weights left without a reader are removed.

    Raises:
        GraphPatternError: An operator stands in a chain of another form.
    """
    _Dequantiser(model.graph).run()


def remove_unread(graph: onnx.GraphProto) -> None:
    """Remove nodes and weights that no output depends on, in place."""
    needed = {output.name for output in graph.output}
    kept = []
    for node in reversed(graph.node):  # topological order: readers stand after what they read
        if any(name in needed for name in node.output):
            kept.append(node)
            needed.update(node.input)
    weights = [weight for weight in graph.initializer if weight.name in needed]
    kept.reverse()
    del graph.node[:], graph.initializer[:]
    graph.node.extend(kept)
    graph.initializer.extend(weights)


class _Dequantiser:
    """One pass over one graph."""

    def __init__(self, graph: onnx.GraphProto) -> None:
        from onnx import helper, numpy_helper

        self._helper, self._numpy_helper = helper, numpy_helper
        self._graph = graph
        self._weights: dict[str, NDArray[Any]] = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
        self._producer = {name: node for node in graph.node for name in node.output}
        self._readers: dict[str, list[onnx.NodeProto]] = defaultdict(list)
        for node in graph.node:
            for name in node.input:
                self._readers[name].append(node)
        self._added: set[str] = set()

    def run(self) -> None:
        # A chain's last node is replaced, so that the new operator stands where all its inputs are known.
        replacement: dict[str, onnx.NodeProto] = {}
        for node in self._graph.node:
            if node.op_type in (CONVOLUTION, PRODUCT):
                new = self._float_product(node)
            elif node.op_type == RECURRENT:
                new = self._float_lstm(node)
            else:
                continue
            replacement[new.output[0]] = new
        nodes = [replacement.get(node.output[0], node) for node in self._graph.node]
        del self._graph.node[:]
        self._graph.node.extend(nodes)
        remove_unread(self._graph)

    def _float_product(self, node: onnx.NodeProto) -> onnx.NodeProto:
        """Quantise → ConvInteger or MatMulInteger [→ + bias] → Cast → × (data scale × weight scale)."""
        quantise = self._producer[node.input[0]]
        data, data_scale = quantise.input[0], quantise.output[1]
        output, bias = node.output[0], ""
        if node.op_type == CONVOLUTION and any(reader.op_type == "Add" for reader in self._readers[output]):
            add = self._reader(output, "Add")
            bias = self._float_bias(self._other(add, output))
            output = add.output[0]
        cast = self._reader(output, "Cast")
        last = self._reader(cast.output[0], "Mul")
        scales = self._producer[self._other(last, cast.output[0])]
        weight_scale = self._weights[self._other(scales, data_scale)]
        # Conv: (out, in, width) with one scale for the tensor; MatMul: (in, out).
        value = (self._number(node.input[1]) - self._number(node.input[3])) * weight_scale
        inputs = [data, self._add_weight(node.input[1], value)] + ([bias] if bias else [])
        attributes = {a.name: self._helper.get_attribute_value(a) for a in node.attribute}
        op_type = "Conv" if node.op_type == CONVOLUTION else "MatMul"
        return self._helper.make_node(op_type, inputs, last.output, name=f"{node.name}_float", **attributes)

    def _float_bias(self, name: str) -> str:
        """The bias before it was brought to the integer scale: Reshape(Cast(Round(bias / scale)))."""
        for _ in range(4):
            name = self._producer[name].input[0]
        if name not in self._weights:
            raise GraphPatternError(f"{name} is no constant bias")
        return name

    def _float_lstm(self, node: onnx.NodeProto) -> onnx.NodeProto:
        """DynamicQuantizeLSTM keeps its matrices as (directions, in, 4 × hidden); LSTM wants the last two swapped."""
        names = (list(node.input) + [""] * 12)[:12]
        data, w, r, bias, lengths, hidden, cell, _, w_scale, w_zero, r_scale, r_zero = names
        inputs = [data]
        for matrix, scale, zero in ((w, w_scale, w_zero), (r, r_scale, r_zero)):
            value = self._number(matrix) - self._number(zero).reshape(-1, 1, 1)
            value = value * self._weights[scale].reshape(-1, 1, 1)
            inputs.append(self._add_weight(matrix, value.transpose(0, 2, 1)))
        inputs += [bias, lengths, hidden, cell]
        attributes = {
            a.name: self._helper.get_attribute_value(a) for a in node.attribute if a.name in LSTM_ATTRIBUTES
        }
        return self._helper.make_node("LSTM", inputs, node.output, name=f"{node.name}_float", **attributes)

    def _number(self, name: str) -> NDArray[np.float32]:
        return self._weights[name].astype(np.float32)

    def _add_weight(self, quantised_name: str, value: NDArray[np.float32]) -> str:
        name = f"{quantised_name}_float"
        if name not in self._added:  # layers may share a weight
            self._added.add(name)
            tensor = self._numpy_helper.from_array(np.ascontiguousarray(value, np.float32), name)
            self._graph.initializer.append(tensor)
        return name

    def _reader(self, name: str, op_type: str) -> onnx.NodeProto:
        found = [node for node in self._readers[name] if node.op_type == op_type]
        if len(found) != 1:
            raise GraphPatternError(f"{name} should be read by one {op_type}, not by {len(found)}")
        return found[0]

    @staticmethod
    def _other(node: onnx.NodeProto, name: str) -> str:
        others = [str(i) for i in node.input if i != name]
        if len(others) != 1:
            raise GraphPatternError(f"{node.name} should have one input beside {name}")
        return others[0]
