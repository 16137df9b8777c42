"""GGUF → ONNX Runtime: the logits that transformers computes from the same weights, however the text is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from numpy.typing import NDArray

from models.errors import CheckpointError
from models.llm.block_quantise import BlockWeights, block_weights
from models.llm.chat_files import read_generation_facts
from models.llm.gguf_file import GgufFile
from models.llm.gguf_to_onnx import convert
from models.llm.onnx_decoder import CHUNK_TOKENS, OnnxDecoder
from tests.llm.tiny import TEMPLATE
from tests.llm.tiny_gguf import TOKENS, from_q4_k, random_weights, reference_logits, to_q4_k, write_gguf

IDS = [int(i) for i in np.random.default_rng(1).integers(0, 256, 40)]


def load(folder: Path) -> OnnxDecoder:
    return OnnxDecoder.load(folder, threads=1, context_tokens=512)


def relative_error(found: NDArray[np.float32], expected: NDArray[np.float32]) -> float:
    return float(np.sqrt(np.mean((found - expected) ** 2)) / np.std(expected))


@pytest.mark.parametrize("architecture", ["qwen2", "llama"])
def test_the_converted_network_computes_what_transformers_computes(tmp_path: Path, architecture: str) -> None:
    weights = random_weights(architecture)
    folder = tmp_path / "模型 onnx"
    shares: list[float] = []
    convert(write_gguf(tmp_path / "tiny.gguf", architecture, weights), folder, shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    error = relative_error(load(folder).logits(IDS, len(IDS)), reference_logits(architecture, weights, IDS))
    assert error < 0.1  # eight bits: 0.02 to 0.05; rotary pairs taken in the wrong order: 0.9 and more


def test_four_bits_are_taken_over_without_further_loss(tmp_path: Path) -> None:
    weights = random_weights("qwen2")
    path = write_gguf(tmp_path / "tiny.gguf", "qwen2", weights, four_bits=True)
    meant = {name: from_q4_k(to_q4_k(value)) if value.ndim == 2 else value for name, value in weights.items()}
    convert(path, tmp_path / "onnx")
    found, expected = load(tmp_path / "onnx").logits(IDS, len(IDS)), reference_logits("qwen2", meant, IDS)
    assert relative_error(found, expected) < 0.03  # four bits taken anew: 0.1 and more
    assert relative_error(expected, reference_logits("qwen2", weights, IDS)) > 0.05  # so the kinds do differ


def test_text_read_in_parts_gives_the_same_logits(tmp_path: Path) -> None:
    convert(write_gguf(tmp_path / "tiny.gguf", "qwen2", random_weights("qwen2"), four_bits=True), tmp_path / "onnx")
    ids = [int(i) for i in np.random.default_rng(2).integers(0, 256, 3 * CHUNK_TOKENS + 5)]
    whole, parts, kept = (load(tmp_path / "onnx") for _ in range(3))
    expected = whole.logits(ids, 4)
    for end in (1, 2, 9, CHUNK_TOKENS + 7, len(ids)):
        found = parts.logits(ids[:end], min(end, 4))
    assert relative_error(found, expected) < 0.01
    kept.keep(ids[:100])
    kept.predict(IDS)
    assert relative_error(kept.logits(ids, 4), expected) < 0.01
    changed = [*ids[:50], 7, *ids[51:]]  # a text that leaves the known one early
    assert relative_error(kept.logits(changed, 4), whole.logits(changed, 4)) < 0.01
    assert relative_error(whole.logits(changed, 4), expected) > 0.03
    found_ids = kept.predict(ids, 4)
    assert found_ids is not None
    assert found_ids.tolist() == kept.logits(ids, 4).argmax(axis=1).tolist()


def unpacked(numbers: NDArray[np.uint8], bits: int) -> NDArray[np.float32]:
    if bits == 4:
        numbers = np.stack([numbers & 15, numbers >> 4], axis=-1).reshape(*numbers.shape[:-1], -1)
    return numbers.astype(np.float32)


def restored(weights: BlockWeights) -> NDArray[np.float32]:
    """The matrix that the numbers stand for, shape (N, K)."""
    num_blocks = weights.numbers.shape[1]
    zero_points = unpacked(weights.zero_points, weights.bits)[:, :num_blocks, None]
    values = (unpacked(weights.numbers, weights.bits) - zero_points) * weights.scales[..., None]
    return values.reshape(len(values), -1)[:, : weights.columns]


def test_block_sums_make_up_for_whole_zero_points(tmp_path: Path) -> None:
    file = GgufFile(write_gguf(tmp_path / "tiny.gguf", "qwen2", random_weights("qwen2"), four_bits=True))
    names = ["blk.0.attn_q.weight", "blk.0.attn_k.weight"]
    taken = block_weights(file, names)
    assert (taken.bits, taken.columns) == (4, 256 + 8)
    matrix = restored(taken)
    meant = np.concatenate([block for name in names for _, block in file.rows(name)])
    step = taken.scales[:, :8].repeat(32, axis=1)
    without = np.abs(matrix[:, :256] - meant) / step
    with_sums = np.abs(matrix[:, :256] + matrix[:, 256:].repeat(32, axis=1) - meant) / step
    assert without.max() > 0.4
    assert with_sums.max() < 0.1


def test_eight_bits_keep_each_weight_within_a_step(tmp_path: Path) -> None:
    weights = random_weights("llama")
    weights["lm_head.weight"][3] = 0
    weights["lm_head.weight"][4] = np.abs(weights["lm_head.weight"][4]) + 1
    taken = block_weights(GgufFile(write_gguf(tmp_path / "tiny.gguf", "llama", weights)), ["output.weight"])
    step = taken.scales.repeat(32, axis=1)
    assert np.all(np.abs(restored(taken) - weights["lm_head.weight"]) <= step * 1.001)
    assert not restored(taken)[3].any()


def test_facts_and_template_go_along(tmp_path: Path) -> None:
    convert(write_gguf(tmp_path / "tiny.gguf", "qwen2", random_weights("qwen2")), tmp_path / "onnx")
    facts = read_generation_facts(tmp_path / "onnx")
    assert [TOKENS[i] for i in facts.stop_token_ids] == ["<|endoftext|>", "<|im_end|>"]
    assert (tmp_path / "onnx" / "chat_template.jinja").read_text(encoding="utf-8") == TEMPLATE


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"architecture": "gemma3"}, "the architecture gemma3 cannot be converted"),
        ({"pre": "unheard-of"}, "its tokenizer .* is not supported"),
        ({"template": False}, r"lacks the metadata tokenizer\.chat_template"),
        ({"rope_scaling": gguf.RopeScalingType.YARN}, "scaled rotary positions"),
    ],
)
def test_what_cannot_be_converted_is_refused(tmp_path: Path, changes: dict[str, Any], complaint: str) -> None:
    path = write_gguf(tmp_path / "tiny.gguf", "qwen2", random_weights("qwen2"), **changes)
    with pytest.raises(CheckpointError, match=complaint):
        convert(path, tmp_path / "onnx")
    assert not (tmp_path / "onnx").exists()
