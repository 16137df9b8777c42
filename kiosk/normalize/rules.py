"""A rule is one pattern and one function; a language is an ordered list of them.

Every pattern begins with something that cannot be the middle of its own match (a word, a sign, or a digit with no
digit before it), and what repeats is bounded or ends at a fixed sign, so that a text costs time in proportion to its
length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

START = r"(?<!\d)(?<!\d\.)(?!(?<=\d,)\d{3}(?!\d))"
"""In front of a number: not inside another one."""
NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?"
"""1234, 1,234, 12.5; without a sign."""
DASH = r"(?:——|[-–—~])"
"""Marks that stand for "to" between two numbers, after `fold`."""

KEY_CODE = r"(?<![\dA-Za-z*#])(?:\*#|[*#])\d{1,8}(?:\*\d{1,16}){0,3}#"
"""What is keyed into a telephone: *99#, *#06#."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of written form."""

    name: str
    """What it reads, for tests and error reports."""
    pattern: re.Pattern[str]
    """Where it applies."""
    read: Callable[[re.Match[str]], str]
    """What is spoken in place of the match."""


def rule(name: str, pattern: str, read: Callable[[re.Match[str]], str] | str, flags: int = 0) -> Rule:
    """Compile a rule; a plain string as `read` is a constant reading."""
    if isinstance(read, str):
        constant = read
        return Rule(name, re.compile(pattern, flags), lambda _match: constant)
    return Rule(name, re.compile(pattern, flags), read)


MODEL_NAME = rule(
    "name with two numbers",
    r"(?<![A-Za-z])([A-Za-z]{2,20}-?\d{1,3}(?:\.\d{1,3})?)-(?=\d{1,3}(?:\.\d{1,3})?[A-Za-z])",
    lambda m: m[1] + " ",
)
"""Llama-3-8B: its hyphen means no range."""


def apply(rules: Iterable[Rule], text: str) -> str:
    """Rewrite a text with each rule in turn."""
    for item in rules:
        text = item.pattern.sub(item.read, text)
    return text


def clause_around(match: re.Match[str], reach: int = 60) -> str:
    """The words of the same clause around a match, `reach` characters each way at most."""
    before = re.split(r"[，。！？；!?;\n]", match.string[max(0, match.start() - reach) : match.start()])[-1]
    after = re.split(r"[，。！？；!?;\n]", match.string[match.end() : match.end() + reach])[0]
    return before + match.group() + after
