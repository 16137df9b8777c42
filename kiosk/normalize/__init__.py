"""How written text is spoken: figures, dates, money, addresses and acronyms become words.

The functions here are pure. They take whole sentences, or clauses cut where `kiosk.dialogue.clauses` cuts them, never
pieces of a stream: what a digit means is decided by its neighbours.
"""

from __future__ import annotations

from kiosk.normalize import chinese, english
from kiosk.normalize.width import PICTURES, fold
from models.types import Language

__all__ = ["is_speakable", "normalize"]


def normalize(text: str, language: Language) -> str:
    """Write out what will be spoken.

    The result holds no digit and no sign without a sound; normalising it again changes nothing. Words that the rules
    do not know stay as they are.

    Args:
        text: One or more whole sentences, without markdown.
        language: Language of the sentence. A number takes the language of its own unit word first (2个 is Chinese in
            an English sentence too).
    """
    folded = fold(text, language)
    return chinese.read(folded) if language == "zh" else english.read(folded)


def is_speakable(text: str) -> bool:
    """Whether a text holds anything to say: a letter, a Chinese character or a figure."""
    return any(char.isalnum() for char in PICTURES.sub("", text))
