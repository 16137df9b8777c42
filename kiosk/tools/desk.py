"""One visit's dialogue with the tools: identify, ask for what is missing, confirm, answer, keep what follow-ups need.

A state machine without clock or threads: time comes as an argument. It is moved by digits, codes, a clear yes and the
patterns of questions, never by a reason that a visitor or a model gives.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kiosk.tools import replies
from kiosk.tools.base import Context, Parameter, Tool, Value, run_tool
from kiosk.tools.calls import CallError, read_calls
from kiosk.tools.digits import card_and_code, dictated, digit_strings
from kiosk.tools.guard import Guard
from kiosk.tools.intents import Intent, IntentReader, Request, slots_of
from kiosk.tools.slots import read_slot
from models.types import Language

SILENCE = datetime.timedelta(minutes=3)
"""After so long the visitor may be another one."""
CARD_DIGITS, LAST_FOUR, CODE_DIGITS = 16, 4, 6
FULL_CARD_DIGITS = range(12, 20)
PATIENCE = 2
"""Sentences that are about something else while the desk waits for an answer; then it waits no longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReply:
    """What the desk says."""

    text: str
    """Written form, in the visitor's language."""
    tool: str = ""
    """The tool that answered, or for which something is asked; empty: none."""
    is_answer: bool = False
    """The tool ran; else something was asked or refused."""
    is_refusal: bool = False
    """It was refused."""


@dataclass(frozen=True, slots=True)
class _Pending:
    """A request that is not complete."""

    tool: Tool
    arguments: Mapping[str, Value]
    card: str | None = None
    is_confirmed: bool = False
    patience: int = PATIENCE


@dataclass(slots=True)
class _Visit:
    """What is known of the visitor."""

    customer: int | None = None
    card: str = ""
    last: Request | None = None
    pending: _Pending | None = None
    heard_at: datetime.datetime | None = field(default=None)


class Desk:
    """The tools' side of a conversation. All calls come from one thread."""

    def __init__(self, tools: Sequence[Tool], intents: Sequence[Intent], guard: Guard) -> None:
        """Nobody is here yet.

        Args:
            tools: What can be asked for.
            intents: How it is asked for.
            guard: Knows cards and codes.
        """
        self._tools = tuple(tools)
        self._reader = IntentReader(tools, intents)
        self._guard = guard
        self._visit = _Visit()

    @property
    def is_waiting(self) -> bool:
        """Whether the desk has asked something: the next sentence may be its answer."""
        return self._visit.pending is not None

    @property
    def is_identified(self) -> bool:
        """Whether a customer is known."""
        return self._visit.customer is not None

    def forget(self) -> None:
        """The visit is over: forget who it was and what was asked."""
        self._visit = _Visit()

    def concerns(self, question: str, language: Language, now: datetime.datetime) -> bool:
        """Whether `take` may have something to say; nothing changes by asking.

        Args:
            question: As for `take`.
            language: As for `take`.
            now: As for `take`.
        """
        return (
            self._visit.pending is not None
            or self._reader.read(question, language, now.date()) is not None
            or (self._visit.last is not None and replies.is_follow_up(question, language))
        )

    def close(self) -> None:
        """Close the house's data."""
        self._guard.close()

    def take(self, question: str, language: Language, now: datetime.datetime) -> ToolReply | None:
        """Answer a question, or an answer to what the desk has asked.

        Args:
            question: Written form, perhaps misheard.
            language: Of the question and of the reply.
            now: Local time.

        Returns:
            None: not for the tools.
        """
        self._notice(now)
        request = self._reader.read(question, language, now.date())
        pending = self._visit.pending
        if pending is not None and replies.is_backing_out(question, language):
            self._visit.pending = None
            return ToolReply(text=replies.LEFT[language], tool=pending.tool.name)
        if self._is_private(request, question, language) and replies.is_persuasion(question, language):
            return self._refuse(language)
        if request is not None:
            return self._begin(request, question, language, now)
        if pending is not None:
            return self._go_on(pending, question, language, now)
        return self._follow_up(question, language, now)

    def call(self, text: str, language: Language, now: datetime.datetime) -> ToolReply | None:
        """Take a chat model's text: a call in it goes the same way as a visitor's question.

        A model neither identifies nor confirms. Of several calls the first counts.

        Args:
            text: What the model wrote.
            language: Of the reply.
            now: Local time.

        Returns:
            None: it holds no call.

        Raises:
            CallError: It holds a broken call; the message is fit for the model, not for the visitor.
        """
        self._notice(now)
        calls = read_calls(text, self._tools)
        return self._run(_Pending(calls[0].tool, calls[0].arguments), language, now) if calls else None

    def _notice(self, now: datetime.datetime) -> None:
        heard_at = self._visit.heard_at
        if heard_at is not None and not datetime.timedelta(0) <= now - heard_at < SILENCE:
            self.forget()
        self._visit.heard_at = now

    def _is_private(self, request: Request | None, question: str, language: Language) -> bool:
        """Whether a question concerns a customer's data, by itself or by what it goes on with."""
        visit = self._visit
        if request is not None:
            return request.tool.needs_customer
        if visit.pending is not None:
            return visit.pending.tool.needs_customer
        return visit.last is not None and visit.last.tool.needs_customer and replies.is_follow_up(question, language)

    def _refuse(self, language: Language) -> ToolReply:
        self._visit.pending = None
        return ToolReply(text=replies.REFUSED[language], is_refusal=True)

    def _begin(self, request: Request, question: str, language: Language, now: datetime.datetime) -> ToolReply:
        arguments = dict(request.arguments)
        last = self._visit.last
        if last is not None and replies.is_follow_up(question, language):
            names = {parameter.name for parameter in request.tool.parameters}
            arguments = {k: v for k, v in last.arguments.items() if k in names} | arguments
        pending = _Pending(request.tool, arguments)
        if request.tool.needs_customer:
            card, code = card_and_code(question, language)
            if card is not None and card != self._visit.card:
                self._visit.customer, self._visit.card = None, ""
                pending = replace(pending, card=card)
                if code is not None:
                    return self._identify(pending, code, language, now)
        return self._run(pending, language, now)

    def _run(self, pending: _Pending, language: Language, now: datetime.datetime) -> ToolReply:
        """Ask for the next thing that is missing, or run."""
        visit, tool = self._visit, pending.tool
        missing = tool.missing(pending.arguments)
        if tool.needs_customer and visit.customer is None:
            return self._ask(pending, replies.CARD[language] if pending.card is None else replies.CODE[language])
        if missing is not None:
            assert missing.question is not None
            return self._ask(pending, missing.question[language])
        if tool.confirmation is not None and not pending.is_confirmed:
            return self._ask(pending, tool.confirmation[language])
        context = Context(now=now, customer=visit.customer)
        result = run_tool(tool, context, pending.arguments, is_confirmed=pending.is_confirmed)
        visit.pending, visit.last = None, Request(tool, pending.arguments)
        return ToolReply(text=result.sentences[language].strip(), tool=tool.name, is_answer=True)

    def _ask(self, pending: _Pending, text: str) -> ToolReply:
        self._visit.pending = replace(pending, patience=PATIENCE)
        return ToolReply(text=text, tool=pending.tool.name)

    def _go_on(self, pending: _Pending, answer: str, language: Language, now: datetime.datetime) -> ToolReply | None:
        missing = pending.tool.missing(pending.arguments)
        if pending.tool.needs_customer and self._visit.customer is None:
            reply = self._hear_identity(pending, answer, language, now)
        elif missing is not None:
            reply = self._hear_slot(pending, missing, answer, language, now)
        else:
            reply = self._hear_confirmation(pending, answer, language, now)
        if reply is None and self._visit.pending is not None:
            left = pending.patience - 1
            self._visit.pending = replace(pending, patience=left) if left else None
        return reply

    def _hear_identity(
        self, pending: _Pending, answer: str, language: Language, now: datetime.datetime
    ) -> ToolReply | None:
        strings = digit_strings(answer, language)
        whole = next((digits for digits in strings if len(digits) in FULL_CARD_DIGITS), None)
        if whole is not None:
            customer = self._guard.demo_customer(whole)
            if customer is not None:
                self._visit.customer, self._visit.card = customer, whole[-LAST_FOUR:]
                return self._run(pending, language, now)
            return self._run(replace(pending, card=whole[-LAST_FOUR:]), language, now)
        card, code = card_and_code(answer, language)
        card = card or (dictated(answer, language, LAST_FOUR) if pending.card is None else None) or pending.card
        code = code or dictated(answer, language, CODE_DIGITS)
        if card is not None and code is not None:
            return self._identify(replace(pending, card=card), code, language, now)
        if card != pending.card:
            return self._run(replace(pending, card=card), language, now)
        if any(len(digits) > 1 for digits in strings):
            again = replies.CARD_AGAIN if pending.card is None else replies.CODE_AGAIN
            return self._ask(pending, again[language])
        return None

    def _identify(self, pending: _Pending, code: str, language: Language, now: datetime.datetime) -> ToolReply:
        assert pending.card is not None
        found = self._guard.check_code(pending.card, code, now)
        if found.customer is not None:
            self._visit.customer, self._visit.card, self._visit.last = found.customer, pending.card, None
            return self._run(replace(pending, card=None), language, now)
        if found.locked_until is not None:
            self._visit.pending = None
            return ToolReply(text=replies.LOCKED[language], tool=pending.tool.name, is_refusal=True)
        return self._ask(replace(pending, card=None), replies.WRONG[language])

    def _hear_slot(
        self, pending: _Pending, missing: Parameter, answer: str, language: Language, now: datetime.datetime
    ) -> ToolReply | None:
        others = [p for p in pending.tool.parameters if p.name not in pending.arguments and p is not missing]
        found = slots_of(others, answer, language, now.date())
        value = read_slot(missing, answer, language, now.date(), is_asked=True)
        if value is None:
            return None
        return self._run(
            replace(pending, arguments={**pending.arguments, **found, missing.name: value}), language, now
        )

    def _hear_confirmation(
        self, pending: _Pending, answer: str, language: Language, now: datetime.datetime
    ) -> ToolReply | None:
        if replies.is_no(answer, language):
            self._visit.pending = None
            return ToolReply(text=replies.LEFT[language], tool=pending.tool.name)
        if replies.is_yes(answer, language):
            return self._run(replace(pending, is_confirmed=True), language, now)
        return None

    def _follow_up(self, question: str, language: Language, now: datetime.datetime) -> ToolReply | None:
        last = self._visit.last
        if last is None or not replies.is_follow_up(question, language):
            return None
        changed = slots_of(last.tool.parameters, question, language, now.date())
        if not changed:
            return None
        return self._run(_Pending(last.tool, {**last.arguments, **changed}), language, now)


__all__ = ["CallError", "Desk", "ToolReply"]
