"""Chinese words found by their sound, because a recogniser writes them with whatever characters sound alike."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from pypinyin import lazy_pinyin

from kiosk.dialogue.syllables import merged

_PIECE = re.compile(r"[\u3400-\u9fff]+|[A-Za-z]+|\d")
_HAN = re.compile(r"[\u3400-\u9fff]+")
GAP = 8
"""Syllables that may stand where a phrase has a star."""


def as_sound(text: str) -> str:
    """The syllables of a text without tones and without what careless speakers do not keep apart, between spaces.

    Latin words stay, in lower case, and figures one by one; marks go.
    """
    sounds: list[str] = []
    for piece in _PIECE.findall(text):
        sounds += map(merged, _syllables(piece)) if _HAN.match(piece) else [piece.lower()]
    return f" {' '.join(sounds)} "


@functools.cache
def phrase(words: str) -> re.Pattern[str]:
    """A pattern for `as_sound`: the sound of the words; a star stands for up to `GAP` syllables."""
    gap = rf"(?: \S+){{0,{GAP}}}"
    return re.compile(gap.join(re.escape(as_sound(part).rstrip()) for part in words.split("*")) + "(?= )")


def says(sound: str, phrases: Iterable[str]) -> bool:
    """Whether one of the phrases is heard in a sound made by `as_sound`."""
    return any(phrase(words).search(sound) for words in phrases)


def respell(text: str, terms: tuple[str, ...]) -> str:
    """Write terms with their own characters where only their sound is there: 武月 becomes 五月.

    What is spelled rightly stays and is never taken apart: 是一月 does not become 十一月.

    Args:
        text: Written form.
        terms: Two Han characters or more each.
    """
    spelled = re.compile("|".join(map(re.escape, sorted(terms, key=len, reverse=True))))
    pieces, place = [], 0
    for match in spelled.finditer(text):
        pieces += [_respell(text[place : match.start()], terms), match[0]]
        place = match.end()
    return "".join([*pieces, _respell(text[place:], terms)])


def _respell(text: str, terms: tuple[str, ...]) -> str:
    return _HAN.sub(lambda match: _respell_run(match[0], terms), text)


def _respell_run(run: str, terms: tuple[str, ...]) -> str:
    by_sound, longest = _index(terms)
    sounds = [merged(syllable) for syllable in _syllables(run)]
    result, place = "", 0
    while place < len(run):
        for length in range(min(longest, len(run) - place), 1, -1):
            term = by_sound.get(tuple(sounds[place : place + length]))
            if term is not None:
                result, place = result + term, place + length
                break
        else:
            result, place = result + run[place], place + 1
    return result


@functools.cache
def _index(terms: tuple[str, ...]) -> tuple[dict[tuple[str, ...], str], int]:
    index: dict[tuple[str, ...], str] = {}
    for term in terms:
        index.setdefault(tuple(map(merged, _syllables(term))), term)
    return index, max(map(len, terms))


def _syllables(run: str) -> list[str]:
    syllables: list[str] = lazy_pinyin(run)
    return syllables if len(syllables) == len(run) else [str(lazy_pinyin(c)[0]) for c in run]
