"""GGUF → CTranslate2: the same next tokens as transformers computes from the same weights, and the same token ids."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from tokenizers import Tokenizer

from kiosk.paths import checkpoints_dir
from models.errors import CheckpointError
from models.llm.chat_files import read_generation_facts
from models.llm.gguf_file import GgufFile, quantise_rows
from models.llm.gguf_to_ct2 import convert
from tests.llm.tiny import TEMPLATE
from tests.llm.tiny_gguf import TOKENS, random_weights, reference_logits, write_gguf


@pytest.mark.parametrize("architecture", ["qwen2", "llama"])
def test_the_converted_network_computes_what_transformers_computes(tmp_path: Path, architecture: str) -> None:
    import ctranslate2

    weights = random_weights(architecture)
    folder = tmp_path / "模型 ct2"
    shares: list[float] = []
    convert(write_gguf(tmp_path / "tiny.gguf", architecture, weights), folder, shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0

    ids = [int(i) for i in np.random.default_rng(1).integers(0, 256, 40)]
    generator = ctranslate2.Generator(
        str(folder), "cpu", compute_type="int8_float32", inter_threads=1, intra_threads=1
    )
    found = np.array(generator.forward_batch([[TOKENS[i] for i in ids]]))[0]
    expected = reference_logits(architecture, weights, ids)
    error = np.sqrt(np.mean((found - expected) ** 2)) / np.std(expected)
    # Eight bits: 0.03 to 0.06; without VNNI, where sums of products saturate, up to 0.16; rotary pairs taken in the
    # wrong order: 0.9 and more.
    assert error < 0.25


def test_facts_template_and_tokenizer_go_along(tmp_path: Path) -> None:
    convert(write_gguf(tmp_path / "tiny.gguf", "qwen2", random_weights("qwen2")), tmp_path / "ct2")
    facts = read_generation_facts(tmp_path / "ct2")
    assert facts.stop_tokens == ("<|endoftext|>", "<|im_end|>")
    assert [TOKENS[i] for i in facts.stop_token_ids] == list(facts.stop_tokens)
    assert (facts.context_tokens, facts.eos_token, facts.name) == (512, "<|im_end|>", "Tiny")
    assert (tmp_path / "ct2" / "chat_template.jinja").read_text(encoding="utf-8") == TEMPLATE
    tokenizer = Tokenizer.from_file(str(tmp_path / "ct2" / "tokenizer.json"))
    text = "<|im_start|>user\nIn the 银行 at 9:30, the café<|im_end|>"
    encoding = tokenizer.encode(text, add_special_tokens=False)
    assert encoding.tokens[0] == "<|im_start|>"
    assert "Ġt" in encoding.tokens
    assert tokenizer.decode(encoding.ids, skip_special_tokens=False) == unicodedata.normalize("NFC", text)
    assert json.loads((tmp_path / "ct2" / "vocabulary.json").read_text(encoding="utf-8")) == TOKENS


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"architecture": "gemma3"}, "the architecture gemma3 cannot be converted"),
        ({"pre": "unheard-of"}, "its tokenizer .* is not supported"),
        ({"template": False}, r"lacks the metadata tokenizer\.chat_template"),
        ({"rope_scaling": gguf.RopeScalingType.YARN}, "scaled rotary positions"),
    ],
)
def test_what_cannot_be_converted_is_refused_with_a_remedy(
    tmp_path: Path, changes: dict[str, Any], complaint: str
) -> None:
    path = write_gguf(tmp_path / "tiny.gguf", "qwen2", random_weights("qwen2"), **changes)
    with pytest.raises(CheckpointError, match=complaint) as raised:
        convert(path, tmp_path / "ct2")
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "ct2").exists()


@pytest.mark.parametrize("share", [0.0005, 0.5, 0.999])
def test_a_file_cut_short_is_refused(tmp_path: Path, share: float) -> None:
    path = write_gguf(tmp_path / "tiny.gguf", "qwen2", random_weights("qwen2"))
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(CheckpointError, match="damaged or no GGUF file"):
        convert(path, tmp_path / "ct2")


def test_eight_bits_keep_each_row_within_half_a_step(tmp_path: Path) -> None:
    weights = random_weights("llama")
    weights["lm_head.weight"][3] = 0
    file = GgufFile(write_gguf(tmp_path / "tiny.gguf", "llama", weights))
    rows, scale = quantise_rows(file, "output.weight")
    restored = rows.astype(np.float32) / scale[:, None]
    original = weights["lm_head.weight"]
    step = np.abs(original).max(1, keepdims=True) / 127
    assert np.all(np.abs(restored - original) <= step * 0.5001)
    assert not rows[3].any()


SENTENCES = (
    "怎么挂失银行卡？",
    "你好，请问几点关门？",
    "汇率是7.1234，对吗？①②③ ㈱ ﬁ １２３全角",
    "请把Wi-Fi密码告诉我。😀👍🏽\n\n第二段\n   ",
    "繁體中文測試，人民币￥1,234.56元",
    "<|im_start|>user\n你好<|im_end|>\n<tool_call>",
    "How do I open an account? I'd like $1,234.56, please. DON'T we've I'LL",
    "  leading and trailing   \t tabs\r\n\r\nend 1234567890",
    "naïve café e\u0301 Æther—dash 100% sure... [no] {maybe}",
    "مرحبا Привет हिन्दी zero\u200bwidth a\u00a0b 🏳️‍🌈 " + "x" * 100,
)


@pytest.mark.weights
@pytest.mark.slow
@pytest.mark.parametrize("name", ["qwen2.5-coder-0.5b-instruct", "smollm2-135m-instruct"])
def test_real_vocabularies_give_the_ids_of_transformers(name: str) -> None:
    transformers = pytest.importorskip("transformers")
    folder = checkpoints_dir() / name
    if not (folder / "onnx" / "tokenizer.json").is_file():
        pytest.skip(f"needs the weights {name}: python main.py models fetch {name}")
    reference = transformers.AutoTokenizer.from_pretrained(folder, gguf_file="model.gguf")
    ours = Tokenizer.from_file(str(folder / "onnx" / "tokenizer.json"))
    for sentence in SENTENCES:
        # Qwen's own tokenizer normalises to NFC; transformers forgets that for GGUF files.
        text = unicodedata.normalize("NFC", sentence) if name.startswith("qwen") else sentence
        assert (
            ours.encode(sentence, add_special_tokens=False).ids
            == reference(text, add_special_tokens=False)["input_ids"]
        )
