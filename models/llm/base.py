"""The interface of a chat model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from models.types import ShouldStop, never_stop


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class ChatModel(Protocol):
    """Continues a conversation, streaming."""

    name: str
    """For the operator: which weights answer."""
    context_tokens: int
    """How many tokens fit, prompt and answer together."""

    def warm_up(self, systems: Sequence[str] = ()) -> None:
        """Run once in the calling thread and, where the engine can, keep the state of each system prompt.

        Args:
            systems: System prompts that later conversations will start with.
        """
        ...

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """Tokens of the whole prompt made of these messages, chat template included."""
        ...

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_new_tokens: int,
        likely: Sequence[str] = (),
        should_stop: ShouldStop = never_stop,
    ) -> Iterator[str]:
        """Yield the answer piece by piece as whole characters (never half of one), without special tokens.

        Ends at the model's end of turn, at `max_new_tokens`, or when `should_stop` says so.

        Args:
            messages: The conversation; the last one is answered.
            max_new_tokens: The longest answer.
            likely: Texts that the answer may turn out to be, likeliest first. They make an engine that checks guesses
                faster where one of them is right, and put nothing into the answer: every token is the model's own
                choice, though between two that are all but equally likely the rounding of another step may decide.
            should_stop: See `ShouldStop`.

        Raises:
            ModelInputError: The prompt does not fit into the context.
        """
        ...

    def close(self) -> None:
        """Free the network; safe to call while nothing streams, and twice."""
        ...
