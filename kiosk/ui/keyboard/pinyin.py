"""Pinyin input: typed letters → candidates. Pure Python, no Qt, no thread of its own.

A candidate covers the first syllables of what was typed; choosing it uses them up. Syllables may be typed whole
(yinhang), in part (yinh) or by their first letters (yh).
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kiosk.errors import ConfigError
from kiosk.paths import RESOURCES

LEXICON = RESOURCES / "ime" / "pinyin.tsv"
"""Lines of syllables, word and frequency; made by `build_lexicon`."""
_LONGEST_INPUT = 40
"""Letters; more than a sentence of this length is easier to choose in parts."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One word of the lexicon."""

    word: str
    syllables: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposal and how many typed letters it uses up."""

    text: str
    letters: int


class Lexicon:
    """The words, found by the first letters of their syllables."""

    def __init__(self, entries: list[Entry]) -> None:
        self.by_initials: dict[str, list[Entry]] = defaultdict(list)
        self.exact: dict[tuple[str, ...], Entry] = {}
        for entry in sorted(entries, key=lambda e: -e.count):
            self.by_initials["".join(s[0] for s in entry.syllables)].append(entry)
            self.exact.setdefault(entry.syllables, entry)
        self.syllables = frozenset(e.syllables[0] for e in entries if len(e.syllables) == 1)
        self.prefixes = frozenset(s[:n] for s in self.syllables for n in range(1, len(s) + 1))
        self.total = sum(e.count for e in entries)


@lru_cache(maxsize=2)
def load_lexicon(path: Path = LEXICON) -> Lexicon:
    """Read the lexicon once.

    Raises:
        ConfigError: The file is missing or damaged.
    """
    entries = []
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            syllables, word, count = line.split("\t")
            entries.append(Entry(word, tuple(syllables.split(" ")), int(count)))
    except (OSError, ValueError) as error:
        raise ConfigError("bad-lexicon", f"{path}: cannot be read ({error}); install the program again") from error
    return Lexicon(entries)


class Composer:
    """What has been typed and not yet chosen."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._typed = ""

    @property
    def typed(self) -> str:
        """The letters, without separators."""
        return self._typed

    @property
    def shown(self) -> str:
        """The letters split into syllables."""
        return "'".join(self._split(self._typed))

    def type(self, letter: str) -> None:
        """Add one letter a-z; others and letters past the limit are ignored."""
        if len(self._typed) < _LONGEST_INPUT and letter.isascii() and letter.isalpha():
            self._typed += letter.lower()

    def delete(self) -> bool:
        """Take back the last letter; False when there was none."""
        had = bool(self._typed)
        self._typed = self._typed[:-1]
        return had

    def clear(self) -> None:
        """Forget everything typed."""
        self._typed = ""

    def choose(self, candidate: Candidate) -> str:
        """Use up the candidate's letters; gives its text."""
        self._typed = self._typed[candidate.letters :]
        return candidate.text

    def candidates(self, limit: int = 40) -> list[Candidate]:
        """Proposals, the most likely first: the whole input as a sentence, then words, then single characters."""
        parts = self._split(self._typed)
        found: dict[str, Candidate] = {}
        if len(parts) > 1:
            sentence = self._sentence(parts)
            if sentence:
                found[sentence] = Candidate(sentence, len(self._typed))
        for length in range(len(parts), 0, -1):
            letters = sum(map(len, parts[:length]))
            for entry in self._matches(tuple(parts[:length]), open_end=length == len(parts)):
                found.setdefault(entry.word, Candidate(entry.word, letters))
                if len(found) >= limit:
                    return list(found.values())
        return list(found.values())

    def _matches(self, parts: tuple[str, ...], *, open_end: bool) -> list[Entry]:
        """Words for the syllables, exact ones first; an unfinished syllable matches every longer one."""
        exact, partial = [], []
        for entry in self._lexicon.by_initials.get("".join(p[0] for p in parts), ()):
            if entry.syllables == parts:
                exact.append(entry)
            elif all(
                typed == whole
                or (whole.startswith(typed) and (typed not in self._lexicon.syllables or (open_end and at_end)))
                for typed, whole, at_end in zip(
                    parts, entry.syllables, [False] * (len(parts) - 1) + [True], strict=True
                )
            ):
                partial.append(entry)
        return exact + partial

    def _split(self, letters: str) -> list[str]:
        """Split into as few parts as possible, preferring whole syllables over unfinished ones."""
        lexicon = self._lexicon
        best: list[tuple[float, list[str]]] = [(0.0, [])]
        for end in range(1, len(letters) + 1):
            options = []
            for start in range(max(0, end - 6), end):
                part = letters[start:end]
                if part in lexicon.syllables:
                    cost = 1.0
                elif part in lexicon.prefixes:
                    cost = 1.6 if end == len(letters) else 2.2
                else:
                    cost = 9.0 * len(part)
                options.append((best[start][0] + cost, [*best[start][1], part]))
            best.append(min(options, key=lambda option: (option[0], [-len(p) for p in option[1]])))
        return best[-1][1]

    def _sentence(self, parts: list[str]) -> str:
        """The most likely row of words for whole syllables (unigram model); "" where a part has no word."""
        best: list[tuple[float, str]] = [(0.0, "")]
        for end in range(1, len(parts) + 1):
            options = []
            for start in range(max(0, end - 5), end):
                words = self._matches(tuple(parts[start:end]), open_end=end == len(parts))[:1]
                if words and best[start][0] > -math.inf:
                    weight = math.log(words[0].count / self._lexicon.total)
                    options.append((best[start][0] + weight, best[start][1] + words[0].word))
            best.append(max(options) if options else (-math.inf, ""))
        return best[-1][1]
