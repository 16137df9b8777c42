"""What was said in the conversation with the present visitor. In memory only, gone with `clear`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from models.llm.base import ChatMessage

MAX_TURNS = 8
"""Older turns are forgotten: nobody at a counter refers to them, and each one costs time before the first word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question and what was said in reply."""

    question: str
    """As the visitor put it."""
    answer: str
    """The part that was said; never empty."""

    @property
    def messages(self) -> tuple[ChatMessage, ChatMessage]:
        """For the model."""
        return (
            ChatMessage(role="user", content=self.question),
            ChatMessage(role="assistant", content=self.answer),
        )


class History:
    """The last turns of one visitor. Any thread may call; a turn that began before `clear` is not taken any more."""

    def __init__(self) -> None:
        """Start with an empty conversation."""
        self._lock = threading.Lock()
        self._turns: list[Turn] = []
        self._visitor = 0

    @property
    def visitor(self) -> int:
        """Number of the present conversation; `clear` begins the next."""
        return self._visitor

    def add(self, turn: Turn, visitor: int) -> None:
        """Keep a turn of the given conversation; ignored when that one is over."""
        with self._lock:
            if visitor == self._visitor:
                self._turns = [*self._turns, turn][-MAX_TURNS:]

    def replace_last_answer(self, said: str) -> None:
        """Keep only the words of the last answer that were really said; the whole turn goes when there were none."""
        with self._lock:
            if self._turns:
                question = self._turns.pop().question
                if said:
                    self._turns.append(Turn(question=question, answer=said))

    def turns(self) -> tuple[Turn, ...]:
        """All turns that are remembered, oldest first."""
        with self._lock:
            return tuple(self._turns)

    def clear(self) -> None:
        """The visitor has left."""
        with self._lock:
            self._turns = []
            self._visitor += 1


def fit_turns(
    opening: Sequence[ChatMessage],
    turns: Sequence[Turn],
    question: ChatMessage,
    *,
    count_tokens: Callable[[Sequence[ChatMessage]], int],
    max_tokens: int,
) -> list[ChatMessage]:
    """Build the prompt with as many of the newest turns as fit, each whole.

    Args:
        opening: The system message (and what always stands with it): never left out.
        turns: Oldest first.
        question: Stands last, never left out.
        count_tokens: Length of a prompt.
        max_tokens: The prompt may have.

    Returns:
        Opening, turns, question; without any turn when even one is too long.
    """
    for first in range(len(turns)):
        messages = [*opening, *(m for turn in turns[first:] for m in turn.messages), question]
        if count_tokens(messages) <= max_tokens:
            return messages
    return [*opening, question]
