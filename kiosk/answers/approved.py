"""What the house says, to which questions, on which days, and what the screen does with it."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from models.types import LANGUAGES, Language

MAX_ANSWER_CHARACTERS = 600
"""Two minutes of speech: nobody stands through more."""
MAX_QUESTION_CHARACTERS = 200
ActionKind: TypeAlias = Literal["picture", "map", "qr", "ticket", "staff"]
ACTION_KINDS: tuple[ActionKind, ...] = get_args(ActionKind)
WITH_VALUE: frozenset[ActionKind] = frozenset(("picture", "map", "qr"))
"""Actions that need to be told what to show: a file of the pictures folder, or what the code holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What happens beside the words: picture or map shown, QR code shown, ticket printed, staff called."""

    kind: ActionKind
    """Which."""
    value: str = ""
    """File name of a picture or map; what a QR code holds; a ticket's kind of business; empty for staff."""

    def __post_init__(self) -> None:
        if self.kind not in ACTION_KINDS:
            raise ValueError(f"unknown action {self.kind!r}; use one of {', '.join(ACTION_KINDS)}")
        if self.kind in WITH_VALUE and not self.value:
            raise ValueError(f"the action {self.kind} needs a value behind a colon, such as {self.kind}:entrance.png")
        if self.kind in ("picture", "map") and (
            "/" in self.value or "\\" in self.value or self.value.startswith(".")
        ):
            raise ValueError(f"{self.value!r} is no file name; put the picture into the pictures folder")

    @classmethod
    def parse(cls, text: str) -> Action | None:
        """Read `kind` or `kind:value`; None for an empty text.

        Raises:
            ValueError: Says what is wrong.
        """
        if not text.strip():
            return None
        kind, _, value = text.strip().partition(":")
        return cls(kind=kind.strip().lower(), value=value.strip())  # type: ignore[arg-type]  # checked above

    def __str__(self) -> str:
        return f"{self.kind}:{self.value}" if self.value else self.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovedAnswer:
    """One answer of the house."""

    id: str
    """Name of the row."""
    questions: Mapping[Language, tuple[str, ...]]
    """Ways to ask."""
    answer: Mapping[Language, str]
    """Written text; what is spoken goes through the normaliser."""
    valid_from: datetime.date | None = None
    """The first day on which it holds; None: always did."""
    valid_to: datetime.date | None = None
    """The last day on which it holds; None: for good."""
    action: Action | None = None
    """What else happens; None: nothing."""

    def __post_init__(self) -> None:
        if not self.id.strip():
            raise ValueError("id is empty")
        for language in LANGUAGES:
            text = self.answer.get(language, "")
            if not text.strip():
                raise ValueError(f"answer_{language} is empty")
            if len(text) > MAX_ANSWER_CHARACTERS:
                raise ValueError(f"the answer has {len(text)} characters; {MAX_ANSWER_CHARACTERS} at most")
        if not any(self.questions.values()):
            raise ValueError(f"{self.id} has no question")
        for question in (question for questions in self.questions.values() for question in questions):
            if len(question) > MAX_QUESTION_CHARACTERS:
                raise ValueError(f"a question has {len(question)} characters; {MAX_QUESTION_CHARACTERS} at most")
        if self.valid_from is not None and self.valid_to is not None and self.valid_to < self.valid_from:
            raise ValueError(f"{self.id} ends on {self.valid_to}, before it begins on {self.valid_from}")

    def holds_on(self, day: datetime.date) -> bool:
        """Whether the answer may be given on a day."""
        return (self.valid_from is None or self.valid_from <= day) and (self.valid_to is None or day <= self.valid_to)


def check_together(answers: list[ApprovedAnswer]) -> None:
    """Check what can only be wrong among several.

    Raises:
        ValueError: An id is there twice, or two answers share a question.
    """
    ids: set[str] = set()
    owner: dict[tuple[str, str], str] = {}
    for answer in answers:
        if answer.id in ids:
            raise ValueError(f"the id {answer.id} is there twice; give one of them another")
        ids.add(answer.id)
        for language, questions in answer.questions.items():
            for question in questions:
                other = owner.setdefault((language, question), answer.id)
                if other != answer.id:
                    raise ValueError(f"{other} and {answer.id} share the question {question!r}; keep one")
