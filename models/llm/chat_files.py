"""The files beside converted weights: tokenizer, chat template and what an engine has to know about generation."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from models.errors import CheckpointError
from models.llm.chat_format import ChatFormat
from models.llm.gguf_file import GgufFile
from models.llm.gguf_tokenizer import build_tokenizer, stop_token_ids, tokens_of

GENERATION_FILE = "generation.json"
TEMPLATE_FILE = "chat_template.jinja"
TOKENIZER_FILE = "tokenizer.json"


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


@dataclass(frozen=True, slots=True)
class ChatFiles:
    """The content of these files, taken from a GGUF file."""

    facts: GenerationFacts
    template: str
    tokenizer: Tokenizer

    @classmethod
    def from_gguf(cls, file: GgufFile) -> ChatFiles:
        """Take them from the metadata.

        Raises:
            CheckpointError: Something is absent, or the vocabulary is of an unknown kind.
        """
        template = file.required("tokenizer.chat_template", str)
        tokenizer = build_tokenizer(file)
        return cls(_generation_facts(file), template, tokenizer)

    def save(self, folder: Path) -> None:
        """Write the three files.

        Raises:
            OSError: The folder cannot be written.
        """
        self.tokenizer.save(str(folder / TOKENIZER_FILE))
        (folder / TEMPLATE_FILE).write_text(self.template, encoding="utf-8")
        facts = json.dumps(asdict(self.facts), ensure_ascii=False, indent=1)
        (folder / GENERATION_FILE).write_text(facts, encoding="utf-8")


def read_generation_facts(folder: Path) -> GenerationFacts:
    """Read what `ChatFiles.save` wrote.

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


def read_chat_format(folder: Path, facts: GenerationFacts) -> ChatFormat:
    """Read tokenizer and chat template.

    Raises:
        CheckpointError: A file is absent or damaged.
    """
    tokenizer = _read_tokenizer(folder / TOKENIZER_FILE)
    template = _read_text(folder / TEMPLATE_FILE)
    return ChatFormat(tokenizer, template, bos_token=facts.bos_token, eos_token=facts.eos_token)


def special_token(file: GgufFile, role: str) -> str:
    """The token that a GGUF file names for a role ("bos", "eos", "unknown"), or nothing."""
    index = file.value(f"tokenizer.ggml.{role}_token_id", -1)
    return "" if index < 0 else str(tokens_of(file)[index])


def _generation_facts(file: GgufFile) -> GenerationFacts:
    architecture = file.required("general.architecture", str)
    stops = stop_token_ids(file)
    tokens = tokens_of(file)
    return GenerationFacts(
        name=file.value("general.name", file.path.parent.name),
        context_tokens=file.required(f"{architecture}.context_length", int),
        stop_token_ids=tuple(stops),
        stop_tokens=tuple(tokens[index] for index in stops),
        bos_token=special_token(file, "bos"),
        eos_token=special_token(file, "eos"),
    )


def _read_tokenizer(path: Path) -> Tokenizer:
    text = _read_text(path)
    try:
        return Tokenizer.from_str(text)
    except Exception as error:  # the library raises bare Exception for any damaged file
        raise CheckpointError(path, f"is no tokenizer ({' '.join(str(error).split())[:160]})") from error


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CheckpointError(path, "is absent or damaged") from error
