"""English sentences: the order of the rules."""

from __future__ import annotations


def read(text: str) -> str:
    """Read a folded English text."""
    return text
