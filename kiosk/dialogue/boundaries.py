"""Where a clause may end."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from kiosk.dialogue.pieces import Piece
from kiosk.dialogue.words import split_words
from models.types import Language


@dataclass(frozen=True, slots=True)
class _Lengths:
    """Sizes of clauses in units: Chinese characters, or words in English."""

    first_min: int
    """The first clause may end at a comma from here on."""
    later_min: int
    """Later clauses may."""
    first_max: int
    """A first clause that is longer is cut without a mark."""
    later_max: int
    """So is a later one."""
    rest: int
    """A cut without a mark leaves at least this much behind it."""


_LENGTHS: dict[Language, _Lengths] = {
    "zh": _Lengths(first_min=4, later_min=14, first_max=12, later_max=40, rest=3),
    "en": _Lengths(first_min=3, later_min=8, first_max=8, later_max=18, rest=3),
}
_LONGEST_UNBROKEN = 500
"""Characters without any place to cut: longer than an address; then the cut comes anywhere."""

_ENDS_NOW = "。！？；\n"
_OPENING = "“「『（(【《["
_CLOSING = "”」』）)】》]"
_HAN = "\u3400-\u9fff"
_SENTENCE_END = re.compile(rf"([.!?;…。！？；]+)([{re.escape(_CLOSING)}\"'’]*)(\s*)(\S)$")
_SOFT_END = re.compile(r"([，,、：:—]+)([”\"’')）」]*)(\s*)(\S)$")
_NEVER_ENDS = re.compile(
    r"(?:^|[\s(\"'/-])(?:[A-Z]|Dr|Mr|Mrs|Ms|Prof|St|No|Nos|vs|e\.g|i\.e|approx|Fig|Gen|Rev|Sen|Gov|Capt|Sgt|Lt|Jan|Feb|Mar|Apr|"
    r"Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Tel|tel|ext|Ext|Ph\.D|U\.S|U\.K|U\.N)\.$"
)
_BEFORE_A_NUMBER = re.compile(
    r"(?:^|[^A-Za-z])(?:nos?|pp?|vol|art|para|fig|approx|est|min|max|acct|ref)$", re.IGNORECASE
)
_RISKY = re.compile(r"[0-9０-９A-Za-z%％¥￥$€£.,:：+\-–—~～/@_#*=×²³°℃&'’\"|]")
_CONNECTIVES_ZH = frozenset(
    "并且 并 而且 而 以及 或者 但是 但 因为 所以 如果 同时 然后 还 也 可以 需要 请 才 就".split()
)
_PARTICLES_ZH = frozenset("了 是 后 时 着 过".split())
_PHRASE_OPENERS_EN = frozenset("from to at on in by with for and but or because so if when where which until".split())
"""The voice may pause before these: an English answer that has begun need not wait for its comma."""
_UNMISTAKABLE_EN = frozenset("from because until which".split())
"""Hardly any longer word begins with these: no need to wait for the space behind them."""
_MIN_OPENING_WORDS = 5
"""Words before such a pause, so that the first clause is no stump."""
_CONNECTIVES_EN = frozenset(
    "and but or which that because when if while where who so then before after until with for".split()
)


def outline(piece: Piece) -> str:
    """One character that stands for a piece where clauses are cut."""
    if len(piece.written) == 1:
        return piece.written
    if not piece.speakable:
        return "\u00a7"
    return "。" if piece.speakable[-1] in "。." else "0"


class Boundaries:
    """Decides where the clause at the head of a growing text ends. Keeps no state."""

    def __init__(self, language: Language) -> None:
        self._language: Language = language
        self._lengths = _LENGTHS[language]

    def find(self, text: str, *, is_first: bool) -> int:
        """Where the clause ends, given everything read since the last cut; called after each piece.

        Args:
            text: The outline of the pieces, from where the last clause ended.
            is_first: The clause would be the reply's first.

        Returns:
            Number of pieces in the clause; 0 while that is open.
        """
        if len(text) > _LONGEST_UNBROKEN:
            return len(text)
        if len(text) <= self._lengths.first_max and text[-1].isalnum() and text[-2:-1].isalnum():
            return 0
        units = self.units(text)
        longest = self._lengths.first_max if is_first else self._lengths.later_max
        shortest = self._lengths.first_min if is_first else self._lengths.later_min
        if units <= longest and self._is_open(text):
            return 0
        end = self._sentence_end(text)
        if not end:
            end = self._soft_end(text)
            if end and self.units(text[:end]) < shortest:
                end = 0
        if not end and is_first and self._language == "en":
            end = self._phrase_end(text)
        if end:
            return end
        if units <= longest + self._lengths.rest or re.search(r"[A-Za-z0-9]{2}$", text):
            return 0
        return self._forced(text, longest)

    def units(self, text: str) -> int:
        """Length in Chinese characters, three Latin letters or digits for one; or in words."""
        han = len(re.findall(rf"[{_HAN}]", text))
        if self._language == "en":
            return len(re.findall(r"[A-Za-z0-9][^\s]*", text)) + (han + 1) // 2
        return han + (len(re.findall(r"[A-Za-z0-9]", text)) + 2) // 3

    @staticmethod
    def _is_open(text: str) -> bool:
        """Whether a bracket or a quotation is open at the end."""
        depth = 0
        for char in text:
            if char in _OPENING:
                depth += 1
            elif char in _CLOSING:
                depth = max(0, depth - 1)
        return depth > 0 or text.count('"') % 2 == 1

    @staticmethod
    def _sentence_end(text: str) -> int:
        if text[-1] in _ENDS_NOW or (text[-1] in _CLOSING and text[-2:-1] in tuple("。！？")):
            return len(text)
        match = _SENTENCE_END.search(text, max(0, len(text) - 40))
        if not match:
            return 0
        marks, _, space, following = match.groups()
        end = match.start(4)
        chinese = re.match(rf"[{_HAN}“「（]", following)
        if not space and not chinese:
            return 0
        if "." in marks or "…" in marks:
            if following.islower() and following.isascii():
                return 0
            if marks == "." and _NEVER_ENDS.search(text[: match.end(1)]):
                return 0
            if marks == "." and following.isdigit() and _BEFORE_A_NUMBER.search(text[: match.start()]):
                return 0
            if marks == "." and not space and text[match.start() - 1 : match.start()].isdigit():
                return 0
        return end

    @staticmethod
    def _soft_end(text: str) -> int:
        if text[-1] == "，" and not text[-2:-1].isdigit():
            return len(text)
        match = _SOFT_END.search(text, max(0, len(text) - 20))
        if not match:
            return 0
        marks, _, space, following = match.groups()
        if _RISKY.match(following) and not (following.isalpha() and (space or marks in "、：")):
            return 0
        if marks[-1] in ",:" and not space and following.isascii():
            return 0
        before = text[match.start() - 1 : match.start()]
        if marks[-1] in "、：:" and before.isdigit():
            return 0
        return match.start(4)

    def _phrase_end(self, text: str) -> int:
        """Before a preposition or conjunction that has just been completed, if enough words and no figure or
        abbreviation are before it.
        """
        match = re.search(r"(?<=[A-Za-z'] )([A-Za-z]+)(\s?)$", text)
        if match is None or match[1].lower() not in (_PHRASE_OPENERS_EN if match[2] else _UNMISTAKABLE_EN):
            return 0
        before = text[: match.start()]
        if self.units(before) < _MIN_OPENING_WORDS or "." in before or re.search(r"\d", before[-12:]):
            return 0
        return match.start()

    def _forced(self, text: str, longest: int) -> int:
        """A place inside a clause that is too long: after a mark, before a connective, between two words."""
        best, best_rank = 0, 0
        for end, rank in self._word_ends(text):
            units = self.units(text[:end])
            if units < longest // 2 or units > longest:
                continue
            if rank >= best_rank:
                best, best_rank = end, rank
        return best

    def _word_ends(self, text: str) -> list[tuple[int, int]]:
        """Ends of words with their fitness, 1 to 3, leaving out those that would change how a number reads."""
        ends: list[tuple[int, int]] = []
        if self._language == "en":
            for match in re.finditer(r"\s+(?=([A-Za-z']+))", text):
                around = text[max(0, match.start() - 12) : match.end() + 12]
                if re.search(r"\d", around) or _NEVER_ENDS.search(text[: match.start()]):
                    continue
                ends.append((match.end(), 2 if match[1].lower() in _CONNECTIVES_EN else 1))
            return ends
        position = 0
        words = split_words(text)
        for word, following in itertools.pairwise(words):
            position += len(word)
            if re.search(r"[0-9０-９]", text[max(0, position - 3) : position + 6]):
                continue
            if _RISKY.match(text[position - 1]) and _RISKY.match(text[position]):
                continue
            if text[position] in "，。、；：！？”’」』）)】》" or text[position - 1] in _OPENING:
                continue
            rank = 3 if following in _CONNECTIVES_ZH else 2 if word in _PARTICLES_ZH else 1
            ends.append((position, rank))
        return ends
