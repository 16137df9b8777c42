"""The language of a text that was typed."""

from __future__ import annotations

from models.types import Language


def guess_language(text: str, default: Language) -> Language:
    """Chinese if any Han character is in the text, English if there are letters but none, else the default."""
    if any("\u4e00" <= c <= "\u9fff" for c in text):
        return "zh"
    return "en" if any(c.isalpha() for c in text) else default
