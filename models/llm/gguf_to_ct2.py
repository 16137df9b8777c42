"""Turns a GGUF file into a CTranslate2 folder with eight-bit weights, without torch.

Only for the engine `ctranslate2`, so `models fetch` does not do it:

python -m models.llm.gguf_to_ct2 checkpoints/NAME/model.gguf checkpoints/NAME/ct2

Takes about a minute per thousand million parameters and little more memory than the result is large.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from ctranslate2.specs import common_spec, transformer_spec

from models.llm.chat_files import ChatFiles, special_token
from models.llm.gguf_decoder import DecoderShape, Progress, read_decoder_shape
from models.llm.gguf_file import GgufFile, quantise_rows
from models.llm.gguf_tokenizer import tokens_of


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
    shape = read_decoder_shape(file)
    chat_files = ChatFiles.from_gguf(file)
    spec = _build_spec(file, shape, progress or (lambda share: None))

    vocabulary = tokens_of(file)
    rows = file.shape("token_embd.weight")[0]
    spec.register_vocabulary([*vocabulary, *(f"<extra_id_{i}>" for i in range(rows - len(vocabulary)))])
    spec.config.bos_token = chat_files.facts.bos_token
    spec.config.eos_token = chat_files.facts.eos_token
    spec.config.unk_token = special_token(file, "unknown")
    spec.config.layer_norm_epsilon = shape.norm_epsilon
    spec.validate()
    spec.optimize(quantization=None)  # shares equal matrices (tied embeddings); the weights are quantised already

    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))
    chat_files.save(folder)


def _build_spec(file: GgufFile, shape: DecoderShape, progress: Progress) -> Any:
    spec = transformer_spec.TransformerDecoderModelSpec.from_config(
        shape.num_layers,
        shape.num_heads,
        activation=common_spec.Activation.SWISH,
        ffn_glu=True,
        rms_norm=True,
        rotary_dim=0,  # all of them
        rotary_interleave=shape.rotary_is_interleaved,
        rotary_base=shape.rotary_base,
        num_heads_kv=shape.num_heads_kv if shape.num_heads_kv != shape.num_heads else None,
        head_dim=shape.head_dim if shape.head_dim * shape.num_heads != shape.width else None,
        quant_type=common_spec.Quantization.CT2,
    )
    decoder = spec.decoder
    decoder.scale_embeddings = False
    steps = shape.num_layers + 2
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


def main() -> None:
    """Convert the file that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("source", type=Path, help="a GGUF file")
    parser.add_argument("folder", type=Path, help="receives the converted files")
    arguments = parser.parse_args()
    convert(arguments.source, arguments.folder)


if __name__ == "__main__":
    main()
