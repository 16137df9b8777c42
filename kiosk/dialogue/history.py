"""What was said in the conversation with the present visitor. In memory only, gone with `clear`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from models.llm.base import ChatMessage

MAX_TURNS = 8
"""Older turns are forgotten: nobody at a counter refers to them, and each one costs time before the first word."""
MAX_CORRECTIONS = 16
"""Corrections that wait for their turn; some never come, because the turn failed or was dropped before it began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question and what was said in reply."""

    question: str
    """As the visitor put it."""
    answer: str
    """The part that was said; never empty."""
    turn_id: int = 0
    """Its number, by which it can be corrected."""

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
        self._corrections: dict[int, str] = {}  # of turns that have not been added yet

    @property
    def visitor(self) -> int:
        """Number of the present conversation; `clear` begins the next."""
        return self._visitor

    def add(self, turn: Turn, visitor: int) -> None:
        """Keep a turn of the given conversation, corrected; ignored when that one is over."""
        with self._lock:
            said = self._corrections.pop(turn.turn_id, turn.answer)
            if visitor == self._visitor and said:
                self._turns = [*self._turns, replace(turn, answer=said)][-MAX_TURNS:]

    def note(self, question: str, said: str, turn_id: int, visitor: int) -> None:
        """Keep what was answered, whoever did, so that a follow-up can lean on it; nothing if nothing was said."""
        answer = said.strip()
        if answer:
            self.add(Turn(question=question, answer=answer, turn_id=turn_id), visitor)

    def correct(self, turn_id: int, said: str) -> None:
        """Keep only the words of an answer that were really heard; the whole turn goes when there were none.

        May come before the turn is added: whoever interrupts is often faster than the answer is complete.
        """
        with self._lock:
            for number, turn in enumerate(self._turns):
                if turn.turn_id == turn_id:
                    self._turns[number : number + 1] = [replace(turn, answer=said)] if said else []
                    return
            self._corrections[turn_id] = said
            for old in sorted(self._corrections)[:-MAX_CORRECTIONS]:
                del self._corrections[old]

    def turns(self) -> tuple[Turn, ...]:
        """All turns that are remembered, oldest first."""
        with self._lock:
            return tuple(self._turns)

    def clear(self) -> None:
        """The visitor has left."""
        with self._lock:
            self._turns = []
            self._corrections.clear()
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
