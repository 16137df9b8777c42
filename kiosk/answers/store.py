"""The approved answers of all profiles in one SQLite database, with every change kept so that it can be undone.

A change (one edit, or a whole import) is one transaction: after a crash it has happened or it has not. Readers and
writers may be several processes; `revision` tells when to read again.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kiosk.answers.answer_file import read_answers, shipped_path
from kiosk.answers.approved import Action, ApprovedAnswer, check_together
from kiosk.errors import ConfigError
from kiosk.paths import data_dir
from models.types import LANGUAGES

SCHEMA_VERSION = 1
BUSY_S = 10.0
"""How long one process waits for another's write."""
MAX_CHANGES = 500
"""Changes that can still be undone; older ones are forgotten."""
_SCHEMA = """
CREATE TABLE answer (
    profile TEXT NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL, content TEXT NOT NULL,
    PRIMARY KEY (profile, id)
) WITHOUT ROWID;
CREATE TABLE change (
    number INTEGER PRIMARY KEY AUTOINCREMENT, profile TEXT NOT NULL, made_at TEXT NOT NULL, what TEXT NOT NULL,
    before TEXT NOT NULL
);
CREATE TABLE origin (profile TEXT NOT NULL, file TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (profile, file));
CREATE TABLE revision (profile TEXT PRIMARY KEY, number INTEGER NOT NULL);
CREATE TABLE asked (
    profile TEXT NOT NULL, day TEXT NOT NULL, outcome TEXT NOT NULL, id TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (profile, day, outcome, id)
) WITHOUT ROWID;
CREATE TABLE doubtful (
    profile TEXT NOT NULL, language TEXT NOT NULL, question TEXT NOT NULL, nearest TEXT NOT NULL, day TEXT NOT NULL,
    count INTEGER NOT NULL, PRIMARY KEY (profile, language, question)
) WITHOUT ROWID;
"""
_SHIPPED, _OWN = "shipped", "own"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change that can be undone."""

    number: int
    made_at: datetime.datetime
    """Local time."""
    what: str
    """For the operator, such as "import bank.xlsx"."""
    ids: tuple[str, ...]
    """The answers that it touched."""


class AnswerStore:
    """Reads and changes the answers. One connection for one thread; open one of these in each."""

    def __init__(self, path: Path | None = None) -> None:
        """Open the database, and make it where there is none.

        Args:
            path: None: house.db in the data folder.

        Raises:
            ConfigError: It cannot be opened, is damaged, or was written by a newer version.
        """
        self._path = data_dir() / "house.db" if path is None else path
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self._path, timeout=BUSY_S, isolation_level=None)
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(
                "bad-answers",
                f"{self._path}: cannot be used ({error}); free disk space, or move it away to begin anew",
            ) from error

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    def __enter__(self) -> AnswerStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def answers(self, profile: str) -> tuple[ApprovedAnswer, ...]:
        """All answers of a profile, in their order."""
        rows = self._database.execute(
            "SELECT content FROM answer WHERE profile = ? ORDER BY position, id", (profile,)
        )
        return tuple(_answer(content) for (content,) in rows)

    def revision(self, profile: str) -> int:
        """Grows with each change of a profile; costs microseconds."""
        row = self._database.execute("SELECT number FROM revision WHERE profile = ?", (profile,)).fetchone()
        return 0 if row is None else int(row[0])

    def bring_in(self, profile: str) -> None:
        """Take over the answers that ship, and the operator's own file in answers/ of the data folder, once each.

        A file that has changed since is taken over anew: the operator's own always, the one that ships only while
        the operator has changed nothing.

        Raises:
            ConfigError: A file is wrong; nothing was changed.
        """
        shipped, own = shipped_path(profile), data_dir() / "answers" / f"{profile}.csv"
        for name, path in ((_SHIPPED, shipped), (_OWN, own)):
            digest = _digest(path)
            row = self._database.execute(
                "SELECT digest FROM origin WHERE profile = ? AND file = ?", (profile, name)
            ).fetchone()
            if digest is None or (row is not None and row[0] == digest):
                continue
            is_open = name == _OWN or row is None or not self.changes(profile)
            answers = read_answers(path) if is_open else ()
            with self._transaction():
                if is_open and (name == _OWN or not self._has_own(profile)):
                    self._replace_all(profile, answers, f"import {path.name}" if name == _OWN else "")
                self._database.execute("REPLACE INTO origin VALUES (?, ?, ?)", (profile, name, digest))

    def put(self, profile: str, answer: ApprovedAnswer, what: str = "") -> None:
        """Add an answer, or replace the one with its id.

        Raises:
            ConfigError: Another answer has one of its questions.
        """
        others = [other for other in self.answers(profile) if other.id != answer.id]
        _check([*others, answer])
        with self._transaction():
            self._note(profile, what or f"edit {answer.id}", [answer.id])
            self._write(profile, answer, self._position(profile, answer.id))

    def remove(self, profile: str, answer_id: str) -> None:
        """Remove an answer.

        Raises:
            ConfigError: There is none with this id.
        """
        with self._transaction():
            if self._content(profile, answer_id) is None:
                raise ConfigError("no-answer", f"there is no answer {answer_id} in {profile}; check its name")
            self._note(profile, f"remove {answer_id}", [answer_id])
            self._database.execute("DELETE FROM answer WHERE profile = ? AND id = ?", (profile, answer_id))

    def replace_all(self, profile: str, answers: Sequence[ApprovedAnswer], what: str) -> None:
        """Put these answers in the place of all that a profile has: one change.

        Raises:
            ConfigError: Two of them clash.
        """
        _check(list(answers))
        with self._transaction():
            self._replace_all(profile, answers, what)

    def merge(self, profile: str, answers: Sequence[ApprovedAnswer], what: str) -> None:
        """Add these answers and replace those with their ids: one change.

        Raises:
            ConfigError: One of them clashes with another.
        """
        coming = {answer.id: answer for answer in answers}
        kept = [coming.pop(answer.id, answer) for answer in self.answers(profile)]
        self.replace_all(profile, [*kept, *coming.values()], what)

    def changes(self, profile: str) -> tuple[Change, ...]:
        """What can be undone, newest first."""
        rows = self._database.execute(
            "SELECT number, made_at, what, before FROM change WHERE profile = ? ORDER BY number DESC", (profile,)
        )
        return tuple(
            Change(
                number=number,
                made_at=datetime.datetime.fromisoformat(made_at),
                what=what,
                ids=tuple(json.loads(before)),
            )
            for number, made_at, what, before in rows
        )

    def undo(self, profile: str) -> Change | None:
        """Take the newest change back; None where there is none."""
        changes = self.changes(profile)
        if not changes:
            return None
        newest = changes[0]
        with self._transaction():
            (before,) = self._database.execute(
                "SELECT before FROM change WHERE number = ?", (newest.number,)
            ).fetchone()
            for answer_id, old in json.loads(before).items():
                if old is None:
                    self._database.execute("DELETE FROM answer WHERE profile = ? AND id = ?", (profile, answer_id))
                else:
                    self._database.execute(
                        "REPLACE INTO answer VALUES (?, ?, ?, ?)",
                        (profile, answer_id, old["position"], old["content"]),
                    )
            self._database.execute("DELETE FROM change WHERE number = ?", (newest.number,))
            self._advance(profile)
        return newest

    def _prepare(self) -> None:
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute("PRAGMA foreign_keys = ON")
        with self._transaction():
            (version,) = self._database.execute("PRAGMA user_version").fetchone()
            if version > SCHEMA_VERSION:
                raise ConfigError(
                    "bad-answers", f"{self._path}: was written by a newer version of the kiosk; install that one"
                )
            if version == 0:
                for statement in _SCHEMA.split(";"):
                    if statement.strip():
                        self._database.execute(statement)
                self._database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def _has_own(self, profile: str) -> bool:
        return (
            self._database.execute("SELECT 1 FROM origin WHERE profile = ? AND file = ?", (profile, _OWN)).fetchone()
            is not None
        )

    def _content(self, profile: str, answer_id: str) -> tuple[int, str] | None:
        row = self._database.execute(
            "SELECT position, content FROM answer WHERE profile = ? AND id = ?", (profile, answer_id)
        ).fetchone()
        return None if row is None else (int(row[0]), str(row[1]))

    def _position(self, profile: str, answer_id: str) -> int:
        old = self._content(profile, answer_id)
        if old is not None:
            return old[0]
        (last,) = self._database.execute("SELECT max(position) FROM answer WHERE profile = ?", (profile,)).fetchone()
        return 0 if last is None else int(last) + 1

    def _write(self, profile: str, answer: ApprovedAnswer, position: int) -> None:
        self._database.execute(
            "REPLACE INTO answer VALUES (?, ?, ?, ?)", (profile, answer.id, position, _content(answer))
        )

    def _replace_all(self, profile: str, answers: Iterable[ApprovedAnswer], what: str) -> None:
        """Inside a transaction. An empty `what` leaves nothing to undo."""
        answers = list(answers)
        old = [row[0] for row in self._database.execute("SELECT id FROM answer WHERE profile = ?", (profile,))]
        if what:
            self._note(profile, what, dict.fromkeys([*old, *(answer.id for answer in answers)]))
        else:
            self._advance(profile)
        self._database.execute("DELETE FROM answer WHERE profile = ?", (profile,))
        self._database.executemany(
            "INSERT INTO answer VALUES (?, ?, ?, ?)",
            [(profile, answer.id, position, _content(answer)) for position, answer in enumerate(answers)],
        )

    def _note(self, profile: str, what: str, ids: Iterable[str]) -> None:
        """Keep what these answers are now."""
        before: dict[str, Any] = {}
        for answer_id in ids:
            old = self._content(profile, answer_id)
            before[answer_id] = None if old is None else {"position": old[0], "content": old[1]}
        self._database.execute(
            "INSERT INTO change (profile, made_at, what, before) VALUES (?, ?, ?, ?)",
            (
                profile,
                datetime.datetime.now().isoformat(timespec="seconds"),
                what,
                json.dumps(before, ensure_ascii=False),
            ),
        )
        self._database.execute(
            "DELETE FROM change WHERE profile = ?1 AND number <= "
            "(SELECT number FROM change WHERE profile = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)",
            (profile, MAX_CHANGES),
        )
        self._advance(profile)

    def _advance(self, profile: str) -> None:
        self._database.execute(
            "INSERT INTO revision VALUES (?, 1) ON CONFLICT (profile) DO UPDATE SET number = number + 1", (profile,)
        )


def _check(answers: list[ApprovedAnswer]) -> None:
    try:
        check_together(answers)
    except ValueError as error:
        raise ConfigError("bad-answers", str(error)) from error


def _content(answer: ApprovedAnswer) -> str:
    return json.dumps(
        {
            "questions": {language: list(answer.questions.get(language, ())) for language in LANGUAGES},
            "answer": dict(answer.answer),
            "valid_from": None if answer.valid_from is None else answer.valid_from.isoformat(),
            "valid_to": None if answer.valid_to is None else answer.valid_to.isoformat(),
            "action": None if answer.action is None else str(answer.action),
            "id": answer.id,
        },
        ensure_ascii=False,
        sort_keys=True,
    )


def _answer(content: str) -> ApprovedAnswer:
    row = json.loads(content)
    return ApprovedAnswer(
        id=row["id"],
        questions={language: tuple(row["questions"][language]) for language in LANGUAGES},
        answer=row["answer"],
        valid_from=None if row["valid_from"] is None else datetime.date.fromisoformat(row["valid_from"]),
        valid_to=None if row["valid_to"] is None else datetime.date.fromisoformat(row["valid_to"]),
        action=Action.parse(row["action"] or ""),
    )


def _digest(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(
            "bad-answers", f"{path}: cannot be read ({error.strerror}); check its permissions"
        ) from error
