"""Turns a GGUF file into a CTranslate2 folder with eight-bit weights, without torch.

Done once, when weights are fetched; takes about a minute per thousand million parameters and little more memory than
the result is large.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from ctranslate2.specs import common_spec, transformer_spec

from models.errors import CheckpointError
from models.llm.gguf_file import GgufFile, quantise_rows
from models.llm.gguf_tokenizer import build_tokenizer, stop_token_ids, tokens_of

ARCHITECTURES = ("qwen2", "llama")
GENERATION_FILE = "generation.json"
TEMPLATE_FILE = "chat_template.jinja"
TOKENIZER_FILE = "tokenizer.json"

Progress = Callable[[float], None]
"""Called with the share that is done, 0..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationFacts:
    """What an engine has to know beside weights, tokenizer and chat template."""

    name: str
    """The model's own name."""
    context_tokens: int
    """Prompt and answer together."""
    stop_token_ids: tuple[int, ...]
    """Any of these ends the answer."""
    stop_tokens: tuple[str, ...]
    """The same as text."""
    bos_token: str
    """For templates that begin with it; may be empty."""
    eos_token: str
    """The first of the stop tokens to the model's author."""


def read_generation_facts(folder: Path) -> GenerationFacts:
    """Read what `convert` wrote.

    Raises:
        CheckpointError: The file is absent or damaged.
    """
    path = folder / GENERATION_FILE
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        lists = {key: tuple(value) for key, value in found.items() if isinstance(value, list)}
        return GenerationFacts(**(found | lists))
    except (OSError, ValueError, TypeError) as error:
        raise CheckpointError(path, "is absent or damaged") from error


def convert(source: Path, folder: Path, progress: Progress | None = None) -> None:
    """Write model, vocabulary, tokenizer, chat template and facts about generation.

    Args:
        source: A GGUF file of a Qwen2 or Llama model with a byte-level BPE vocabulary and a chat template.
        folder: Receives the files; made if absent. On an error it may be left half-filled: use a scratch folder.
        progress: Told after each layer.

    Raises:
        CheckpointError: The file is damaged, or of a kind that cannot be converted.
        OSError: The folder cannot be written.
    """
    file = GgufFile(source)
    architecture = file.required("general.architecture", str)
    _refuse_unsupported(file, architecture)
    template = file.required("tokenizer.chat_template", str)
    tokenizer = build_tokenizer(file)
    spec = _build_spec(file, architecture, progress or (lambda share: None))
    facts = _generation_facts(file, architecture)

    vocabulary = tokens_of(file)
    rows = file.shape("token_embd.weight")[0]
    spec.register_vocabulary([*vocabulary, *(f"<extra_id_{i}>" for i in range(rows - len(vocabulary)))])
    spec.config.bos_token = facts.bos_token
    spec.config.eos_token = facts.eos_token
    spec.config.unk_token = _token(file, "unknown")
    spec.config.layer_norm_epsilon = file.required(f"{architecture}.attention.layer_norm_rms_epsilon", float)
    spec.validate()
    spec.optimize(quantization=None)  # shares equal matrices (tied embeddings); the weights are quantised already

    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))
    tokenizer.save(str(folder / TOKENIZER_FILE))
    (folder / TEMPLATE_FILE).write_text(template, encoding="utf-8")
    (folder / GENERATION_FILE).write_text(json.dumps(asdict(facts), ensure_ascii=False, indent=1), encoding="utf-8")


def _refuse_unsupported(file: GgufFile, architecture: str) -> None:
    remedy = f"choose a GGUF file of {' or '.join(ARCHITECTURES)}, or the engine `transformers`"
    if architecture not in ARCHITECTURES:
        raise CheckpointError(file.path, f"the architecture {architecture} cannot be converted", remedy)
    scaling = file.value(f"{architecture}.rope.scaling.type", "none")
    if scaling != "none" or "rope_freqs.weight" in file:
        raise CheckpointError(file.path, "scaled rotary positions cannot be converted", remedy)
    if file.value(f"{architecture}.expert_count", 0):
        raise CheckpointError(file.path, "a mixture of experts cannot be converted", remedy)


def _build_spec(file: GgufFile, architecture: str, progress: Progress) -> Any:
    num_layers = file.required(f"{architecture}.block_count", int)
    num_heads = file.required(f"{architecture}.attention.head_count", int)
    num_heads_kv = file.value(f"{architecture}.attention.head_count_kv", num_heads)
    width = file.required(f"{architecture}.embedding_length", int)
    head_dim = file.value(f"{architecture}.attention.key_length", width // num_heads)
    spec = transformer_spec.TransformerDecoderModelSpec.from_config(
        num_layers,
        num_heads,
        activation=common_spec.Activation.SWISH,
        ffn_glu=True,
        rms_norm=True,
        rotary_dim=0,  # all of them
        # GGUF keeps the rows of Llama's queries and keys in the order of interleaved rotary pairs, Qwen2's in halves.
        rotary_interleave=architecture == "llama",
        rotary_base=file.value(f"{architecture}.rope.freq_base", 10_000.0),
        num_heads_kv=num_heads_kv if num_heads_kv != num_heads else None,
        head_dim=head_dim if head_dim * num_heads != width else None,
        quant_type=common_spec.Quantization.CT2,
    )
    decoder = spec.decoder
    decoder.scale_embeddings = False
    steps = num_layers + 2
    _fill_linear(decoder.embeddings, file, "token_embd")
    progress(1 / steps)
    for index, layer in enumerate(decoder.layer):
        _fill_layer(layer, file, f"blk.{index}")
        progress((index + 2) / steps)
    decoder.layer_norm.gamma = file.vector("output_norm.weight")
    if "output.weight" in file:
        _fill_linear(decoder.projection, file, "output")
    else:
        decoder.projection.weight = decoder.embeddings.weight
        decoder.projection.weight_scale = decoder.embeddings.weight_scale
    progress(1.0)
    return spec


def _fill_layer(layer: Any, file: GgufFile, name: str) -> None:
    layer.self_attention.layer_norm.gamma = file.vector(f"{name}.attn_norm.weight")
    layer.ffn.layer_norm.gamma = file.vector(f"{name}.ffn_norm.weight")
    _fill_linear(layer.self_attention.linear[0], file, *(f"{name}.attn_{part}" for part in "qkv"))
    _fill_linear(layer.self_attention.linear[1], file, f"{name}.attn_output")
    _fill_linear(layer.ffn.linear_0, file, f"{name}.ffn_gate")
    _fill_linear(layer.ffn.linear_0_noact, file, f"{name}.ffn_up")
    _fill_linear(layer.ffn.linear_1, file, f"{name}.ffn_down")


def _fill_linear(spec: Any, file: GgufFile, *names: str) -> None:
    """Set weight, scale and bias; several tensors are stacked by rows."""
    parts = [quantise_rows(file, f"{name}.weight") for name in names]
    spec.weight = parts[0][0] if len(parts) == 1 else np.concatenate([weight for weight, _ in parts])
    spec.weight_scale = parts[0][1] if len(parts) == 1 else np.concatenate([scale for _, scale in parts])
    if any(f"{name}.bias" in file for name in names):
        spec.bias = np.concatenate(
            [
                file.vector(f"{name}.bias")
                if f"{name}.bias" in file
                else np.zeros(file.shape(f"{name}.weight")[0], np.float32)
                for name in names
            ]
        )


def _token(file: GgufFile, role: str) -> str:
    index = file.value(f"tokenizer.ggml.{role}_token_id", -1)
    return "" if index < 0 else str(tokens_of(file)[index])


def _generation_facts(file: GgufFile, architecture: str) -> GenerationFacts:
    stops = stop_token_ids(file)
    tokens = tokens_of(file)
    return GenerationFacts(
        name=file.value("general.name", file.path.parent.name),
        context_tokens=file.required(f"{architecture}.context_length", int),
        stop_token_ids=tuple(stops),
        stop_tokens=tuple(tokens[index] for index in stops),
        bos_token=_token(file, "bos"),
        eos_token=_token(file, "eos"),
    )
