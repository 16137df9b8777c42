"""The network of `models.llm.gguf_to_onnx` with the keys and values of the text it has read last.

Callers give whole texts; what the decoder has read before, it does not read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors

from models.errors import CheckpointError, ModelError, ModelInputError
from models.llm.choose import ONNX_GRAPH, ONNX_WEIGHTS
from models.llm.kept_states import KeptStates
from models.llm.memory import require_memory
from models.onnx_session import open_session
from models.types import FloatArray, ShouldStop, never_stop

EMBEDDINGS_FILE = "embeddings.npy"
EMBEDDING_KIND = "embedding_kind"
"""Entry of the graph's metadata: how the rows of the embedding are stored."""
OUTPUTS = ("ids", "logits")
"""Bound after those for the cache."""
PACKED_SHARE = 1.4
"""Memory of the weights in the layout of the kernels, and of the cache, to the size of the file."""
CHUNK_TOKENS = 64
"""Read at once: keeps the memory of one step small, and `should_stop` is asked about every 0.4 s on two cores."""


class OnnxDecoder:
    """Predicts what follows a text. One thread at a time."""

    def __init__(
        self,
        session: Any,
        embeddings: NDArray[np.uint8],
        kind: gguf.GGMLQuantizationType,
        context: int,
        states: KeptStates,
    ) -> None:
        """Use `load`."""
        self._session = session
        self._embeddings = embeddings
        self._kind = kind
        self._context = context
        inputs = [entry for entry in session.get_inputs() if entry.name.startswith("past_")]
        heads, head_dim = inputs[0].shape[1], inputs[0].shape[3]
        # (2 * layers, 1, heads, context, head): keys and values of `_read`, the network's past and present in one.
        self._cache = np.zeros((len(inputs), 1, heads, context, head_dim), np.float32)
        self._read: list[int] = []
        self._states = states
        self._kept: dict[tuple[int, ...], FloatArray] = {}
        self._binding = session.io_binding()
        for index, part in enumerate(self._cache):
            value = ort.OrtValue.ortvalue_from_numpy(part)
            self._binding.bind_ortvalue_input(f"past_{index}", value)
            self._binding.bind_ortvalue_output(f"present_{index}", value)

    @classmethod
    def load(cls, folder: Path, *, threads: int, context_tokens: int, states: Path | None = None) -> OnnxDecoder:
        """Read the weights; nothing is computed yet.

        Args:
            folder: Written by `models.llm.gguf_to_onnx.convert`.
            threads: CPU threads, at least 1.
            context_tokens: The longest text.
            states: Folder for what `keep` computes; None: nothing is written.

        Raises:
            CheckpointError: A file is absent or damaged, or the weights do not fit into memory.
        """
        weights = folder / ONNX_WEIGHTS
        if not weights.is_file():
            raise CheckpointError(weights, "is absent")
        require_memory(weights, int(weights.stat().st_size * PACKED_SHARE))
        session = open_session(folder / ONNX_GRAPH, threads)
        path = folder / EMBEDDINGS_FILE
        try:
            kind = gguf.GGMLQuantizationType[session.get_modelmeta().custom_metadata_map[EMBEDDING_KIND]]
            embeddings = np.load(path, mmap_mode="r")
        except KeyError as error:
            raise CheckpointError(folder / ONNX_GRAPH, "is no language model of this program") from error
        except (OSError, ValueError) as error:
            raise CheckpointError(path, "is absent or damaged") from error
        kept = KeptStates(states, (folder / ONNX_GRAPH, weights, path))
        return cls(session, embeddings, kind, context_tokens, kept)

    def keep(self, ids: Sequence[int]) -> None:
        """Read a text and keep its state, so that any later text that begins with it goes on from there."""
        if not ids or tuple(ids) in self._kept:
            return
        layers, batch, heads, _, head_dim = self._cache.shape
        state = self._states.get(ids, (layers, batch, heads, len(ids), head_dim))
        if state is None:
            self.predict(ids)
            state = self._cache[:, :, :, : len(ids)].copy()
            self._states.put(ids, state)
        self._kept[tuple(ids)] = state

    def predict(
        self, ids: Sequence[int], num_wanted: int = 1, should_stop: ShouldStop = never_stop
    ) -> NDArray[np.int64] | None:
        """The likeliest tokens after each of the last tokens of a text.

        Args:
            ids: The whole text.
            num_wanted: After so many of its last tokens.
            should_stop: Asked between the chunks of a long text.

        Returns:
            Ids, shape (num_wanted,); None when it was stopped.

        Raises:
            ModelInputError: The text is longer than the context.
            ModelError: The computation failed.
        """
        found = self._run(ids, num_wanted, "ids", should_stop)
        return None if found is None else np.asarray(found, np.int64)

    def logits(self, ids: Sequence[int], num_wanted: int = 1) -> FloatArray:
        """The same, as the unscaled logarithms of all tokens' probabilities, shape (num_wanted, vocabulary)."""
        return np.asarray(self._run(ids, num_wanted, "logits", never_stop), np.float32)

    def _run(self, ids: Sequence[int], num_wanted: int, output: str, should_stop: ShouldStop) -> Any:
        if len(ids) > self._context:
            raise ModelInputError(f"the text has {len(ids)} tokens, the context {self._context}; shorten it")
        begin = min(self._reuse(ids), len(ids) - num_wanted)
        del self._read[begin:]
        while len(ids) - begin > max(CHUNK_TOKENS, num_wanted):
            self._step(ids[begin : begin + CHUNK_TOKENS], 0, output)
            begin += CHUNK_TOKENS
            if should_stop():
                return None
        return self._step(ids[begin:], num_wanted, output)

    def _reuse(self, ids: Sequence[int]) -> int:
        """How many of the first tokens need not be read again; takes up a kept state if that helps more."""
        shared = _num_shared(self._read, ids)
        kept = max(self._kept, key=lambda text: _num_shared(text, ids), default=())
        from_kept = _num_shared(kept, ids)
        if from_kept > shared:
            self._cache[:, :, :, :from_kept] = self._kept[kept][:, :, :, :from_kept]
            self._read = list(kept[:from_kept])
            return from_kept
        return shared

    def _step(self, ids: Sequence[int], num_wanted: int, output: str) -> Any:
        """Read the next tokens of the text."""
        length = len(self._read) + len(ids)
        binding = self._binding
        rows = gguf.dequantize(self._embeddings[list(ids)], self._kind)
        binding.bind_cpu_input("embeddings", np.ascontiguousarray(rows[None], np.float32))
        binding.bind_cpu_input("first", np.array([len(ids) - num_wanted], np.int64))
        binding.bind_cpu_input("last_position", np.array([length - 1], np.int32))
        binding.bind_cpu_input("num_tokens", np.array(length, np.int32))
        for name in OUTPUTS:  # anew for each step: their shape changes
            binding.bind_output(name)
        try:
            self._session.run_with_iobinding(binding)
        except (ort_errors.Fail, ort_errors.InvalidArgument, ort_errors.RuntimeException, RuntimeError) as error:
            reason = " ".join(str(error).split())[:160]
            raise ModelError(f"the language model failed ({reason}); restart the kiosk") from error
        self._read += ids
        return binding.get_outputs()[len(self._cache) + OUTPUTS.index(output)].numpy()[0]


def _num_shared(first: Sequence[int], second: Sequence[int]) -> int:
    """How many tokens two texts have in common at their beginning."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((i for i, (one, other) in pairs if one != other), min(len(first), len(second)))
