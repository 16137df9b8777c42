"""Chat models on CTranslate2: eight-bit weights, for a CPU or for a GPU without torch.

`stream` may be called in one thread at a time; the computation runs in CTranslate2's own worker.
"""

from __future__ import annotations

import logging
import queue
import threading
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import ctranslate2

from models.errors import CheckpointError, ModelError
from models.llm.base import ChatMessage
from models.llm.chat_files import read_chat_format, read_generation_facts
from models.llm.chat_format import ChatFormat, TextStream, room_for_answer, stop_ids
from models.llm.choose import CT2_MODEL
from models.llm.memory import require_memory
from models.types import ShouldStop, never_stop

log = logging.getLogger("llm")

MAX_KEPT_PROMPTS = 8
"""CTranslate2 frees kept states only with the network, so there is a limit: two languages of four profiles."""
COMPUTE_TYPES = {"cpu": "int8", "cuda": "int8_float16"}


class CTranslate2ChatModel:
    """A chat model in a folder written by `models.llm.gguf_to_ct2.convert`."""

    def __init__(
        self, generator: Any, chat: ChatFormat, *, name: str, context_tokens: int, stops: list[int], max_kept: int
    ) -> None:
        """Use `load`."""
        self.name = name
        self.context_tokens = context_tokens
        self._network = _Network(generator)
        self._chat = chat
        self._stops = stops
        self._max_kept = max_kept
        self._kept: set[str] = set()
        self._finalizer = weakref.finalize(self, self._network.close)  # also when the program ends

    @classmethod
    def load(
        cls,
        folder: Path,
        *,
        device: Literal["cpu", "cuda"],
        threads: int,
        context_tokens: int,
        keep_system_prompts: bool = True,
    ) -> CTranslate2ChatModel:
        """Read the weights; nothing is computed yet.

        Args:
            folder: Holds model.bin, config.json, vocabulary, tokenizer.json, chat_template.jinja, generation.json.
            device: Where the network runs.
            threads: CPU threads, at least 1.
            context_tokens: Prompt and answer together; the network's own limit counts too.
            keep_system_prompts: Keep the state of each prompt given to `warm_up`; false only to measure the gain.

        Raises:
            CheckpointError: A file is absent or damaged, or the weights do not fit into memory.
        """
        model = folder / CT2_MODEL
        if not model.is_file():
            raise CheckpointError(model, "is absent")
        facts = read_generation_facts(folder)
        chat = read_chat_format(folder, facts)
        if device == "cpu":
            require_memory(model, model.stat().st_size)
        try:
            generator = ctranslate2.Generator(
                str(folder), device, compute_type=COMPUTE_TYPES[device], intra_threads=threads, inter_threads=1
            )
        except (RuntimeError, ValueError) as error:
            raise CheckpointError(folder, f"cannot be loaded ({_one_line(error)})") from error
        return cls(
            generator,
            chat,
            name=f"{facts.name}, {COMPUTE_TYPES[device]}",
            context_tokens=min(context_tokens, facts.context_tokens),
            stops=stop_ids(chat, facts.stop_token_ids),
            max_kept=MAX_KEPT_PROMPTS if keep_system_prompts else 0,
        )

    def warm_up(self, systems: Sequence[str] = ()) -> None:
        """See `ChatModel.warm_up`; keeps up to `MAX_KEPT_PROMPTS` states for the life of the network."""
        for system in systems or ("",):
            if system and len(self._kept) < self._max_kept:
                self._kept.add(system)
            opening = [ChatMessage(role="system", content=system)] if system else []
            for _ in self.stream([*opening, ChatMessage(role="user", content="?")], max_new_tokens=1):
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
        prefix = self._kept_prefix(messages, len(ids))
        text, opening = TextStream(self._chat.decode), self._chat.answer_opening(messages)
        if opening:
            yield opening
        run = self._network.start(
            self._names(ids[:prefix]), self._names(ids[prefix:]), room, self._stops, should_stop
        )
        try:
            while (index := run.next_id()) is not None and index not in self._stops and not should_stop():
                piece = text.push(index)
                if piece:
                    yield piece
        finally:
            run.cancel()

    def close(self) -> None:
        """See `ChatModel.close`."""
        self._finalizer()

    def _kept_prefix(self, messages: Sequence[ChatMessage], num_tokens: int) -> int:
        """Length of the beginning of the prompt whose state is kept; 0 for none."""
        if not messages or messages[0].content not in self._kept:
            return 0
        length = len(self._chat.system_prefix(messages))
        return length if length < num_tokens else 0

    def _names(self, ids: Sequence[int]) -> list[str]:
        return [self._chat.token(index) for index in ids]


class _Run:
    """One computation: token ids as they come."""

    def __init__(self, should_stop: ShouldStop) -> None:
        self._should_stop = should_stop
        self._is_cancelled = threading.Event()
        self._ids: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._error: Exception | None = None
        self._watcher: threading.Thread | None = None

    def on_step(self, step: Any) -> bool:
        """Called in CTranslate2's thread with each token; true ends the computation."""
        self._ids.put(step.token_id)
        return self._is_cancelled.is_set() or self._should_stop()

    def watch(self, result: Any) -> None:
        """Wait for the end in a thread of its own: an error is reported nowhere else."""
        self._watcher = threading.Thread(target=self._wait, args=(result,), name="llm-watch", daemon=True)
        self._watcher.start()

    def next_id(self) -> int | None:
        """The next token, None after the last.

        Raises:
            ModelError: The computation failed.
        """
        index = self._ids.get()
        if self._error is not None:
            message = f"the language model failed ({_one_line(self._error)}); restart the kiosk"
            raise ModelError(message) from self._error
        return index

    def cancel(self) -> None:
        """End the computation; returns when the step that was being computed is done."""
        self._is_cancelled.set()
        if self._watcher is not None:
            self._watcher.join()

    def _wait(self, result: Any) -> None:
        try:
            result.result()
        except (RuntimeError, ValueError) as error:
            self._error = error
        self._ids.put(None)


class _Network:
    """The one owner of CTranslate2's generator.

    Its worker threads must have ended before the interpreter does, or the process aborts; they end when the last
    reference to the generator goes. So no frame of a suspended answer may hold one.
    """

    def __init__(self, generator: Any) -> None:
        self._generator: Any | None = generator
        self._run: _Run | None = None

    def start(
        self, prefix: list[str], prompt: list[str], max_tokens: int, stops: list[int], should_stop: ShouldStop
    ) -> _Run:
        """Begin to continue a prompt, the likeliest token each time.

        Args:
            prefix: Tokens whose state is computed once and kept; may be empty.
            prompt: The tokens after them, at least one.
            max_tokens: Of the answer.
            stops: Ids that end it.
            should_stop: Asked after each token, in CTranslate2's thread.
        """
        if self._generator is None:
            raise ModelError("the language model has been closed; load it again")
        run = _Run(should_stop)
        try:
            (result,) = self._generator.generate_batch(
                [prompt],
                max_length=max_tokens,
                sampling_topk=1,
                end_token=stops,
                static_prompt=prefix or None,
                cache_static_prompt=True,
                include_prompt_in_result=False,
                asynchronous=True,
                callback=run.on_step,
            )
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"the language model failed ({_one_line(error)}); restart the kiosk") from error
        run.watch(result)
        self._run = run
        return run

    def close(self) -> None:
        """End what is being computed, then free the network."""
        if self._run is not None:
            self._run.cancel()
        self._run = self._generator = None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:160]
