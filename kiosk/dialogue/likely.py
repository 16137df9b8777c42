"""Which of the profile's lines may answer a question: those that share rare words with it.

Only a guess that makes the language model faster where it is right; the model decides.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections import Counter

from kiosk.profile import ProfileText
from models.types import Language

MAX_LIKELY = 6
"""Lines that are given to the model."""
_WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")
_ENDING = re.compile(r"(?:ing|es|s|ed)$")


class LikelyAnswers:
    """The lines of one profile in one language, by what they are about."""

    def __init__(self, text: ProfileText, language: Language) -> None:
        """Count the words of all facts and examples."""
        self._language = language
        about = {fact: fact for fact in text.facts}
        for example in text.examples:
            about[example.answer] = f"{about.get(example.answer, '')} {example.question} {example.answer}"
        self._words = {answer: _words(line, language) for answer, line in about.items()}
        counts = Counter(word for words in self._words.values() for word in words)
        self._weights = {word: math.log(1 + len(self._words) / count) for word, count in counts.items()}

    def rank(self, question: str) -> list[str]:
        """The lines that share most with a question, likeliest first; none that share nothing."""
        asked = _words(question, self._language)
        scores = {
            answer: sum(self._weights[word] for word in words & asked) / math.sqrt(1 + len(words))
            for answer, words in self._words.items()
        }
        best = sorted(scores, key=lambda answer: -scores[answer])[:MAX_LIKELY]
        return [answer for answer in best if scores[answer] > 0]


def _words(text: str, language: Language) -> frozenset[str]:
    """For English words without their endings, for Chinese characters and pairs of them."""
    found = _WORD.findall(unicodedata.normalize("NFKC", text).lower())
    if language == "en":
        return frozenset(_ENDING.sub("", word) for word in found)
    return frozenset([*found, *(first + second for first, second in itertools.pairwise(found))])
