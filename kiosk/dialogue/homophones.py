"""Repair of recognised Chinese: words of this place written with characters that sound the same.

A recogniser that knows little of a place hears the right syllables and writes other characters: 测缩 for 厕所. Of all
ways to read a run of characters as words, the cheapest wins. A word as written costs its rarity in ordinary text; a
term of the place costs little, plus something for each character that would have to change. What is written sensibly
is cheap already, so that it stays.
"""

from __future__ import annotations

import itertools
import operator
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kiosk.dialogue import words
from kiosk.dialogue.syllables import Likeness, likeness, merged, readings_of_characters, readings_of_term
from kiosk.normalize import normalize
from kiosk.profile import Profile

TERM_COST = 6.0
"""-ln of the chance of meeting one given term of the place: some hundred terms, all alike."""
CHANGE_COST = 6.0
"""For writing a term otherwise than it was heard at all; two common words in a row (去好, 先在) are cheaper."""
COST_PER_CHARACTER = 1.0
"""On top, for each character that would be written differently."""
LIKENESS_COST = {Likeness.SAME: 0.0, Likeness.NEAR: 2.0, Likeness.SIMILAR: 5.0}
"""On top, for a syllable that is not the same; another likeness is never accepted."""
KNOWN_WORD_COST = 4.0
"""On top, for each word of the dictionary that a longer term would change."""
RARE = 14.0
"""A word of the dictionary rarer than this (50 in 60 million) may be changed even by a term no longer than itself."""
MAX_TERM_LENGTH = 12
"""Characters; longer ones are never met as a whole."""
MIN_SIMILAR_LENGTH = 4
"""Characters of the shortest term that may differ by a `SIMILAR` syllable."""
SYLLABLES_PER_SIMILAR = 3
"""At most one in so many may be no more than similar."""
MIN_PHRASE_LENGTH = 3
"""Characters of the shortest phrase of several words: two single words in a row (是水) sound like too much else."""

EVERYDAY_TERMS = (
    *(f"{week}{day}{rest}" for week in ("周", "星期") for day in "一二三四五六日" for rest in ("", "开门")),
    *("上午", "下午", "中午", "今天", "明天", "现在", "几点", "什么", "多少", "哪里", "怎么", "请问", "可以", "需要"),
    *("办理", "开门", "关门", "时候", "你们", "多少钱", "怎么办", "在哪里", "什么时候"),
)
"""What visitors of every place ask with."""

_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_FIGURES = "零一二两三四五六七八九十百千万"
_NUMERALS = frozenset(_FIGURES)
"""A figure is never turned into another one, however alike they sound (四, 十), nor guessed from a like sound."""

_CUT_FIGURE = re.compile(f"[{_FIGURES}]{{2}}|(?<![周期])[{_FIGURES}]$")
"""Parts of long figures, such as telephone numbers, and figures without what they count: nobody asks with them."""


@dataclass(frozen=True, slots=True)
class _Edge:
    """One word of a reading of the run, ending at a known place."""

    start: int
    cost: float
    text: str


class HomophoneRepair:
    """Writes the terms of a place with their own characters. Holds no state between calls; any thread may call it."""

    def __init__(self, terms: tuple[str, ...]) -> None:
        """Index the terms; reads the dictionary of words, which takes a second the first time."""
        self._terms = frozenset(terms)
        self._by_sound: dict[tuple[str, ...], list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
        self._by_pair: dict[tuple[str, ...], list[tuple[str, tuple[str, ...], int]]] = defaultdict(list)
        for term in terms:
            for reading in readings_of_term(term):
                sound = tuple(map(merged, reading))
                self._by_sound[sound].append((term, reading))
                if len(term) >= MIN_SIMILAR_LENGTH:
                    for offset, pair in enumerate(itertools.pairwise(sound)):
                        self._by_pair[pair].append((term, reading, offset))
        self._beginnings = frozenset(sound[:end] for sound in self._by_sound for end in range(1, len(sound)))

    @classmethod
    def from_terms(cls, terms: Iterable[str]) -> HomophoneRepair:
        """Take the terms that can be matched: two Han characters or more, each once.

        Args:
            terms: Words and phrases of the place; of terms that sound alike the first is preferred.
        """
        fitting = (t for t in terms if 2 <= len(t) <= MAX_TERM_LENGTH and _HAN_RUN.fullmatch(t))
        return cls(tuple(dict.fromkeys(fitting)))

    @classmethod
    def from_profile(cls, profile: Profile) -> HomophoneRepair:
        """Take the terms of a profile."""
        return cls.from_terms(terms_of(profile))

    def repair(self, text: str) -> str:
        """Write the terms in a transcript as they should be. Figures, Latin letters and marks stay as they are."""
        return _HAN_RUN.sub(lambda match: self._repair_run(match[0]), text)

    def _repair_run(self, run: str) -> str:
        # What was changed is a term as written now and costs less by CHANGE_COST: the least cost falls, so this ends.
        while True:
            better = self._read(run)
            if better == run:
                return run
            run = better

    def _read(self, run: str) -> str:
        edges: dict[int, list[_Edge]] = defaultdict(list)
        for start in range(len(run)):
            for end in range(start + 1, min(len(run), start + MAX_TERM_LENGTH) + 1):
                word = run[start:end]
                if word in self._terms:
                    edges[end].append(_Edge(start, min(TERM_COST, words.rarity(word)), word))
                elif end == start + 1 or words.is_known(word):
                    edges[end].append(_Edge(start, words.rarity(word), word))
        for start, term, cost in self._heard_terms(run):
            edges[start + len(term)].append(_Edge(start, cost, term))
        best: list[tuple[float, str]] = [(0.0, "")]
        for end in range(1, len(run) + 1):
            readings = ((best[edge.start][0] + edge.cost, best[edge.start][1] + edge.text) for edge in edges[end])
            best.append(min(readings, key=operator.itemgetter(0)))  # of equal ones the first: what is written
        return best[-1][1]

    def _heard_terms(self, run: str) -> Iterator[tuple[int, str, float]]:
        """Terms that the run sounds like but does not spell: start, term, cost."""
        readings = readings_of_characters(run)
        known = _known_spans(run)
        seen = set()
        for start, term, meant in self._candidates(run, readings):
            if (start, term, meant) in seen or run.startswith(term, start):
                continue
            seen.add((start, term, meant))
            cost = _cost_of_hearing(run, start, term, meant, readings, known)
            if cost is not None:
                yield start, term, cost

    def _candidates(self, run: str, readings: list[tuple[str, ...]]) -> Iterator[tuple[int, str, tuple[str, ...]]]:
        """Start, term and its reading, wherever all sounds or two neighbouring ones are those of a term."""
        sounds = [tuple(dict.fromkeys(map(merged, choices))) for choices in readings]
        for start, choices in enumerate(sounds):
            heard: list[tuple[str, ...]] = [()]
            for more in sounds[start : start + MAX_TERM_LENGTH]:
                longer = [(*sound, last) for sound in heard for last in more]
                for sound in longer:
                    for term, meant in self._by_sound.get(sound, ()):
                        yield start, term, meant
                heard = [sound for sound in longer if sound in self._beginnings]
            for pair in itertools.product(choices, *sounds[start + 1 : start + 2]):
                for term, meant, offset in self._by_pair.get(pair, ()):
                    if 0 <= start - offset <= len(run) - len(term):
                        yield start - offset, term, meant


def terms_of(profile: Profile) -> tuple[str, ...]:
    """The terms of a profile's Chinese: expected words, then whole questions, then words and phrases of all lines."""
    text = profile.zh
    lines = (*text.suggested_questions, *(example.question for example in text.examples), *text.facts)
    # Figures in characters, as they are said: 一号柜台.
    runs = [*text.recogniser_words, *(run for line in lines for run in _HAN_RUN.findall(normalize(line, "zh")))]
    terms = [*text.recogniser_words, *EVERYDAY_TERMS, *runs]
    for run in runs:
        terms += _words_and_phrases(run)
    fitting = (term for term in terms if 2 <= len(term) <= MAX_TERM_LENGTH and not _CUT_FIGURE.search(term))
    return tuple(dict.fromkeys(fitting))


def _words_and_phrases(run: str) -> list[str]:
    cut = words.split_words(run)
    phrases = ["".join(cut[i : i + size]) for size in (2, 3) for i in range(len(cut) - size + 1)]
    return [*filter(words.is_known, cut), *(phrase for phrase in phrases if len(phrase) >= MIN_PHRASE_LENGTH)]


def _known_spans(run: str) -> list[tuple[int, int]]:
    """Where words of the dictionary lie that have two characters or more."""
    spans = []
    start = 0
    for word in words.known_words(run):
        if len(word) > 1:
            spans.append((start, start + len(word)))
        start += len(word)
    return spans


def _cost_of_hearing(
    run: str,
    start: int,
    term: str,
    meant: tuple[str, ...],
    readings: list[tuple[str, ...]],
    known: list[tuple[int, int]],
) -> float | None:
    """What it costs to take the characters from `start` for the term; None if they cannot be meant for it."""
    end = start + len(term)
    changes = _changes(run[start:end], term, meant, readings[start:end])
    if changes is None:
        return None
    degrees = list(changes.values())
    may_differ = len(term) // SYLLABLES_PER_SIMILAR if len(term) >= MIN_SIMILAR_LENGTH else 0
    if degrees.count(Likeness.SIMILAR) > may_differ or degrees.count(Likeness.NEAR) > len(term) // 2:
        return None
    cost = TERM_COST + CHANGE_COST + sum(COST_PER_CHARACTER + LIKENESS_COST[degree] for degree in degrees)
    for word_start, word_end in known:
        inside = [degree for place, degree in changes.items() if word_start <= start + place < word_end]
        if not inside:
            continue
        if word_start < start or word_end > end:
            return None
        if words.rarity(run[word_start:word_end]) < RARE:
            is_only_fault = len(inside) == len(changes) and any(d is not Likeness.SAME for d in inside)
            if is_only_fault or word_end - word_start == len(term):
                return None  # 开会需要带什么证件 is a good sentence, even if 开户 is the usual one
            cost += KNOWN_WORD_COST
    return cost


def _changes(
    written: str, term: str, meant: tuple[str, ...], readings: list[tuple[str, ...]]
) -> dict[int, Likeness] | None:
    """How alike the sounds are, at each place that is written differently; None if some cannot be confused."""
    changes: dict[int, Likeness] = {}
    for place, (is_now, wanted) in enumerate(zip(written, term, strict=True)):
        if is_now == wanted:
            continue
        degree = min((likeness(heard, meant[place]) for heard in readings[place]), key=lambda degree: degree.value)
        is_figure_guessed = wanted in _NUMERALS and degree is not Likeness.SAME
        if degree is Likeness.OTHER or is_now in _NUMERALS or is_figure_guessed:
            return None
        changes[place] = degree
    return changes
