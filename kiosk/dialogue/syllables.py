"""Mandarin syllables without tones, and how easily one is taken for another."""

from __future__ import annotations

import enum
import functools
import itertools
import re

from pypinyin import lazy_pinyin

_INITIAL = re.compile(r"zh|ch|sh|[bpmfdtnlgkhjqxzcsryw]")
_MERGED_INITIALS = {"zh": "z", "ch": "c", "sh": "s", "l": "n", "f": "h"}
"""What southern speakers, and a recogniser that listens to them, do not keep apart."""
_CLASSES = ("ptk", "bdg", "zcsjqxr", "mn")
"""Initials of one manner, after merging: the same hiss, burst or hum from another place of the mouth."""
_NEIGHBOURING_FINALS = {"ei": "ai", "ui": "uai", "en": "an", "un": "uan", "in": "ian", "ou": "ao", "iu": "iao"}
"""Finals that differ by the height of their vowel alone, the lower one second."""
_EVERYDAY_READINGS = {
    **{"行": ("xing", "hang"), "长": ("chang", "zhang"), "重": ("zhong", "chong"), "还": ("hai", "huan")},
    **{"得": ("de", "dei"), "都": ("dou", "du"), "率": ("lv", "shuai"), "乐": ("le", "yue"), "调": ("diao", "tiao")},
    **{"数": ("shu", "shuo"), "觉": ("jue", "jiao"), "和": ("he", "huo"), "便": ("bian", "pian")},
    **{
        "谁": ("shui", "shei"),
        "角": ("jiao", "jue"),
        "会": ("hui", "kuai"),
        "哪": ("na", "nei"),
        "这": ("zhe", "zhei"),
    },
}
"""Characters with several readings in daily use; the list of all readings in dictionaries is far too generous."""
MAX_READINGS = 8
"""Of one term; more are combinations that nobody says."""


class Likeness(enum.Enum):
    """How one syllable sounds beside another."""

    SAME = enum.auto()
    """Tones apart, the same."""
    NEAR = enum.auto()
    """Kept apart by careful speakers only: zh/z, ch/c, sh/s, n/l, h/f, -n/-ng."""
    SIMILAR = enum.auto()
    """The same initial, or the same final after an initial of the same manner."""
    OTHER = enum.auto()
    """Not to be confused."""


def readings_of_characters(text: str) -> list[tuple[str, ...]]:
    """The readings of each character of a text: as in its words, alone, and others in daily use.

    Args:
        text: Han characters only.
    """
    return [
        tuple(dict.fromkeys((reading, _alone(character), *_EVERYDAY_READINGS.get(character, ()))))
        for character, reading in zip(text, _in_words(text), strict=True)
    ]


def readings_of_term(term: str) -> tuple[tuple[str, ...], ...]:
    """The ways to say a term, the likeliest first: one tuple of syllables each."""
    choices = [
        tuple(dict.fromkeys((reading, *_EVERYDAY_READINGS.get(character, ()))))
        for character, reading in zip(term, _in_words(term), strict=True)
    ]
    return tuple(itertools.islice(itertools.product(*choices), MAX_READINGS))


@functools.cache
def merged(syllable: str) -> str:
    """The syllable with every `NEAR` difference taken away."""
    initial, final = parts(syllable)
    return _MERGED_INITIALS.get(initial, initial) + final.replace("ng", "n")


@functools.cache
def parts(syllable: str) -> tuple[str, str]:
    """Initial (perhaps empty) and final."""
    match = _INITIAL.match(syllable)
    initial = match[0] if match else ""
    return initial, syllable[len(initial) :]


@functools.cache
def likeness(heard: str, meant: str) -> Likeness:
    """Compare two syllables without tones."""
    if heard == meant:
        return Likeness.SAME
    if merged(heard) == merged(meant):
        return Likeness.NEAR
    (initial, final), (other_initial, other_final) = parts(merged(heard)), parts(merged(meant))
    if initial and initial == other_initial:
        return Likeness.SIMILAR
    of_one_manner = any(
        initial in group and other_initial in group for group in _CLASSES if initial and other_initial
    )
    return Likeness.SIMILAR if final == other_final and of_one_manner else Likeness.OTHER


@functools.cache
def rhymes(heard: str, meant: str) -> bool:
    """Do they end alike, whatever they begin with? A little more or less open counts as alike."""
    return _open_final(heard) == _open_final(meant)


@functools.cache
def is_blurred(heard: str, meant: str) -> bool:
    """Do they begin alike, while the vowel is a little more or less open or lacks its end: da or dei for dai?"""
    one, other = _open_final(heard), _open_final(meant)
    return parts(merged(heard))[0] == parts(merged(meant))[0] and (one.startswith(other) or other.startswith(one))


def _open_final(syllable: str) -> str:
    final = parts(merged(syllable))[1]
    return _NEIGHBOURING_FINALS.get(final, final)


def _in_words(text: str) -> list[str]:
    syllables: list[str] = lazy_pinyin(text)
    if len(syllables) == len(text):
        return syllables
    return [_alone(character) for character in text]  # characters that pypinyin does not know come out in one piece


@functools.cache
def _alone(character: str) -> str:
    return str(lazy_pinyin(character)[0])
