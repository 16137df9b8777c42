"""A tiny random network as a GGUF file, and what transformers computes from the same weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import pre_tokenizers

from tests.llm.tiny import SPECIALS, TEMPLATE

WIDTH, HEADS, KV_HEADS, LAYERS, INNER = 256, 4, 2, 2, 512  # columns of Q4_K come in 256s
TOKENS = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "Ġt", "he", *SPECIALS]
MERGES = ["Ġ t", "h e"]
Weights = dict[str, NDArray[np.float32]]


def random_weights(architecture: str) -> Weights:
    """Weights under transformers' names. Llama: own output matrix, no biases; Qwen2: tied, with biases."""
    random = np.random.default_rng(5)

    def matrix(rows: int, columns: int) -> NDArray[np.float32]:
        return random.normal(0, columns**-0.5, (rows, columns)).astype(np.float32)

    weights = {"model.embed_tokens.weight": matrix(len(TOKENS), WIDTH) * 4, "model.norm.weight": np.ones(WIDTH)}
    for layer in range(LAYERS):
        name = f"model.layers.{layer}"
        for part, rows in (("q", WIDTH), ("k", WIDTH // HEADS * KV_HEADS), ("v", WIDTH // HEADS * KV_HEADS)):
            weights[f"{name}.self_attn.{part}_proj.weight"] = matrix(rows, WIDTH) * 2
            if architecture == "qwen2":
                weights[f"{name}.self_attn.{part}_proj.bias"] = random.normal(0, 1, rows)
        weights[f"{name}.self_attn.o_proj.weight"] = matrix(WIDTH, WIDTH)
        for part in ("gate", "up"):
            weights[f"{name}.mlp.{part}_proj.weight"] = matrix(INNER, WIDTH)
        weights[f"{name}.mlp.down_proj.weight"] = matrix(WIDTH, INNER)
        for part in ("input", "post_attention"):
            weights[f"{name}.{part}_layernorm.weight"] = random.uniform(0.5, 1.5, WIDTH)
    if architecture == "llama":
        weights["lm_head.weight"] = matrix(len(TOKENS), WIDTH)
    return {name: np.asarray(value, np.float32) for name, value in weights.items()}


def interleave(rows: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """From transformers' order of a head's rows (halves) to the one of GGUF's Llama (pairs)."""
    return np.ascontiguousarray(rows.reshape(heads, 2, -1, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape))


def to_q4_k(rows: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Bytes of Q4_K: 256 weights in eight blocks of 32, each weight = number * scale - offset."""
    blocks = rows.reshape(-1, 8, 32)
    low = np.minimum(blocks.min(2), 0)
    wanted = np.stack([(blocks.max(2) - low) / 15, -low])  # scales and offsets, (2, n, 8)
    factors = (wanted.max(2, keepdims=True) / 63).astype(np.float16)
    small = np.rint(wanted / np.maximum(factors.astype(np.float32), 1e-8)).clip(0, 63).astype(np.uint8)
    scale, offset = small * factors.astype(np.float32)
    numbers = np.rint((blocks + offset[..., None]) / np.maximum(scale, 1e-8)[..., None]).clip(0, 15).astype(np.uint8)
    one, other = small
    six_bits = np.concatenate(
        [
            one[:, :4] | (one[:, 4:] >> 4) << 6,
            other[:, :4] | (other[:, 4:] >> 4) << 6,
            one[:, 4:] & 15 | (other[:, 4:] & 15) << 4,
        ],
        axis=1,
    )
    halves = numbers[:, ::2] | numbers[:, 1::2] << 4
    parts = [*(factor.view(np.uint8) for factor in factors), six_bits, halves.reshape(len(halves), -1)]
    return np.concatenate(parts, axis=1).reshape(len(rows), -1)


def from_q4_k(data: NDArray[np.uint8]) -> NDArray[np.float32]:
    """What such bytes mean, by the library's own code."""
    return np.asarray(gguf.dequantize(data, gguf.GGMLQuantizationType.Q4_K), np.float32)


NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
}


def write_gguf(path: Path, layout: str, weights: Weights, **changes: Any) -> Path:
    """Write a GGUF file the way llama.cpp's converter lays it out."""
    writer = gguf.GGUFWriter(str(path), changes.get("architecture", layout))
    writer.add_name("Tiny")
    writer.add_block_count(LAYERS)
    writer.add_context_length(changes.get("context_tokens", 512))
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_rope_freq_base(10_000.0)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(changes.get("pre", "qwen2" if layout == "qwen2" else "smollm"))
    writer.add_token_list(TOKENS)
    writer.add_token_types([3 if token in SPECIALS else 1 for token in TOKENS])
    writer.add_token_merges(MERGES)
    writer.add_bos_token_id(TOKENS.index("<|endoftext|>"))
    writer.add_eos_token_id(TOKENS.index("<|im_end|>"))
    if changes.get("template", True):
        writer.add_chat_template(TEMPLATE)
    if "rope_scaling" in changes:
        writer.add_rope_scaling_type(changes["rope_scaling"])
    for name, value in weights.items():
        short, kind = name.removeprefix("model.layers.").rsplit(".", 1)
        layer, _, rest = short.partition(".")
        target = f"blk.{layer}.{NAMES[rest]}" if rest in NAMES else NAMES[short]
        if layout == "llama" and target.endswith(("attn_q", "attn_k")):
            value = interleave(value, HEADS if target.endswith("q") else KV_HEADS)
        if changes.get("four_bits") and value.ndim == 2 and target != "output":
            writer.add_tensor(f"{target}.{kind}", to_q4_k(value), raw_dtype=gguf.GGMLQuantizationType.Q4_K)
        else:
            writer.add_tensor(f"{target}.{kind}", np.ascontiguousarray(value))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def reference_logits(architecture: str, weights: Weights, ids: list[int]) -> NDArray[np.float32]:
    """What transformers computes, shape (n, vocabulary)."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    kinds: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
        "qwen2": (transformers.Qwen2Config, transformers.Qwen2ForCausalLM),
        "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM),
    }
    configuration, network = kinds[architecture]
    model = network(
        configuration(
            vocab_size=len(TOKENS),
            hidden_size=WIDTH,
            intermediate_size=INNER,
            num_hidden_layers=LAYERS,
            num_attention_heads=HEADS,
            num_key_value_heads=KV_HEADS,
            rms_norm_eps=1e-6,
            rope_theta=10_000.0,
            tie_word_embeddings="lm_head.weight" not in weights,
            attention_bias=False,
        )
    )
    missing = model.load_state_dict({k: torch.from_numpy(v) for k, v in weights.items()}, strict=False).missing_keys
    assert set(missing) <= {"lm_head.weight"}
    model.tie_weights()
    with torch.inference_mode():
        logits: NDArray[np.float32] = model.eval()(torch.tensor([ids])).logits[0].numpy()
    return logits
