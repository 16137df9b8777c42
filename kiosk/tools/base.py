"""What a tool is: typed parameters, who may use it, and results that are data and never instructions."""

from __future__ import annotations

import datetime
import enum
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

from kiosk.tools.periods import Period
from models.types import Language

MAX_CLEAN = 40
"""Characters of a name that comes from rows."""
MAX_TEXT = 60
"""Characters of a text argument."""
_MARKUP = re.compile(r"<[^>]{0,200}>|&#?\w{1,8};|[<>{}\[\]`*_#|\\~^]")

Value: TypeAlias = str | int | Decimal | Period
Arguments: TypeAlias = Mapping[str, Value]
Sentences: TypeAlias = Mapping[Language, str]


class Permission(enum.Enum):
    """Who may use a tool."""

    ANYONE = enum.auto()
    """Every visitor."""
    CUSTOMER = enum.auto()
    """A visitor who has shown who he is."""
    CONFIRMED_CUSTOMER = enum.auto()
    """Such a visitor, after a clear yes to the tool's own question."""


class Kind(enum.Enum):
    """What a parameter holds."""

    PERIOD = enum.auto()
    """Days, such as a month: 2026-05, 2026, 2026-05-03 or 2026-05-01/2026-05-07."""
    AMOUNT = enum.auto()
    """Yuan, with at most two decimals."""
    RATE = enum.auto()
    """Per cent per year."""
    MONTHS = enum.auto()
    """A term in months."""
    COUNT = enum.auto()
    """How many."""
    DAY = enum.auto()
    """One day, written like a period."""
    CHOICE = enum.auto()
    """One of the named choices."""


_PERIOD_PATTERN = r"^\d{4}(-\d{2}(-\d{2})?(/\d{4}-\d{2}-\d{2})?)?$"
_SCHEMA: Mapping[Kind, Mapping[str, Any]] = {
    Kind.PERIOD: {"type": "string", "pattern": _PERIOD_PATTERN},
    Kind.DAY: {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
    Kind.AMOUNT: {"type": "number"},
    Kind.RATE: {"type": "number"},
    Kind.MONTHS: {"type": "integer"},
    Kind.COUNT: {"type": "integer"},
    Kind.CHOICE: {"type": "string"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One thing that a tool has to be told."""

    name: str
    """As in a call."""
    kind: Kind
    """What it holds."""
    description: str
    """For a model; English."""
    question: Sentences | None = None
    """Asked back when it is missing; None: the tool does without."""
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Of a CHOICE: value → ways to say it, in both languages."""
    least: int = 1
    """Of a number."""
    most: int = 1_000_000_000
    """Of a number."""

    @property
    def is_required(self) -> bool:
        """Whether the tool cannot run without it."""
        return self.question is not None

    def schema(self) -> dict[str, Any]:
        """JSON schema of its values."""
        schema = {**_SCHEMA[self.kind], "description": self.description}
        if self.kind is Kind.CHOICE:
            schema["enum"] = list(self.choices)
        elif schema["type"] != "string":
            schema |= {"minimum": self.least, "maximum": self.most}
        return schema

    def read(self, given: object) -> Value:
        """Read the value of a call, as JSON gave it; nothing is guessed.

        Raises:
            ValueError: Says what is wrong with it.
        """
        if _SCHEMA[self.kind]["type"] == "string":
            return self._read_text(given)
        if isinstance(given, bool) or not isinstance(given, int | float | Decimal):
            raise ValueError(f"{self.name} must be a number")
        try:
            number = Decimal(str(given))
        except InvalidOperation as error:  # pragma: no cover - numbers always print as numbers
            raise ValueError(f"{self.name} must be a number") from error
        if not number.is_finite() or not self.least <= number <= self.most:
            raise ValueError(f"{self.name} must lie between {self.least} and {self.most}")
        if self.kind in (Kind.MONTHS, Kind.COUNT):
            if number != number.to_integral_value():
                raise ValueError(f"{self.name} must be a whole number")
            return int(number)
        if number != round(number, 2):
            raise ValueError(f"{self.name} must have at most two decimals")
        return number

    def _read_text(self, given: object) -> Value:
        if not isinstance(given, str) or len(given) > MAX_TEXT:
            raise ValueError(f"{self.name} must be a text of at most {MAX_TEXT} characters")
        if self.kind is Kind.CHOICE:
            if given not in self.choices:
                raise ValueError(f"{self.name} must be one of {', '.join(self.choices)}")
            return given
        period = Period.parse(given)
        if self.kind is Kind.DAY and period.start != period.end:
            raise ValueError(f"{self.name} must be one day, such as 2026-05-03")
        return period


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Under which circumstances a tool runs. A caller cannot set them by argument."""

    now: datetime.datetime
    """Local time."""
    customer: int | None = None
    """Who has been identified; None: nobody."""

    @property
    def today(self) -> datetime.date:
        """The day."""
        return self.now.date()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool found, as data and as sentences made from the data. A failure is a result, too."""

    sentences: Sentences
    """Written text in both languages: to be spoken, never executed, never part of a prompt's rules."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """Plain values that JSON can hold."""
    problem: str = ""
    """Short stable name of what went wrong; empty: nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One thing that can be looked up, reckoned or done."""

    name: str
    """As in a call."""
    description: str
    """For a model; English."""
    run: Callable[[Context, Arguments], ToolResult]
    """Does it; every required argument is there and every one has been read by its parameter."""
    parameters: tuple[Parameter, ...] = ()
    """What it has to be told."""
    permission: Permission = Permission.CUSTOMER
    """Who may use it."""
    confirmation: Sentences | None = None
    """Asked before it runs; only a clear yes lets it."""

    def __post_init__(self) -> None:
        if self.permission is Permission.CONFIRMED_CUSTOMER and self.confirmation is None:
            raise ValueError(f"{self.name} needs a question for its confirmation")

    @property
    def needs_customer(self) -> bool:
        """Whether the visitor has to be identified."""
        return self.permission is not Permission.ANYONE

    def missing(self, arguments: Arguments) -> Parameter | None:
        """The first parameter that has to be asked for."""
        return next((p for p in self.parameters if p.is_required and p.name not in arguments), None)

    def read(self, given: Mapping[str, object]) -> dict[str, Value]:
        """Read the arguments of a call; missing ones may be asked for later.

        Raises:
            ValueError: Names the argument and what is wrong with it.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in known:
                names = ", ".join(known) or "none"
                raise ValueError(f"{self.name} knows no argument {clean(str(name))!r}; known: {names}")
        return {name: known[name].read(value) for name, value in given.items()}


def run_tool(tool: Tool, context: Context, arguments: Arguments, *, is_confirmed: bool) -> ToolResult:
    """Run a tool, if its permission allows. The one door to every tool's function.

    Args:
        tool: Which.
        context: Holds who has been identified.
        arguments: Read by `Tool.read` or from the visitor's question.
        is_confirmed: The visitor said yes to this tool's confirmation in this very request.

    Raises:
        PermissionError: The visitor was not identified, or did not confirm.
        ValueError: An argument is missing.
    """
    if tool.needs_customer and context.customer is None:
        raise PermissionError(f"{tool.name} is for identified customers only")
    if tool.confirmation is not None and not is_confirmed:
        raise PermissionError(f"{tool.name} has to be confirmed by the visitor")
    missing = tool.missing(arguments)
    if missing is not None:
        raise ValueError(f"{tool.name} needs the argument {missing.name}")
    return tool.run(context, arguments)


def clean(text: str, limit: int = MAX_CLEAN) -> str:
    """A name that comes from rows, fit to be said: no markup, no control or invisible characters, bounded.

    Args:
        text: Anything.
        limit: Characters, above 0.
    """
    visible = "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in text[: limit * 50])
    plain = _MARKUP.sub(" ", unicodedata.normalize("NFKC", visible))
    plain = " ".join(_MARKUP.sub(" ", plain).split())
    return plain if len(plain) <= limit else plain[: limit - 1].rstrip() + "…"


def money(cents: int) -> str:
    """Written form of an amount of cents: 1,234.50."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02d}"
