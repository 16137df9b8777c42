"""Chat models on ONNX Runtime: four- and eight-bit weights, the fastest way on a CPU.

`stream` may be called in one thread at a time; each step is computed in that thread when the next piece is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from models.errors import ModelError
from models.llm.base import ChatMessage
from models.llm.chat_files import read_chat_format, read_generation_facts
from models.llm.chat_format import ChatFormat, TextStream, room_for_answer, stop_ids
from models.llm.onnx_decoder import OnnxDecoder
from models.llm.prompt_lookup import guess_from, guess_next
from models.types import ShouldStop, never_stop

MAX_KEPT_PROMPTS = 8
"""Two languages of four profiles; each takes some 30 MB."""
GUESSED_TOKENS = 3
"""Checked together with the next token in one pass over the weights."""
SURE_GUESSED_TOKENS = 7
"""The same where the last guesses came true, or the answer has begun like a likely one."""


class OnnxChatModel:
    """A chat model in a folder written by `models.llm.gguf_to_onnx.convert`."""

    def __init__(
        self,
        decoder: OnnxDecoder,
        chat: ChatFormat,
        *,
        name: str,
        context_tokens: int,
        stops: Sequence[int],
        guessed_tokens: int,
    ) -> None:
        """Use `load`."""
        self.name = name
        self.context_tokens = context_tokens
        self._decoder: OnnxDecoder | None = decoder
        self._chat = chat
        self._stops = frozenset(stops)
        self._guessed_tokens = guessed_tokens
        self._kept: set[str] = set()

    @classmethod
    def load(
        cls,
        folder: Path,
        *,
        threads: int,
        context_tokens: int,
        guessed_tokens: int = GUESSED_TOKENS,
        states: Path | None = None,
    ) -> OnnxChatModel:
        """Read the weights; nothing is computed yet.

        Args:
            folder: Holds graph, weights, embedding, tokenizer.json, chat_template.jinja, generation.json.
            threads: CPU threads, at least 1.
            context_tokens: Prompt and answer together; the network's own limit counts too.
            guessed_tokens: Looked up and checked in each step, at first; 0 for none at all.
            states: Folder in which the states of system prompts outlast the program; None: nothing is written.

        Raises:
            CheckpointError: A file is absent or damaged, or the weights do not fit into memory.
        """
        facts = read_generation_facts(folder)
        chat = read_chat_format(folder, facts)
        context_tokens = min(context_tokens, facts.context_tokens)
        return cls(
            OnnxDecoder.load(folder, threads=threads, context_tokens=context_tokens, states=states),
            chat,
            name=f"{facts.name}, onnxruntime",
            context_tokens=context_tokens,
            stops=stop_ids(chat, facts.stop_token_ids),
            guessed_tokens=guessed_tokens,
        )

    def warm_up(self, systems: Sequence[str] = ()) -> None:
        """See `ChatModel.warm_up`; keeps up to `MAX_KEPT_PROMPTS` states for the life of the network."""
        for system in systems or ("",):
            opening = [ChatMessage(role="system", content=system)] if system else []
            messages = [*opening, ChatMessage(role="user", content="?")]
            if system and system not in self._kept and len(self._kept) < MAX_KEPT_PROMPTS:
                self._network().keep(self._chat.system_prefix(messages))
                self._kept.add(system)
            for _ in self.stream(messages, max_new_tokens=1):
                pass

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """See `ChatModel.count_tokens`."""
        return len(self._chat.encode(messages))

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_new_tokens: int,
        likely: Sequence[str] = (),
        should_stop: ShouldStop = never_stop,
    ) -> Iterator[str]:
        """See `ChatModel.stream`; always takes the likeliest token."""
        ids = self._chat.encode(messages)
        room = room_for_answer(len(ids), self.context_tokens, max_new_tokens)
        text, opening = TextStream(self._chat.decode), self._chat.answer_opening(messages)
        if opening:
            yield opening
        whole = [self._chat.encode_text(answer) for answer in likely] if self._guessed_tokens else []
        for index in self._next_ids(ids, room, should_stop, whole):
            if index in self._stops or should_stop():
                return
            if piece := text.push(index):
                yield piece

    def close(self) -> None:
        """See `ChatModel.close`."""
        self._decoder = None

    def _next_ids(
        self, prompt: Sequence[int], room: int, should_stop: ShouldStop, likely: Sequence[Sequence[int]] = ()
    ) -> Iterator[int]:
        """Yield up to `room` ids; after a step in which guesses came true, several without computing."""
        ids, limit, num_true = list(prompt), len(prompt) + room, 0
        while len(ids) < limit and not should_stop():
            most = limit - len(ids) - 1
            guess = self._guess(ids, ids[len(prompt) :], likely, num_true)[: max(0, most)]
            found = self._network().predict(ids + guess, len(guess) + 1, should_stop)
            if found is None:
                return
            num_true = next((i for i, index in enumerate(guess) if index != found[i]), len(guess))
            for index in found[: num_true + 1].tolist():
                ids.append(index)
                yield index

    def _guess(
        self, ids: Sequence[int], answer: Sequence[int], likely: Sequence[Sequence[int]], num_true: int
    ) -> list[int]:
        """What may come next; `num_true` guesses came true in the last step."""
        if not self._guessed_tokens:
            return []
        if guess := guess_from(likely, answer, SURE_GUESSED_TOKENS if answer else self._guessed_tokens):
            return guess
        if not answer:
            return []
        return guess_next(ids, SURE_GUESSED_TOKENS if num_true >= self._guessed_tokens else self._guessed_tokens)

    def _network(self) -> OnnxDecoder:
        if self._decoder is None:
            raise ModelError("the language model has been closed; load it again")
        return self._decoder
