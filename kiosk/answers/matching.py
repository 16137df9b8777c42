"""Finds the approved answer to a question: near in meaning, and no word in it that the answer knows nothing of.

Careful on purpose: what is not sure is left to the language model, while a wrong approved answer is the house's own
word. A sentence encoder alone would answer "the rate for three months" with the rate for three years.
"""

from __future__ import annotations

import datetime
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pypinyin import lazy_pinyin

from kiosk.answers.approved import ApprovedAnswer
from kiosk.answers.kept_vectors import KeptVectors
from kiosk.answers.telling_words import telling_words, without_decimals
from kiosk.dialogue import words as chinese_words
from kiosk.dialogue.same_question import bare_question, question_key
from models.embedding.base import SentenceEncoder
from models.types import LANGUAGES, FloatArray, Language, ShouldStop, never_stop

MEANING = 0.8
"""Weight of the meaning in a score; the rest is how many syllables or words are the same, in order."""
ENOUGH = 0.60
"""Least score. This and the next two: see "Approved answers" in docs/performance.md."""
AHEAD = 0.05
"""The best answer must be better than the next one by this much; else the question may mean either."""
KNOWN = 0.93
"""Share of a question's words, by their weight, that must stand in the answer or in the ways to ask for it."""
LONGEST = 5
"""Syllables of a Chinese word that are looked at."""
_PARTICLES = frozenset("a ne ba ma ya la o e de le".split())
"""Syllables at a Chinese sentence's end, and 的 and 了, that change nothing."""
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ing|es|s|ed|ly)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The nearest answer to a question."""

    answer: ApprovedAnswer
    """The nearest."""
    score: float
    """0..1, 1 for a question that stands in the file."""
    ahead: float
    """How much better it is than the next answer."""
    known: float
    """Share of the question's words that belong to the answer, 0..1."""
    is_other: bool
    """The question has a day, a figure or the like that the answer does not have: it is about something else."""

    @property
    def is_sure(self) -> bool:
        """Whether the answer may be given."""
        return self.score >= ENOUGH and self.ahead >= AHEAD and self.known >= KNOWN and not self.is_other


class AnswerIndex:
    """The approved answers of one profile, ready to be asked. All calls come from one thread."""

    def __init__(
        self,
        answers: Sequence[ApprovedAnswer],
        encoder: SentenceEncoder,
        should_stop: ShouldStop = never_stop,
        kept_in: Path | None = None,
    ) -> None:
        """Read all questions; some 5 ms each, where they are not kept.

        Args:
            answers: What may be answered.
            encoder: This object closes it.
            should_stop: Asked between batches; when it says true nothing is found later.
            kept_in: File of the questions' vectors by this encoder; None: they are not kept.
        """
        self._encoder = encoder
        chinese_words.warm_up()
        rows = [
            (index, language, question)
            for index, answer in enumerate(answers)
            for language in LANGUAGES
            for question in answer.questions[language]
        ]
        vectors = KeptVectors(encoder, kept_in).encode([question for _, _, question in rows], should_stop)
        if vectors is None:
            answers, rows, vectors = (), [], np.zeros((0, 1), np.float32)
        self._answers = tuple(answers)
        self._vectors = vectors
        self._owners = np.array([index for index, _, _ in rows], np.int64)
        self._is_language = {
            language: np.array([own == language for _, own, _ in rows], bool) for language in LANGUAGES
        }
        self._parts = _PartIndex([_parts(question, language) for _, language, question in rows])
        self._vocabularies = {language: _Vocabulary(self._answers, language) for language in LANGUAGES}

    def nearest(self, question: str, language: Language, day: datetime.date) -> Match | None:
        """The answer whose questions are nearest; None where none holds on that day.

        Args:
            question: Written form.
            language: Of the question.
            day: Today.
        """
        holding = [i for i, answer in enumerate(self._answers) if answer.holds_on(day)]
        if not holding:
            return None
        meaning = self._vectors @ self._encoder.encode([question])[0]
        same = self._parts.share(_parts(question, language)) * self._is_language[language]
        best = np.full(len(self._answers), -1.0)
        np.maximum.at(best, self._owners, MEANING * meaning + (1 - MEANING) * same)
        order = sorted(holding, key=lambda i: -best[i])
        first, vocabulary = order[0], self._vocabularies[language]
        return Match(
            answer=self._answers[first],
            score=float(best[first]),
            ahead=float(best[first] - best[order[1]]) if len(order) > 1 else 1.0,
            known=vocabulary.known(question, first),
            is_other=vocabulary.is_other(question, first),
        )

    def find(self, question: str, language: Language, day: datetime.date) -> ApprovedAnswer | None:
        """The approved answer to a question; None where none is sure."""
        match = self.nearest(question, language, day)
        return match.answer if match is not None and match.is_sure else None

    def close(self) -> None:
        """Free the encoder."""
        self._encoder.close()


class _PartIndex:
    """For many questions at once: how much of them a question shares."""

    def __init__(self, questions: Sequence[Counter[tuple[str, ...]]]) -> None:
        self._totals = np.array([parts.total() for parts in questions], np.float32)
        found: defaultdict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
        for row, parts in enumerate(questions):
            for part, count in parts.items():
                found[part].append((row, count))
        self._found = {part: np.array(rows).T for part, rows in found.items()}

    def share(self, asked: Counter[tuple[str, ...]]) -> FloatArray:
        """How much of the question and of each row is the same, 0..1 (Dice), shape (rows,)."""
        both = np.zeros(len(self._totals), np.float32)
        for part, count in asked.items():
            if part in self._found:
                rows, counts = self._found[part]
                both[rows] += np.minimum(counts, count)
        return np.asarray(2 * both / np.maximum(1, self._totals + asked.total()), np.float32)


class _Vocabulary:
    """The words of each answer in one language, with the ways to ask for it; rare ones weigh more."""

    def __init__(self, answers: Sequence[ApprovedAnswer], language: Language) -> None:
        self._language = language
        texts = [" ".join([*answer.questions[language], answer.answer[language]]) for answer in answers]
        self._telling = [telling_words(text, language) for text in texts]
        self._words = [
            frozenset().union(
                *(_known_words(line, language) for line in (*a.questions[language], a.answer[language]))
            )
            for a in answers
        ]
        counts = Counter(word for words in self._words for word in words)
        self._weights = _rarity(counts, len(answers))
        self._weight_of_unknown = float(np.log(2 * (len(answers) + 1)))

    def known(self, question: str, index: int) -> float:
        """Share of the question's words that belong to an answer, by weight; 0 for a question without words."""
        words = _words(question, self._language)
        weights = {word: self._weights.get(word, self._weight_of_unknown) for word in words}
        own = sum(weight for word, weight in weights.items() if word in self._words[index])
        return own / max(1e-6, sum(weights.values()))

    def is_other(self, question: str, index: int) -> bool:
        """Whether the question has a day, a figure or the like that the answer does not have."""
        return not telling_words(question, self._language) <= self._telling[index]


def _rarity(counts: Mapping[str, int], num_answers: int) -> dict[str, float]:
    return {word: max(0.0, float(np.log((num_answers + 1) / (count + 0.5)))) for word, count in counts.items()}


def _words(text: str, language: Language) -> frozenset[str]:
    """For Chinese the syllables of words, for English words without their endings; figures with a point are none."""
    bare = bare_question(without_decimals(text), language)
    if language == "zh":
        return (
            frozenset(" ".join(lazy_pinyin(word)[:LONGEST]) for word in chinese_words.split_words(bare)) - _PARTICLES
        )
    return frozenset(_ENDING.sub("", word) for word in bare.split())


def _known_words(text: str, language: Language) -> frozenset[str]:
    """What a text makes known: for Chinese each run of syllables, since 办 is known where 办理 is."""
    if language == "en":
        return _words(text, language)
    syllables = lazy_pinyin(bare_question(without_decimals(text), language))
    return frozenset(
        " ".join(syllables[begin : begin + length])
        for length in range(1, LONGEST + 1)
        for begin in range(len(syllables) - length + 1)
    )


def _parts(question: str, language: Language) -> Counter[tuple[str, ...]]:
    """Syllables or words, and pairs of them: what two questions may have in common."""
    key = question_key(question, language)
    return Counter([*((part,) for part in key), *itertools.pairwise(key)])
