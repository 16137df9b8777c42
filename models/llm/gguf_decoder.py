"""The shape of the decoder in a GGUF file, for the converters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from models.errors import CheckpointError
from models.llm.gguf_file import GgufFile

ARCHITECTURES = ("qwen2", "llama")

Progress = Callable[[float], None]
"""Called with the share that is done, 0..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderShape:
    """Sizes and constants of a decoder of the Llama kind."""

    num_layers: int
    num_heads: int
    """Of the queries."""
    num_heads_kv: int
    """Of keys and values."""
    width: int
    """Length of a token's vector."""
    head_dim: int
    """Length of a head's part of a vector."""
    context_tokens: int
    rotary_base: float
    rotary_is_interleaved: bool
    """Rotary positions turn pairs of neighbours; else those half a head apart."""
    norm_epsilon: float


def read_decoder_shape(file: GgufFile) -> DecoderShape:
    """Read it from the metadata.

    Raises:
        CheckpointError: The file is of a kind that cannot be converted, or lacks an entry.
    """
    architecture = file.required("general.architecture", str)
    _refuse_unsupported(file, architecture)
    num_heads = file.required(f"{architecture}.attention.head_count", int)
    width = file.required(f"{architecture}.embedding_length", int)
    return DecoderShape(
        num_layers=file.required(f"{architecture}.block_count", int),
        num_heads=num_heads,
        num_heads_kv=file.value(f"{architecture}.attention.head_count_kv", num_heads),
        width=width,
        head_dim=file.value(f"{architecture}.attention.key_length", width // num_heads),
        context_tokens=file.required(f"{architecture}.context_length", int),
        rotary_base=file.value(f"{architecture}.rope.freq_base", 10_000.0),
        # GGUF keeps the rows of Llama's queries and keys in the order of interleaved rotary pairs, Qwen2's in halves.
        rotary_is_interleaved=architecture == "llama",
        norm_epsilon=file.required(f"{architecture}.attention.layer_norm_rms_epsilon", float),
    )


def _refuse_unsupported(file: GgufFile, architecture: str) -> None:
    remedy = f"choose a GGUF file of {' or '.join(ARCHITECTURES)}, or the engine `transformers`"
    if architecture not in ARCHITECTURES:
        raise CheckpointError(file.path, f"the architecture {architecture} cannot be converted", remedy)
    scaling = file.value(f"{architecture}.rope.scaling.type", "none")
    if scaling != "none" or "rope_freqs.weight" in file:
        raise CheckpointError(file.path, "scaled rotary positions cannot be converted", remedy)
    if file.value(f"{architecture}.expert_count", 0):
        raise CheckpointError(file.path, "a mixture of experts cannot be converted", remedy)
