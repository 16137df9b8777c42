"""The stage before the language model: what needs no thought is answered here, whatever the model is doing.

What is looked up with tools is not thought about on trial: a wrong code counts, and a ticket is drawn once.
"""

from __future__ import annotations

import datetime
from collections import deque
from collections.abc import Callable, Iterator
from typing import Protocol, TypeAlias

from kiosk.answers.approved import ApprovedAnswer
from kiosk.dialogue.backchannel import without_opening
from kiosk.dialogue.follow_up import HistoryUse, stands_alone
from kiosk.dialogue.history import History
from kiosk.dialogue.same_question import question_key
from kiosk.events import Event, PrepareAnswer, Question, Source
from kiosk.pipeline.replies import clauses_of, sound_of
from kiosk.tools.desk import Desk
from models.types import Language, ShouldStop, never_stop


class Approved(Protocol):
    """What knows the answers that the house itself wrote."""

    def find(self, question: str, language: Language, day: datetime.date) -> ApprovedAnswer | None:
        """The answer to a question on a day; None where there is none for sure."""
        ...

    def close(self) -> None:
        """Free what it holds."""
        ...


RehearsedAnswers: TypeAlias = dict[tuple[Language, tuple[str, ...]], str]
"""Language and key of a question → the answer as the model gives it at the beginning of a conversation."""

KEPT_TRIALS = 8
"""More pauses of one visitor than these are never thought about at once."""


class AnswerStage:
    """Question → clauses → end of reply, or the question itself, for the language model.

    What is looked up with tools comes first, then what the house has approved, then what was rehearsed while nobody
    was here. While the language model does not work, a person is called. A question on trial comes again when its
    turn begins: it is passed over then, unless it had to wait for that.
    """

    name = "answers"

    def __init__(
        self,
        history: History,
        history_use: HistoryUse,
        rehearsed: RehearsedAnswers | None = None,
        load_approved: Callable[[ShouldStop], Approved] | None = None,
        instead: Callable[[Language], str | None] = lambda _: None,
        load_desk: Callable[[], Desk] | None = None,
    ) -> None:
        """Remember how to load; nothing is loaded yet.

        Args:
            history: Of the conversation: an answer given here is remembered there.
            history_use: What earlier turns may change.
            rehearsed: Answers that are ready; None: none.
            load_approved: Loads the approved answers; None: there are none.
            instead: What is said instead of asking a language model that does not work; None: it works.
            load_desk: Opens what looks things up; None: nothing does. Its turns are kept out of the history.
        """
        self._history = history
        self._history_use = history_use
        self._rehearsed: RehearsedAnswers = {} if rehearsed is None else rehearsed
        self._load_approved = load_approved
        self._instead = instead
        self._load_desk = load_desk
        self._desk: Desk | None = None
        self._visitor = history.visitor
        self._tried = deque[int](maxlen=KEPT_TRIALS)  # turns whose question was answered, or passed on, on trial
        self._approved: Approved | None = None

    def load(self, should_stop: ShouldStop = never_stop) -> None:
        """Load the approved answers and open the desk."""
        if self._load_desk is not None:
            self._desk = self._load_desk()
        if self._load_approved is not None:
            self._approved = self._load_approved(should_stop)

    def process(self, event: Event) -> Iterator[Event]:
        """Answer one `Question` or ask for the sound of a `PrepareAnswer`; what has no answer here is passed on."""
        if isinstance(event, PrepareAnswer):
            ready = self._ready(event.text, event.language)
            yield from (event,) if ready is None else sound_of(ready[0], event)
            return
        assert isinstance(event, Question)
        if not event.is_trial and event.turn_id in self._tried:
            return
        desk, now = self._desk_of_visitor(), datetime.datetime.now()
        if desk is not None and event.is_trial and desk.concerns(event.text, event.language, now):
            return
        reply = None
        if desk is not None and not event.is_trial:
            reply = desk.take(without_opening(event.text), event.language, now)
        if reply is None:
            if event.is_trial:
                self._tried.append(event.turn_id)
            yield from self._answered(event)
        else:
            source: Source = "refusal" if reply.is_refusal else "tool"
            yield from clauses_of(iter([reply.text]), event.turn_id, event.language, source)

    def _desk_of_visitor(self) -> Desk | None:
        """The desk, which knows nothing of the visitor before."""
        if self._desk is not None and self._visitor != self._history.visitor:
            self._desk.forget()
        self._visitor = self._history.visitor
        return self._desk

    def _answered(self, event: Question) -> Iterator[Event]:
        text, visitor = without_opening(event.text), self._history.visitor
        is_alone = stands_alone(text, event.language, self._history.turns(), self._history_use)
        ready = self._ready(text, event.language) if is_alone else None
        if ready is None and (words := self._instead(event.language)) is not None:
            ready = words, "refusal"
        if ready is None:
            yield event
            return
        words, source = ready
        self._history.note(text, words, event.turn_id, visitor)
        yield from clauses_of(iter([words]), event.turn_id, event.language, source)

    def close(self) -> None:
        """Free the approved answers and close the desk."""
        if self._desk is not None:
            self._desk.close()
            self._desk = None
        if self._approved is not None:
            self._approved.close()
            self._approved = None

    def _ready(self, text: str, language: Language) -> tuple[str, Source] | None:
        """An answer that needs no thought, and where it comes from."""
        if self._approved is not None:
            approved = self._approved.find(text, language, datetime.date.today())
            if approved is not None:
                return approved.answer[language], "approved"
        rehearsed = self._rehearsed.get((language, question_key(text, language)))
        return None if rehearsed is None else (rehearsed, "model")
