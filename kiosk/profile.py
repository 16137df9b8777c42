"""Profiles: who the assistant is, what it knows and what it says on its own, per language.

A profile is one TOML file in resources/profiles/ with a table per language. An operator edits it; it is checked when
it is read.
"""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
import typing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kiosk.errors import ConfigError
from kiosk.paths import RESOURCES
from models.types import LANGUAGES, Language

PROFILES = RESOURCES / "profiles"
MIN_FILLERS = 2
MAX_EXAMPLES = 12
"""More would only make the prompt long."""
MIN_QUESTIONS, MAX_QUESTIONS = 4, 6
"""As many suggested questions as a screen shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A question with the answer that shows the model the wanted manner."""

    question: str
    """As a visitor would ask."""
    answer: str
    """As the assistant should answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileText:
    """A profile in one language. Lines are written text; what is spoken goes through the normaliser."""

    title: str
    """Name of the place, for the screen."""
    persona: str
    """One or two sentences to the model: who it is and how it speaks."""
    greeting: str
    """Said when a visitor comes."""
    farewell: str
    """Said when the conversation ends."""
    apology: str
    """Said when something failed and trying again may help."""
    repeat: str
    """Said when nothing was understood."""
    still_there: str
    """Said after a long silence."""
    call_staff: str
    """Said when a visitor asks for a person."""
    unknown: str
    """Said instead of an answer that the facts do not hold; it brings a person too."""
    fillers: tuple[str, ...]
    """Two or more, each a few words that bridge a wait; taken in turn."""
    facts: tuple[str, ...]
    """One short sentence each, in words that may be said aloud. Nothing else is known."""
    examples: tuple[Example, ...]
    """Some that the facts answer, some with the `unknown` line: without both, a small model guesses or refuses."""
    suggested_questions: tuple[str, ...]
    """Four to six, for the screen; the facts answer each of them."""
    recogniser_words: tuple[str, ...]
    """Names and terms that the recogniser should expect."""

    @property
    def ready_lines(self) -> tuple[str, ...]:
        """Lines whose sound should be ready before it is needed, the first first: they end a wait, or bridge it."""
        return (self.unknown, *self.fillers)

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            lines = (value,) if isinstance(value, str) else value
            if not lines or not all(line.strip() for line in lines if isinstance(line, str)):
                raise ConfigError("bad-profile", f"{field.name} must not be empty")
        if len(self.fillers) < MIN_FILLERS:
            raise ConfigError("bad-profile", f"fillers must hold at least {MIN_FILLERS}: none is said twice in a row")
        if len(self.examples) > MAX_EXAMPLES:
            raise ConfigError("bad-profile", f"examples must hold at most {MAX_EXAMPLES}, not {len(self.examples)}")
        if not MIN_QUESTIONS <= len(self.suggested_questions) <= MAX_QUESTIONS:
            count = len(self.suggested_questions)
            raise ConfigError(
                "bad-profile",
                f"suggested_questions must hold {MIN_QUESTIONS} to {MAX_QUESTIONS} questions, not {count}",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Everything that depends on the place where the kiosk stands."""

    name: str
    """As in the configuration: bank, classroom, booth."""
    zh: ProfileText
    """Chinese."""
    en: ProfileText
    """English."""

    def text(self, language: Language) -> ProfileText:
        """The profile in one language."""
        return self.zh if language == "zh" else self.en


def load_profile(name: str, folder: Path = PROFILES) -> Profile:
    """Read a profile.

    Args:
        name: Name of the file without its ending.
        folder: Where the profiles lie.

    Raises:
        ConfigError: There is no such profile, it is no UTF-8 TOML, or a line is missing, unknown or of a wrong kind.
    """
    path = folder / f"{name}.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        known = ", ".join(sorted(p.stem for p in folder.glob("*.toml"))) or "none"
        raise ConfigError("no-profile", f"profile {name!r} is not in {folder}; known: {known}") from error
    except OSError as error:
        raise ConfigError("no-profile", f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise ConfigError("bad-profile", f"{path}: is not UTF-8 text; save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError("bad-profile", f"{path}: is no valid TOML: {error}") from error
    _require_keys(path, "", table, list(LANGUAGES))
    texts = {language: _read_text(path, language, table[language]) for language in LANGUAGES}
    return Profile(name=name, zh=texts["zh"], en=texts["en"])


def _read_text(path: Path, language: Language, table: object) -> ProfileText:
    if not isinstance(table, dict):
        raise ConfigError("bad-profile", f"{path}: [{language}] must be a table")
    hints = typing.get_type_hints(ProfileText)
    _require_keys(path, f"{language}.", table, list(hints))
    values: dict[str, Any] = {}
    for key, value in table.items():
        where = f"{path}: {language}.{key}"
        if key == "examples":
            values[key] = _read_examples(where, value)
        elif hints[key] is str:
            values[key] = _read_string(where, value)
        else:
            values[key] = tuple(_read_string(where, line) for line in _read_list(where, value))
    try:
        return ProfileText(**values)
    except ConfigError as error:
        raise ConfigError(error.code, f"{path}: {language}.{error.message}") from error


def _read_string(where: str, value: object) -> str:
    if not isinstance(value, str):
        raise ConfigError("bad-profile", f"{where} must be text, not {value!r:.60}")
    return value


def _read_list(where: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise ConfigError("bad-profile", f"{where} must be a list, not {value!r:.60}")
    return value


def _read_examples(where: str, value: object) -> tuple[Example, ...]:
    examples = []
    for pair in _read_list(where, value):
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(v, str) and v.strip() for v in pair):
            raise ConfigError("bad-profile", f"{where} must hold pairs [question, answer], not {pair!r:.60}")
        examples.append(Example(question=pair[0], answer=pair[1]))
    return tuple(examples)


def _require_keys(path: Path, prefix: str, table: dict[str, Any], known: list[str]) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {prefix}{near[0]}?" if near else f"known here: {', '.join(known)}"
            raise ConfigError("bad-profile", f"{path}: unknown key {prefix}{key}; {hint}")
    for key in known:
        if key not in table:
            raise ConfigError("bad-profile", f"{path}: {prefix}{key} is missing")
