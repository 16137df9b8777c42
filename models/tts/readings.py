"""Reads the pronunciation lists that lie beside the voices."""

from __future__ import annotations

import re
from pathlib import Path

from models.errors import CheckpointError

SYLLABLE = re.compile(r"[a-zü]+[1-5]")
REMEDY = "correct that line or restore the file from the installation"


def load_chinese_readings(path: Path) -> dict[str, tuple[str, ...]]:
    """Read word → one pinyin syllable with tone digit for each character.

    Raises:
        CheckpointError: The file cannot be read, or a line is not of that form.
    """
    readings = {}
    for number, word, fields in _lines(path):
        syllables = tuple(fields.split())
        if len(syllables) != len(word) or not all(SYLLABLE.fullmatch(s) for s in syllables):
            raise CheckpointError(path, f"line {number}: {word} needs {len(word)} syllables such as hang2", REMEDY)
        readings[word] = syllables
    return readings


def load_latin_readings(path: Path) -> dict[str, str]:
    """Read lower-case word → how it is said, as English words and single letters.

    Raises:
        CheckpointError: The file cannot be read, or a line is not of that form.
    """
    readings = {}
    for number, word, said in _lines(path):
        if not said:
            raise CheckpointError(path, f"line {number}: {word} has no reading", REMEDY)
        readings[word.lower()] = said
    return readings


def _lines(path: Path) -> list[tuple[int, str, str]]:
    """Line number, first field and rest of each line that is neither empty nor a comment."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise CheckpointError(path, f"cannot be read ({error.strerror})", REMEDY) from error
    except UnicodeDecodeError as error:
        raise CheckpointError(path, "is not UTF-8 text", REMEDY) from error
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        word, _, rest = line.strip().partition(" ")
        if word and not word.startswith("#"):
            found.append((number, word, rest.strip()))
    return found
