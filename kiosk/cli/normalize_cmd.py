"""`python main.py normalize`: shows how a text will be spoken."""

from __future__ import annotations

from typing import Annotated

import typer

from kiosk.dialogue.reply import clauses_of
from models.types import LANGUAGES, Language


def _language(value: str) -> Language:
    for language in LANGUAGES:
        if value == language:
            return language
    raise typer.BadParameter(f"{value!r} is no language of the kiosk; use {' or '.join(LANGUAGES)}")


def normalize(
    text: Annotated[str, typer.Argument(help="What is written, markdown and emoji included.", show_default=False)],
    lang: Annotated[str, typer.Option("--lang", help="Language of the text: zh or en.", show_default=False)],
) -> None:
    """Print what will be spoken."""
    language = _language(lang)
    spoken = [clause.spoken for clause in clauses_of(text, language) if clause.spoken]
    print(("" if language == "zh" else " ").join(spoken))
