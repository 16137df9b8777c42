"""From a question to the words of the answer: prompt, history, model; no reasoning, no invented figure.

Runs in the caller's thread.
"""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Generator, Iterator, Sequence
from typing import cast

from kiosk.dialogue.figures import FigureGuard
from kiosk.dialogue.follow_up import HistoryUse, leans_on_history
from kiosk.dialogue.history import History, Turn, fit_turns
from kiosk.dialogue.likely import LikelyAnswers
from kiosk.dialogue.prompt import opening_messages, system_prompt
from kiosk.dialogue.reasoning import ReasoningFilter
from kiosk.profile import Profile
from models.llm.base import ChatMessage, ChatModel
from models.types import LANGUAGES, Language, ShouldStop, never_stop

log = logging.getLogger("llm")

MAX_QUESTION_CHARACTERS = 400
"""About what anybody says in 60 s; more than that is no question at a counter."""
MAX_SENTENCES = 2
"""A visitor listens to no more; small models go on with the next fact otherwise."""
TURNS_WHEN_NEEDED = 2
"""A follow-up refers to the last turn or the one before it."""
_HESITATION = "…… "
"""Between the beginning of a clause that turned out wrong and what is said instead."""
_SENTENCE_END = re.compile(r"[。！？]|[.!?](?=\s)")


class Answerer:
    """Answers from the profile's facts and remembers the conversation. Knows no voices, clauses or screens."""

    def __init__(
        self,
        model: ChatModel,
        profile: Profile,
        *,
        max_new_tokens: int,
        history_use: HistoryUse = "when_needed",
        history: History | None = None,
    ) -> None:
        """Prepare; nothing is computed yet.

        Args:
            model: Loaded; this object does not close it.
            profile: Persona and facts.
            max_new_tokens: The longest answer.
            history_use: See `HistoryUse`.
            history: Of the conversation, where it outlives this object; None: a new one.
        """
        self._model = model
        self._profile = profile
        self._max_new_tokens = max_new_tokens
        self._history_use = history_use
        self._history = History() if history is None else history
        self._model_opens_reasoning = False
        self._likely = {language: LikelyAnswers(profile.text(language), language) for language in LANGUAGES}

    def warm_up(self, should_stop: ShouldStop = never_stop) -> None:
        """Run the model once in this thread and let it keep the state of the profile's prompts.

        Args:
            should_stop: Asked before each prompt, which takes seconds on a CPU.
        """
        for language in LANGUAGES:
            if not should_stop():
                self._model.warm_up([system_prompt(self._profile, language)])

    def answer(
        self, question: str, language: Language, should_stop: ShouldStop = never_stop, turn_id: int = 0
    ) -> Iterator[str]:
        """Yield the answer piece by piece, without reasoning; markdown and the like may still be in it.

        The turn is remembered when the iterator ends or is closed, with what was yielded until then.

        Args:
            question: Written form.
            language: Of the answer.
            should_stop: See `ShouldStop`.
            turn_id: By which `keep_only_said` finds the turn.

        Raises:
            ModelError: The model failed; the turn is not remembered.
        """
        question = question.strip()[:MAX_QUESTION_CHARACTERS]
        visitor = self._history.visitor
        said: list[str] = []
        try:
            for piece in self._reply(question, language, should_stop):
                said.append(piece)
                yield piece
        except GeneratorExit:
            self._history.note(question, "".join(said), turn_id, visitor)
            raise
        self._history.note(question, "".join(said), turn_id, visitor)

    def rehearse(self, question: str, language: Language, should_stop: ShouldStop = never_stop) -> Iterator[str]:
        """Yield what `answer` would at the beginning of a conversation, and remember nothing.

        Raises:
            ModelError: The model failed.
        """
        return self._reply(question.strip()[:MAX_QUESTION_CHARACTERS], language, should_stop, with_history=False)

    def keep_only_said(self, turn_id: int, said: str) -> None:
        """Correct a turn after an interruption: only these words of the answer were heard. Empty: it never was."""
        self._history.correct(turn_id, said.strip())

    def turns(self) -> Sequence[Turn]:
        """What is remembered of this conversation."""
        return self._history.turns()

    def clear(self) -> None:
        """The visitor has left: forget everything, also the answer that is being given."""
        self._history.clear()

    def _reply(
        self, question: str, language: Language, should_stop: ShouldStop, *, with_history: bool = True
    ) -> Iterator[str]:
        unknown = self._profile.text(language).unknown
        turns = self._history.turns() if with_history else ()
        is_empty = True
        likely = self._likely[language].rank(question)
        for piece in self._pieces(self._prompt(question, language, turns), likely, unknown, should_stop):
            is_empty = False
            yield piece
        if is_empty and not should_stop():
            log.info("the model gave no answer; saying the profile's line instead")
            yield unknown

    def _prompt(self, question: str, language: Language, turns: Sequence[Turn]) -> list[ChatMessage]:
        if self._history_use == "when_needed":
            turns = turns[-TURNS_WHEN_NEEDED:] if leans_on_history(question, language) else ()
        return fit_turns(
            opening_messages(self._profile, language),
            turns,
            ChatMessage(role="user", content=question),
            count_tokens=self._model.count_tokens,
            max_tokens=self._model.context_tokens - self._max_new_tokens,
        )

    def _pieces(
        self, messages: Sequence[ChatMessage], likely: Sequence[str], unknown: str, should_stop: ShouldStop
    ) -> Iterator[str]:
        reasoning = ReasoningFilter(hold_until_closed=self._model_opens_reasoning)
        figures = FigureGuard(message.content for message in messages)
        limit = _SentenceLimit(MAX_SENTENCES)
        stream = self._model.stream(
            messages, max_new_tokens=self._max_new_tokens, likely=likely, should_stop=should_stop
        )
        with contextlib.closing(cast("Generator[str]", stream)):  # the computation ends when the answer does
            for delta in stream:
                piece = limit.push(figures.push(reasoning.push(delta)))
                # A closing tag alone: this model's template opens the block. From now on, wait for the end of it.
                self._model_opens_reasoning |= reasoning.was_opened_by_prompt
                if piece:
                    yield piece
                if limit.is_reached:
                    return
                if figures.has_stopped:
                    break
        rest = limit.push(figures.push(reasoning.finish()) + figures.finish())
        if rest:
            yield rest
        if figures.has_stopped:
            log.info("the model invented a figure; saying the profile's line instead")
            yield _HESITATION + unknown


class _SentenceLimit:
    """Passes text on until a number of sentences is complete."""

    def __init__(self, max_sentences: int) -> None:
        self._left = max_sentences
        self._last = ""

    @property
    def is_reached(self) -> bool:
        return self._left <= 0

    def push(self, text: str) -> str:
        if self._left <= 0:
            return ""
        # An English full stop shows itself only by the space after it, which may come with the next piece.
        joined = self._last + text
        for match in _SENTENCE_END.finditer(joined):
            self._left -= 1
            if self._left <= 0:
                return joined[len(self._last) : match.end()]
        if text:
            self._last = text[-1] if text[-1] in ".!?" else ""
        return text
