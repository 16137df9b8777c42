"""Which tool a question is for: words in English, sounds in Chinese. What is not sure is left to others."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kiosk.tools.base import Parameter, Tool, Value
from kiosk.tools.slots import read_slot
from kiosk.tools.sounds import as_sound, says
from models.types import Language

Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One way to ask for a tool. Every group has to be heard; of a group, one phrase is enough."""

    tool: str
    """Name of the tool."""
    zh: Groups = ()
    """Phrases in Chinese characters, compared by sound; a star stands for a few syllables. Empty: never."""
    en: Groups = ()
    """Regular expressions over lower-case text. Empty: never."""
    not_zh: tuple[str, ...] = ()
    """Phrases that make it another question."""
    not_en: tuple[str, ...] = ()
    """The same for English."""
    needs: tuple[str, ...] = ()
    """Parameters one of which has to stand in the question; empty: none has to."""


@dataclass(frozen=True, slots=True)
class Request:
    """A tool with what the question says about its parameters."""

    tool: Tool
    """Which."""
    arguments: Mapping[str, Value]
    """Those that are known so far."""


class IntentReader:
    """Reads questions for a set of tools. Holds no state; any thread may call it."""

    def __init__(self, tools: Sequence[Tool], intents: Sequence[Intent]) -> None:
        """Index the tools.

        Args:
            tools: Those that can be asked for.
            intents: The first that fits wins: special ones stand before general ones.

        Raises:
            ValueError: An intent names a tool that is not there.
        """
        self._tools = {tool.name: tool for tool in tools}
        self._intents = tuple(intents)
        for intent in intents:
            if intent.tool not in self._tools:
                raise ValueError(f"an intent names the tool {intent.tool}, which is not there")

    def read(self, question: str, language: Language, today: datetime.date) -> Request | None:
        """The tool that a question is for, with its slots; None where none is sure.

        Args:
            question: Written form, perhaps misheard.
            language: Of the question.
            today: For months and days.
        """
        heard = as_sound(question) if language == "zh" else " ".join(question.lower().replace("’", "'").split())
        for intent in self._intents:
            if _fits(intent, heard, language):
                tool = self._tools[intent.tool]
                arguments = slots_of(tool.parameters, question, language, today)
                if not intent.needs or any(name in arguments for name in intent.needs):
                    return Request(tool, arguments)
        return None


def slots_of(
    parameters: Sequence[Parameter], text: str, language: Language, today: datetime.date
) -> dict[str, Value]:
    """What a text says about parameters."""
    found = ((parameter.name, read_slot(parameter, text, language, today)) for parameter in parameters)
    return {name: value for name, value in found if value is not None}


def _fits(intent: Intent, heard: str, language: Language) -> bool:
    if language == "zh":
        groups, barred = intent.zh, intent.not_zh
        return bool(groups) and all(says(heard, group) for group in groups) and not says(heard, barred)
    return (
        bool(intent.en)
        and all(any(re.search(pattern, heard) for pattern in group) for group in intent.en)
        and not any(re.search(pattern, heard) for pattern in intent.not_en)
    )
