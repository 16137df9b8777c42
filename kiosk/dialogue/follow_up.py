"""Says whether a question can be understood without the turns before it.

On a slow machine each earlier turn costs some tenths of a second before the first word, and small models tend to
repeat the last answer. So turns are shown to the model only where the question leans on them. A wrong yes costs a
little time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from kiosk.dialogue.history import Turn
from models.types import Language

HistoryUse: TypeAlias = Literal["always", "when_needed"]
"""Earlier turns are shown to the model with every question, or only with those that lean on them (for a CPU)."""

SHORT_ZH = 3
"""Characters up to which a Chinese question is taken for incomplete: 为什么？ 多少钱？"""
SHORT_EN = 3
"""Words up to which an English question is taken for incomplete: Why? How much? On Sunday?"""

_LEANING: dict[Language, re.Pattern[str]] = {
    "zh": re.compile(
        r"呢[？?！!。.]*$|^(那|还有|然后|如果|也|再|所以|另外|除了)|它|他|她|那个|这个|那些|这些|那里|那儿|上面|前面|刚才|刚刚|你说|"
        r"我说|我叫|我的名字|继续|一样|其他|别的"
    ),
    "en": re.compile(
        r"^(and|but|so|then|or|also|what about|how about|what if|why|really|which)\b|"
        r"\b(it|its|that|this|those|these|they|them|their|he|him|his|she|her|one|ones|too|as well|else|"
        r"other|others|again|you said|i said|did i|my name|same|instead|more)\b",
        re.IGNORECASE,
    ),
}
_NOT_WORDS = re.compile(r"[^\w]+")


def leans_on_history(question: str, language: Language) -> bool:
    """True when the question seems to refer to what was said before."""
    words = _NOT_WORDS.sub(" ", question).split()
    length, short = (sum(map(len, words)), SHORT_ZH) if language == "zh" else (len(words), SHORT_EN)
    return length <= short or _LEANING[language].search(question.strip()) is not None


def stands_alone(question: str, language: Language, turns: Sequence[Turn], use: HistoryUse) -> bool:
    """Whether earlier turns cannot change the answer."""
    if use == "always" and turns:
        return False
    return not leans_on_history(question, language)
