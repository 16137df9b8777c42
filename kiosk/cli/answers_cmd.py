"""`answers`: list, import, export the approved answers, and take changes back."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from kiosk.answers.answer_file import read_answers, write_answers
from kiosk.answers.store import AnswerStore
from kiosk.cli.options import PLAIN_WIDTH, ConfigOption, ProfileOption, configure
from kiosk.errors import ConfigError

app = typer.Typer(no_args_is_help=True, help="Approved answers: list, import, export, undo.")

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
File = Annotated[Path, typer.Argument(help="A table that ends in .csv or .xlsx.")]


@contextmanager
def _opened(config: Path | None, profile: str | None) -> Iterator[tuple[AnswerStore, str]]:
    """The database with what ships in it, and the profile's name."""
    name = configure(config, profile).profile
    with AnswerStore() as store:
        store.bring_in(name)
        yield store, name


@app.command("list")
def list_all(profile: ProfileOption = None, config: ConfigOption = None, as_json: Json = False) -> None:
    """List the answers of a profile."""
    with _opened(config, profile) as (store, name):
        answers = store.answers(name)
    if as_json:
        rows = [
            {
                "id": answer.id,
                "questions": answer.questions,
                "answer": answer.answer,
                "valid_from": None if answer.valid_from is None else answer.valid_from.isoformat(),
                "valid_to": None if answer.valid_to is None else answer.valid_to.isoformat(),
                "action": None if answer.action is None else str(answer.action),
            }
            for answer in answers
        ]
        print(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    table = Table("id", "questions", "answer", "holds", "action")
    for answer in answers:
        days = (
            ""
            if answer.valid_from is None and answer.valid_to is None
            else f"{answer.valid_from or ''} – {answer.valid_to or ''}"
        )
        table.add_row(
            answer.id,
            str(sum(map(len, answer.questions.values()))),
            f"{answer.answer['zh']}\n{answer.answer['en']}",
            days,
            str(answer.action or ""),
        )
    Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH).print(table)


@app.command("import")
def import_file(
    file: File,
    profile: ProfileOption = None,
    config: ConfigOption = None,
    replace: Annotated[bool, typer.Option("--replace", help="Remove the answers that are not in the file.")] = False,
) -> None:
    """Add the answers of a file; those with the same id are replaced. One change, which `answers undo` takes back."""
    if not file.is_file():
        raise ConfigError("no-file", f"{file}: there is no such file; check the name")
    coming = read_answers(file)
    with _opened(config, profile) as (store, name):
        before = {answer.id: answer for answer in store.answers(name)}
        change = store.replace_all if replace else store.merge
        change(name, coming, f"import {file.name}")
        after = {answer.id: answer for answer in store.answers(name)}
    added, removed = after.keys() - before.keys(), before.keys() - after.keys()
    changed = [key for key in after.keys() & before.keys() if after[key] != before[key]]
    print(f"{name}: {len(added)} added, {len(changed)} changed, {len(removed)} removed, {len(after)} in all")


@app.command()
def export(file: File, profile: ProfileOption = None, config: ConfigOption = None) -> None:
    """Write all answers of a profile to a file."""
    with _opened(config, profile) as (store, name):
        answers = store.answers(name)
    write_answers(file, answers)
    print(f"{name}: {len(answers)} answers written to {file}")


@app.command()
def undo(profile: ProfileOption = None, config: ConfigOption = None) -> None:
    """Take the newest change back."""
    with _opened(config, profile) as (store, name):
        change = store.undo(name)
    if change is None:
        raise ConfigError("no-change", f"{name}: there is nothing to undo")
    print(f"{name}: taken back: {change.what} ({change.made_at:%Y-%m-%d %H:%M})")


@app.command()
def changes(profile: ProfileOption = None, config: ConfigOption = None) -> None:
    """List what can be undone, newest first."""
    with _opened(config, profile) as (store, name):
        for change in store.changes(name):
            print(f"{change.made_at:%Y-%m-%d %H:%M}  {change.what}  ({len(change.ids)} answers)")
