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
    letters = "".join(
        c if unicodedata.category(c)[0] in "LN" else " "
        for c in unicodedata.normalize("NFKC", normalize(text, language)).lower()
    )
    if language == "zh":
        bare = _POLITE_ZH.sub("", "".join(letters.split()))
        return tuple(lazy_pinyin(bare))
    plain = " ".join(letters.split())
    return tuple(_TRAILING_EN.sub("", _POLITE_EN.sub("", plain)).split())
