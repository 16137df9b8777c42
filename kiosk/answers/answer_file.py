"""Approved answers as a table, CSV or XLSX: what an operator writes with any spreadsheet program.

One row an answer: id, the ways to ask in both languages (separated by |), the answer in both languages, from when
until when it holds (empty: always), and what the screen does beside it (see `Action`).
"""

from __future__ import annotations

import csv
import datetime
import difflib
import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from kiosk.answers.approved import Action, ApprovedAnswer, check_together
from kiosk.errors import ConfigError
from kiosk.files import replace_file
from kiosk.paths import RESOURCES
from models.types import LANGUAGES, Language

COLUMNS = (
    "id",
    "questions_zh",
    "questions_en",
    "answer_zh",
    "answer_en",
    "valid_from",
    "valid_to",
    "action",
)
NEEDED = COLUMNS[:5]
BETWEEN_QUESTIONS = "|"
MAX_ROWS = 20_000


def shipped_path(profile: str) -> Path:
    """The file that ships with a profile; a profile of the operator's own has none."""
    return RESOURCES / "answers" / f"{profile}.csv"


def read_answers(path: Path) -> tuple[ApprovedAnswer, ...]:
    """Read and check a file of approved answers; an absent one holds none.

    Args:
        path: XLSX (the first sheet), or CSV in UTF-8 with or without a byte order mark.

    Raises:
        ConfigError: Names the line and what is wrong with it.
    """
    if not path.exists():
        return ()
    found: list[ApprovedAnswer] = []
    line = 1
    try:
        for number, row in _sheet_rows(path) if path.suffix.lower() == ".xlsx" else _csv_rows(path):
            line = number
            if any(row.values()):
                found.append(_answer(row))
            if len(found) > MAX_ROWS:
                raise ValueError(f"more than {MAX_ROWS} answers; split the file")
    except _RowError as error:
        raise ConfigError("bad-answers", f"{path}: line {error.line}: {error}") from error
    except ValueError as error:
        raise ConfigError("bad-answers", f"{path}: line {line}: {error}") from error
    try:
        check_together(found)
    except ValueError as error:
        raise ConfigError("bad-answers", f"{path}: {error}") from error
    return tuple(found)


def write_answers(path: Path, answers: Iterable[ApprovedAnswer]) -> None:
    """Write all answers to a file, which appears whole or not at all.

    Args:
        path: Ends in .csv or .xlsx.
        answers: In the order of the rows.

    Raises:
        ConfigError: The file cannot be written, or has another ending.
    """
    rows = [COLUMNS, *(_row(answer) for answer in answers)]
    kind = path.suffix.lower()
    if kind == ".csv":
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\r\n").writerows(rows)
        data = text.getvalue().encode("utf-8-sig")  # with the mark, spreadsheet programs read Chinese rightly
    elif kind == ".xlsx":
        data = _sheet(rows)
    else:
        raise ConfigError("bad-answers", f"{path}: name a file that ends in .csv or .xlsx")
    try:
        replace_file(path, data)
    except OSError as error:
        raise ConfigError(
            "bad-answers", f"{path}: cannot be written ({error.strerror}); choose another folder"
        ) from error


class _RowError(ValueError):
    """What is wrong before a row is known."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def _csv_rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("bad-answers", f"{path}: cannot be read ({error}); save it as CSV in UTF-8") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        columns = next(reader, [])
        _check_columns(columns)
        for cells in reader:
            yield reader.line_num, _named(columns, cells)
    except (csv.Error, ValueError) as error:
        raise _RowError(max(1, reader.line_num), str(error)) from error


def _sheet_rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        book = load_workbook(path, read_only=True, data_only=True)
    except (OSError, InvalidFileException, zipfile.BadZipFile, KeyError, ValueError) as error:
        raise ConfigError("bad-answers", f"{path}: is no readable XLSX file ({error}); save it again") from error
    try:
        rows = book.worksheets[0].iter_rows(values_only=True)
        columns = [_cell(value) for value in next(rows, ())]
        while columns and not columns[-1]:
            columns.pop()
        try:
            _check_columns(columns)
        except ValueError as error:
            raise _RowError(1, str(error)) from error
        for line, cells in enumerate(rows, 2):
            values = [_cell(value) for value in cells]
            while len(values) > len(columns) and not values[-1]:
                values.pop()
            try:
                yield line, _named(columns, values)
            except ValueError as error:
                raise _RowError(line, str(error)) from error
    finally:
        book.close()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime.datetime):
        return value.date().isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _named(columns: Sequence[str], cells: Sequence[str]) -> Mapping[str, str]:
    if len(cells) > len(columns):
        raise ValueError("has more fields than the first line; put texts with a comma between quotation marks")
    return {name: cell.strip() for name, cell in zip(columns, cells, strict=False)}


def _check_columns(columns: Sequence[str]) -> None:
    for name in columns:
        if name not in COLUMNS:
            near = difflib.get_close_matches(name, COLUMNS, 1)
            raise ValueError(f"unknown column {name!r}" + (f"; did you mean {near[0]}?" if near else ""))
    for name in NEEDED:
        if name not in columns:
            raise ValueError(f"the column {name} is missing")


def _answer(row: Mapping[str, str]) -> ApprovedAnswer:
    questions: dict[Language, tuple[str, ...]] = {
        language: tuple(
            dict.fromkeys(
                q.strip() for q in row.get(f"questions_{language}", "").split(BETWEEN_QUESTIONS) if q.strip()
            )
        )
        for language in LANGUAGES
    }
    return ApprovedAnswer(
        id=row.get("id", ""),
        questions=questions,
        answer={language: row.get(f"answer_{language}", "") for language in LANGUAGES},
        valid_from=_day(row.get("valid_from", "")),
        valid_to=_day(row.get("valid_to", "")),
        action=Action.parse(row.get("action", "")),
    )


def _row(answer: ApprovedAnswer) -> tuple[str, ...]:
    return (
        answer.id,
        *(f" {BETWEEN_QUESTIONS} ".join(answer.questions.get(language, ())) for language in LANGUAGES),
        *(answer.answer[language] for language in LANGUAGES),
        "" if answer.valid_from is None else answer.valid_from.isoformat(),
        "" if answer.valid_to is None else answer.valid_to.isoformat(),
        "" if answer.action is None else str(answer.action),
    )


def _sheet(rows: Iterable[Sequence[str]]) -> bytes:
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    sheet = book.create_sheet("answers")
    for row in rows:
        cells = [WriteOnlyCell(sheet, value) for value in row]
        for cell in cells:
            cell.data_type = "s"  # a text that begins with = is no formula
        sheet.append(cells)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _day(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text) if text else None
    except ValueError as error:
        raise ValueError(f"{text!r} is no date; write it like 2026-05-01") from error
