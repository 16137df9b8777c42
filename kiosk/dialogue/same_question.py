"""When two questions are one: the same words, whatever the recogniser, the manners or the marks make of them."""

from __future__ import annotations

import re
import unicodedata

from pypinyin import lazy_pinyin

from kiosk.normalize import normalize
from models.types import Language

_POLITE_ZH = re.compile(
    r"^(?:你好|您好|喂|嗯|那个|那|请问一下|请问|问一下|麻烦问一下|我想问一下|我想问|想问一下|我想知道|劳驾)+"
)
_POLITE_EN = re.compile(
    r"^(?:(?:hello|hi|hey|excuse me|please|sorry|um|uh|so|and|can you tell me|could you tell me) )+"
)
_TRAILING_EN = re.compile(r"(?: (?:please|thanks|thank you))+$")


def question_key(text: str, language: Language) -> tuple[str, ...]:
    """What is equal for two questions that are the same.

    Args:
        text: Written form.
        language: Of the text.

    Returns:
        Of the spoken form, so that 1年 is 一年: for Chinese syllables without tones (a recogniser writes the same
        sound in many ways), for English words without a greeting and "please".
    """
    bare = bare_question(text, language)
    return tuple(lazy_pinyin(bare)) if language == "zh" else tuple(bare.split())


def manners_before(text: str) -> int:
    """How many characters at the beginning of a Chinese text are mere manners: 2 of 请问厕所在哪里."""
    match = _POLITE_ZH.match(text)
    return match.end() if match else 0


def bare_question(text: str, language: Language) -> str:
    """The spoken form of a question without marks, capitals and polite words around it.

    Args:
        text: Written form.
        language: Of the text.
    """
    letters = "".join(
        c if unicodedata.category(c)[0] in "LN" else " "
        for c in unicodedata.normalize("NFKC", normalize(text, language)).lower()
    )
    if language == "zh":
        return _POLITE_ZH.sub("", "".join(letters.split()))
    return _TRAILING_EN.sub("", _POLITE_EN.sub("", " ".join(letters.split())))
