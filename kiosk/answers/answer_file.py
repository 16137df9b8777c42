"""The approved answers of a profile: one CSV file that any spreadsheet program opens.

One row an answer: id, the ways to ask in both languages (separated by |), the answer in both languages, and from
when until when it holds (empty: always).
"""

from __future__ import annotations

import csv
import datetime
import difflib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kiosk.errors import ConfigError
from kiosk.paths import RESOURCES, data_dir
from models.types import LANGUAGES, Language

COLUMNS = ("id", "questions_zh", "questions_en", "answer_zh", "answer_en", "valid_from", "valid_to")
BETWEEN_QUESTIONS = "|"
MAX_ANSWER_CHARACTERS = 600
"""Two minutes of speech: nobody stands through more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovedAnswer:
    """What the house says, and to which questions."""

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

    def holds_on(self, day: datetime.date) -> bool:
        """Whether the answer may be given on a day."""
        return (self.valid_from is None or self.valid_from <= day) and (self.valid_to is None or day <= self.valid_to)


def answers_path(profile: str) -> Path:
    """The operator's own file (answers/ in the data folder) where there is one, else the one that ships."""
    own = data_dir() / "answers" / f"{profile}.csv"
    return own if own.is_file() else shipped_path(profile)


def shipped_path(profile: str) -> Path:
    """The file that ships with a profile; a profile of the operator's own has none."""
    return RESOURCES / "answers" / f"{profile}.csv"


def read_answers(path: Path) -> tuple[ApprovedAnswer, ...]:
    """Read and check a file of approved answers; an absent one holds none.

    Args:
        path: CSV in UTF-8, with or without a byte order mark.

    Raises:
        ConfigError: Names the line and what is wrong with it.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("bad-answers", f"{path}: cannot be read ({error}); save it as CSV in UTF-8") from error
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    found: list[ApprovedAnswer] = []
    try:
        _check_columns(reader.fieldnames or ())
        for row in reader:
            if any(row.values()):
                found.append(_answer(row))
    except (csv.Error, ValueError) as error:
        raise ConfigError("bad-answers", f"{path}: line {max(1, reader.line_num)}: {error}") from error
    _check_all(found, path)
    return tuple(found)


def _check_columns(columns: Sequence[str]) -> None:
    for name in columns:
        if name not in COLUMNS:
            near = difflib.get_close_matches(name, COLUMNS, 1)
            raise ValueError(f"unknown column {name!r}" + (f"; did you mean {near[0]}?" if near else ""))
    for name in COLUMNS[:5]:
        if name not in columns:
            raise ValueError(f"the column {name} is missing")


def _answer(row: Mapping[str | None, str | list[str] | None]) -> ApprovedAnswer:
    if None in row:
        raise ValueError("has more fields than the first line; put texts with a comma between quotation marks")

    def cell(name: str) -> str:
        value = row.get(name)
        return value.strip() if isinstance(value, str) else ""

    for name in ("id", "answer_zh", "answer_en"):
        if not cell(name):
            raise ValueError(f"{name} is empty")
    questions: dict[Language, tuple[str, ...]] = {
        language: tuple(q.strip() for q in cell(f"questions_{language}").split(BETWEEN_QUESTIONS) if q.strip())
        for language in LANGUAGES
    }
    if not any(questions.values()):
        raise ValueError(f"{cell('id')} has no question")
    answer: dict[Language, str] = {language: cell(f"answer_{language}") for language in LANGUAGES}
    for text in answer.values():
        if len(text) > MAX_ANSWER_CHARACTERS:
            raise ValueError(f"the answer has {len(text)} characters; {MAX_ANSWER_CHARACTERS} at most")
    return ApprovedAnswer(
        id=cell("id"),
        questions=questions,
        answer=answer,
        valid_from=_day(cell("valid_from")),
        valid_to=_day(cell("valid_to")),
    )


def _day(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text) if text else None
    except ValueError as error:
        raise ValueError(f"{text!r} is no date; write it like 2026-05-01") from error


def _check_all(answers: list[ApprovedAnswer], path: Path) -> None:
    ids: set[str] = set()
    owner: dict[tuple[str, str], str] = {}
    for answer in answers:
        if answer.id in ids:
            raise ConfigError("bad-answers", f"{path}: the id {answer.id} is there twice; give one of them another")
        ids.add(answer.id)
        for language, questions in answer.questions.items():
            for question in questions:
                other = owner.setdefault((language, question), answer.id)
                if other != answer.id:
                    raise ConfigError(
                        "bad-answers", f"{path}: {other} and {answer.id} share the question {question!r}; keep one"
                    )
