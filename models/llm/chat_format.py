"""From messages to token ids and back to text: chat template, special tokens, incremental decoding.

Shared by the engines that run a network in this process. Pure, no thread of its own.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Sequence
from typing import Any

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer

from models.errors import ModelError, ModelInputError
from models.llm.base import ChatMessage

REASONING_TAG = "<think>"
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


class ChatFormat:
    """Turns a conversation into the token ids that a network was trained on."""

    def __init__(self, tokenizer: Tokenizer, template: str, *, bos_token: str, eos_token: str) -> None:
        """Compile the template.

        Args:
            tokenizer: Adds no tokens of its own; its special tokens are the template's alone.
            template: Jinja source as in `chat_template.jinja`.
            bos_token: For templates that name it; may be empty.
            eos_token: The same.

        Raises:
            ModelError: The template is no valid Jinja.
        """
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.globals["raise_exception"] = _refuse
        environment.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)
        try:
            self._template = environment.from_string(template)
        except jinja2.TemplateError as error:
            raise ModelError(f"the chat template cannot be read ({error}); fetch the model again") from error
        self._tokenizer = tokenizer
        self._tokens: dict[str, Any] = {"bos_token": bos_token, "eos_token": eos_token}
        added = tokenizer.get_added_tokens_decoder()
        self.special_ids = frozenset(index for index, token in added.items() if token.special)
        """Control tokens: none of them belongs into an answer, each ends it."""
        self._special_texts = sorted((token.content for token in added.values() if token.special), key=len)

    def encode(self, messages: Sequence[ChatMessage]) -> list[int]:
        """Ids of the whole prompt, up to where the answer begins.

        Raises:
            ModelError: The template refuses these messages.
        """
        try:
            return self._ids(self._render(messages, add_generation_prompt=True))
        except jinja2.TemplateError as error:
            raise ModelError(f"the model's chat template refuses the conversation ({error})") from error

    def system_prefix(self, messages: Sequence[ChatMessage]) -> list[int]:
        """Ids with which every conversation under the same system message begins; empty when there are none."""
        if not messages or messages[0].role != "system":
            return []
        try:
            prefix = self._ids(self._render(messages[:1], add_generation_prompt=False))
        except jinja2.TemplateError:  # some families write the system text into the first question
            return []
        return prefix if self.encode(messages)[: len(prefix)] == prefix else []

    def answer_opening(self, messages: Sequence[ChatMessage]) -> str:
        """What the template has written of the answer already: the tag that opens a reasoning block, or nothing.

        Passing it on first lets a reader of the stream tell reasoning from answer.
        """
        prompt = self._render(messages, add_generation_prompt=True)
        return REASONING_TAG if prompt.rstrip().endswith(REASONING_TAG) else ""

    def token(self, index: int) -> str:
        """The vocabulary's name of an id."""
        return self._tokenizer.id_to_token(index) or ""

    def encode_text(self, text: str) -> list[int]:
        """Ids of some words of an answer."""
        return self._ids(self._plain(text))

    def decode(self, ids: Sequence[int]) -> str:
        """Text of some ids, without special tokens."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True))

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _render(self, messages: Sequence[ChatMessage], *, add_generation_prompt: bool) -> str:
        plain = [{"role": message.role, "content": self._plain(message.content)} for message in messages]
        return self._template.render(
            messages=plain,
            add_generation_prompt=add_generation_prompt,
            enable_thinking=False,  # Qwen3 and its like: nobody waits at a counter for reasoning
            **self._tokens,
        )

    def _plain(self, content: str) -> str:
        """Take control tokens out of what people wrote: a visitor must not be able to open a system message."""
        found = True
        while found:  # removing one may put another together
            found = False
            for special in self._special_texts:
                if special and special in content:
                    content, found = content.replace(special, ""), True
        return content


class TextStream:
    """Decodes ids one by one into whole characters. One per answer."""

    def __init__(self, decode: Callable[[Sequence[int]], str]) -> None:
        """Start empty; `decode` turns ids into text."""
        self._decode = decode
        self._ids: list[int] = []
        self._settled = 0
        self._pending = 0

    def push(self, index: int) -> str:
        """Add an id; return the characters that are complete now, often none."""
        self._ids.append(index)
        self._pending += 1
        before = self._decode(self._ids[: self._settled])
        text = self._decode(self._ids)
        if text.endswith(REPLACEMENT):  # in the middle of a character
            return ""
        piece = text[len(before) :].replace(REPLACEMENT, "")
        # Decoders may treat the first token apart (its space), so the last settled one stays as context.
        self._ids = self._ids[-self._pending :]
        self._settled, self._pending = len(self._ids), 0
        return piece


def _refuse(message: str) -> None:
    raise jinja2.TemplateError(message)


def room_for_answer(prompt_tokens: int, context_tokens: int, max_new_tokens: int) -> int:
    """How many tokens the answer may have, at least 1.

    Raises:
        ModelInputError: The prompt alone is too long.
    """
    if prompt_tokens >= context_tokens:
        raise ModelInputError(
            f"the prompt has {prompt_tokens} tokens, the context {context_tokens}; shorten the profile's facts"
        )
    return min(max_new_tokens, context_tokens - prompt_tokens)


def stop_ids(format_: ChatFormat, named: Collection[int]) -> list[int]:
    """All ids that end an answer: those the model names, and every control token."""
    return sorted(format_.special_ids | set(named))
