"""Rebuilds the tokenizer of a GGUF file: byte-level BPE of the Qwen2, Llama 3 and SmolLM kinds."""

from __future__ import annotations

from collections.abc import Callable

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from models.errors import CheckpointError
from models.llm.gguf_file import GgufFile

# Values of tokenizer.ggml.token_type.
CONTROL = 3
USER_DEFINED = 4

END_OF_TURN_TOKENS = ("<|im_end|>", "<|eot_id|>", "<|end_of_text|>", "<|endoftext|>")
"""Tokens that end an answer in the known families, where the vocabulary has them as control tokens."""


def _split_then_bytes(pattern: str) -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )


def _word_pattern(digits: str) -> str:
    """How the GPT-4 family cuts text into words; `digits` says how many digits stay together."""
    return (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
        + digits
        + r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )


_PRE_TOKENIZERS: dict[str, Callable[[], pre_tokenizers.PreTokenizer]] = {
    "qwen2": lambda: _split_then_bytes(_word_pattern(r"\p{N}")),
    "llama-bpe": lambda: _split_then_bytes(_word_pattern(r"\p{N}{1,3}")),
    "smollm": lambda: pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    ),
    "gpt-2": lambda: pre_tokenizers.ByteLevel(add_prefix_space=False),
}
"""By tokenizer.ggml.pre: how text is cut before the merges are applied."""


def tokens_of(file: GgufFile) -> list[str]:
    """All tokens, in order of their ids."""
    return file.required("tokenizer.ggml.tokens", list)


def stop_token_ids(file: GgufFile) -> list[int]:
    """Ids of all tokens that end an answer."""
    ids = {file.value("tokenizer.ggml.eos_token_id", -1), file.value("tokenizer.ggml.eot_token_id", -1)} - {-1}
    tokens = tokens_of(file)
    ids.update(i for i, kind in enumerate(_kinds(file)) if kind == CONTROL and tokens[i] in END_OF_TURN_TOKENS)
    if not ids:
        raise CheckpointError(file.path, "names no token that ends an answer", "choose another GGUF file")
    return sorted(ids)


def _kinds(file: GgufFile) -> list[int]:
    none: list[int] = []
    return file.value("tokenizer.ggml.token_type", none)


def build_tokenizer(file: GgufFile) -> Tokenizer:
    """Make the tokenizer; it adds no tokens of its own, the chat template holds them.

    Raises:
        CheckpointError: The vocabulary is of another kind than byte-level BPE, or cut in an unknown way.
    """
    kind, cut = file.required("tokenizer.ggml.model", str), file.value("tokenizer.ggml.pre", "gpt-2")
    if kind != "gpt2" or cut not in _PRE_TOKENIZERS:
        known = ", ".join(_PRE_TOKENIZERS)
        raise CheckpointError(
            file.path,
            f"its tokenizer ({kind}, {cut}) is not supported here",
            f"choose a GGUF file with one of {known}, or the engine `transformers`",
        )
    tokens = tokens_of(file)
    merges = [tuple(pair.split(" ", 1)) for pair in file.required("tokenizer.ggml.merges", list)]
    tokenizer = Tokenizer(
        models.BPE(
            vocab={token: index for index, token in enumerate(tokens)},
            merges=merges,
            fuse_unk=False,
            byte_fallback=False,
            ignore_merges=cut == "llama-bpe",
        )
    )
    if cut == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = _PRE_TOKENIZERS[cut]()
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.add_tokens(
        [
            AddedToken(tokens[index], special=kind == CONTROL, normalized=False)
            for index, kind in enumerate(_kinds(file))
            if kind in (CONTROL, USER_DEFINED)
        ]
    )
    if tokenizer.get_vocab_size(with_added_tokens=True) != len(tokens):
        raise CheckpointError(file.path, "its vocabulary names a token twice", "choose another GGUF file")
    return tokenizer
