"""Decoding on CUDA by replaying one captured step: a token costs one launch instead of some hundreds.

A step of an 8 B network takes 26 ms when its kernels are launched one by one, 8 ms when replayed. The state lies in
buffers of a fixed size; where a token goes is a number on the device that the step itself advances.
"""

from __future__ import annotations

import logging
from types import ModuleType
from typing import Any

log = logging.getLogger("llm")

WARM_STEPS = 3
"""Before capture: libraries choose kernels and take their workspaces in the first steps."""


class CapturedDecoder:
    """Continues a prompt whose state was computed in the ordinary way. One answer at a time."""

    def __init__(
        self, torch: ModuleType, transformers: ModuleType, network: Any, *, cache_name: str, context_tokens: int
    ) -> None:
        """Capture the step.

        Args:
            torch: The library.
            transformers: The library.
            network: On CUDA, in evaluation mode.
            cache_name: The name of the state among the network's arguments.
            context_tokens: Size of the buffers.

        Raises:
            RuntimeError: The network has a step that cannot be captured.
        """
        self._torch = torch
        self._network = network
        self._cache_name = cache_name
        self._cache = transformers.StaticCache(config=network.config, max_cache_len=context_tokens)
        self._context_tokens = context_tokens
        device = network.device
        self._token = torch.zeros((1, 1), dtype=torch.long, device=device)
        self._position = torch.zeros((1,), dtype=torch.long, device=device)
        with torch.inference_mode():
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(WARM_STEPS):
                    self._step()
            torch.cuda.current_stream().wait_stream(side)
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._step()
        self.clear()

    def begin(self, token: int, cache: Any) -> None:
        """Take over after the prompt.

        Args:
            token: First of the answer, already chosen.
            cache: The network's dynamic cache with the state of the whole prompt.
        """
        with self._torch.inference_mode():
            num_tokens = 0
            for fixed, grown in zip(self._cache.layers, cache.layers, strict=True):
                num_tokens = grown.keys.shape[-2]
                fixed.keys[:, :, :num_tokens].copy_(grown.keys)
                fixed.values[:, :, :num_tokens].copy_(grown.values)
            self._place(num_tokens)
            self._token.fill_(token)

    def next_token(self) -> int:
        """Feed the last token; choose the next."""
        with self._torch.inference_mode():
            self._graph.replay()
            return int(self._token.item())

    def clear(self) -> None:
        """Forget the conversation: nothing of it stays in the buffers."""
        with self._torch.inference_mode():
            for layer in self._cache.layers:
                layer.keys.zero_()
                layer.values.zero_()
            self._place(0)

    def _place(self, num_tokens: int) -> None:
        self._position.fill_(num_tokens)
        for layer in self._cache.layers:
            counter = getattr(layer, "cumulative_length", None)  # a number on the device in newer releases
            if counter is not None:
                counter.fill_(num_tokens)

    def _step(self) -> None:
        result = self._network(
            input_ids=self._token,
            position_ids=self._position[None],
            cache_position=self._position,  # older releases place the state by it, newer ones count themselves
            use_cache=True,
            logits_to_keep=1,
            **{self._cache_name: self._cache},
        )
        self._token.copy_(result.logits[:, -1:].argmax(-1))
        self._position.add_(1)
