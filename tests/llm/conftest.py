"""Tiny random networks with real byte-level tokenizers, one file format and engine each."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from models.llm.gguf_to_onnx import convert
from tests.llm.tiny import SPECIALS, TEMPLATE, byte_tokenizer
from tests.llm.tiny_gguf import TOKENS, random_weights, write_gguf


@pytest.fixture(scope="session")
def torch_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint folder as from the official home, the path with spaces and Chinese characters."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("权重 folder") / "tiny"
    tokenizer = byte_tokenizer()
    config = transformers.Qwen2Config(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        initializer_range=0.3,  # large, so that answers depend on all of the prompt
        eos_token_id=tokenizer.token_to_id("<|im_end|>"),
    )
    torch.manual_seed(7)
    network = transformers.Qwen2ForCausalLM(config)
    with (
        torch.no_grad()
    ):  # only ASCII letters are ever likely: no half characters, no end, so answers can be compared
        for index in range(config.vocab_size):
            if not tokenizer.id_to_token(index).isascii() or tokenizer.id_to_token(index) in SPECIALS:
                network.lm_head.weight[index] = 0
    network.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        json.dumps(
            {
                "tokenizer_class": "PreTrainedTokenizerFast",
                "eos_token": "<|im_end|>",
                "bos_token": "<|endoftext|>",
                "chat_template": TEMPLATE,
            }
        ),
        encoding="utf-8",
    )
    return folder


@pytest.fixture(scope="session")
def ct2_folder(torch_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same network with float32 weights for CTranslate2."""
    converters = pytest.importorskip("ctranslate2.converters")
    folder = tmp_path_factory.mktemp("ct2") / "tiny 模型"
    converters.TransformersConverter(str(torch_folder)).convert(str(folder))
    byte_tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")
    stops = [byte_tokenizer().token_to_id(text) for text in ("<|endoftext|>", "<|im_end|>")]
    (folder / "generation.json").write_text(
        json.dumps(
            {
                "name": "tiny",
                "context_tokens": 4096,
                "stop_token_ids": stops,
                "stop_tokens": ["<|endoftext|>", "<|im_end|>"],
                "bos_token": "<|endoftext|>",
                "eos_token": "<|im_end|>",
            }
        ),
        encoding="utf-8",
    )
    return folder


@pytest.fixture(scope="session")
def onnx_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another tiny network with four-bit weights for ONNX Runtime; it too writes ASCII only and finds no end."""
    weights = random_weights("qwen2")
    head = np.random.default_rng(9).normal(0, 1, weights["model.embed_tokens.weight"].shape)
    for index, token in enumerate(TOKENS):
        if not token.isascii() or token in SPECIALS:
            head[index] = 0
    weights["lm_head.weight"] = head.astype(np.float32)
    source = write_gguf(
        tmp_path_factory.mktemp("gguf") / "tiny.gguf", "qwen2", weights, four_bits=True, context_tokens=4096
    )
    folder = tmp_path_factory.mktemp("onnx") / "tiny 模型"
    convert(source, folder)
    return folder
