"""Repair of recognised Chinese by the whole question: one word, heard too badly to be known by its sound alone.

费款找谁办理 is 贷款找谁办理 but for one word, and that one is in no dictionary. Where all the rest is a question of
this place to the letter, a word may be meant that only resembles what was heard.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from kiosk.dialogue import words
from kiosk.dialogue.same_question import manners_before
from kiosk.dialogue.syllables import Likeness, is_blurred, likeness, readings_of_characters, readings_of_term, rhymes
from kiosk.profile import Profile

WORD_LENGTHS = (2, 3)
"""Characters of a word that may be misheard; in a single one there is too little left to know it by."""
MIN_REST = 3
"""Characters of the question that were heard as they should be (在哪里); fewer fit any word (我想, 怎么)."""
MIN_REST_OF_BLURRED = 4
"""The same, if two syllables of the word are wrong: 找谁办理 says more than 在哪里."""

_SURNAMES = frozenset(
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪"
    "田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文"
)
_BEFORE_NAMES = frozenset("小老阿")
_POINTING = frozenset("这那哪该此每各某本其我你您他她它咱不没")
"""What makes sense before any noun (该款, 这所) and is no word with it."""
_FIGURES = frozenset("零一二两三四五六七八九十百千万几")
"""Never changed nor guessed: 四号 is no mishearing of 十号."""
_STAYS_BEFORE = _SURNAMES | _BEFORE_NAMES | _POINTING
"""With a character after these the heard word is a name or good sense, though in no dictionary."""

_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_LAST_PARTICLES = re.compile(r"[啊呀呢哦啦嘛]+$")


class QuestionRepair:
    """Puts one misheard word of a known question right. Holds no state between calls; any thread may call it."""

    def __init__(self, questions: Iterable[str]) -> None:
        """Index the words of the questions; reads the dictionary of words, which takes a second the first time.

        Args:
            questions: Chinese questions as they are asked, written form.
        """
        self._questions = frozenset(bare for question in questions for bare in _bare_questions(question))
        self._by_rest: dict[tuple[str, str], set[str]] = defaultdict(set)
        for question in self._questions:
            for start, word in _words_that_matter(question):
                self._by_rest[question[:start], question[start + len(word) :]].add(word)

    @classmethod
    def from_profile(cls, profile: Profile, questions: Iterable[str] = ()) -> QuestionRepair:
        """Take the questions of a profile's Chinese.

        Args:
            profile: Gives suggested questions and those of the examples.
            questions: Others that visitors ask, as those of the approved answers.
        """
        text = profile.zh
        return cls((*text.suggested_questions, *(example.question for example in text.examples), *questions))

    def repair(self, text: str) -> str:
        """Put the word right in each clause that is a known question but for it; all else stays as it is."""
        return _HAN_RUN.sub(self._repaired_run, text)

    def _repaired_run(self, match: re.Match[str]) -> str:
        run = match[0]
        start = manners_before(run)
        end = len(_LAST_PARTICLES.sub("", run))
        bare = run[start:end]
        if bare in self._questions:
            return run
        is_first = match.start() + start == 0
        meant = set(self._meant(bare, is_first=is_first))
        return run[:start] + meant.pop() + run[end:] if len(meant) == 1 else run

    def _meant(self, bare: str, *, is_first: bool) -> Iterator[str]:
        """Known questions that differ from this one by a word that it may stand for."""
        for length in WORD_LENGTHS:
            for start in range(len(bare) - length + 1):
                before, heard, after = bare[:start], bare[start : start + length], bare[start + length :]
                may_lack_onset = is_first and start == 0
                for word in self._by_rest.get((before, after), ()):
                    is_like = len(word) == length and _may_be(heard, word, len(before + after), may_lack_onset)
                    if is_like and _is_nonsense(bare, start, word):
                        yield before + word + after


def _bare_questions(question: str) -> Iterator[str]:
    """The runs of characters in a question, without manners and particles."""
    for run in _HAN_RUN.findall(question):
        yield _LAST_PARTICLES.sub("", run[manners_before(run) :])


def _words_that_matter(question: str) -> Iterator[tuple[int, str]]:
    """The words of a question that can be misheard and found again: start, word."""
    start = 0
    for word in words.split_words(question):
        is_fitting = len(word) in WORD_LENGTHS and len(question) - len(word) >= MIN_REST
        if is_fitting and not _FIGURES.intersection(word):
            yield start, word
        start += len(word)


def _may_be(heard: str, word: str, rest: int, may_lack_onset: bool) -> bool:
    """Whether what was heard resembles the word enough.

    Args:
        heard: As many characters as the word has.
        word: Of a known question.
        rest: Characters of the question beside the word.
        may_lack_onset: The word is the first that was heard; a microphone that opens late cuts its onset off.
    """
    if heard[0] in _STAYS_BEFORE or _FIGURES.intersection(heard):
        return False
    readings = readings_of_characters(heard)
    return any(
        _sounds_like(readings, meant, rest >= MIN_REST_OF_BLURRED)
        or (may_lack_onset and _lacks_onset(readings, meant))
        for meant in readings_of_term(word)
    )


def _sounds_like(readings: list[tuple[str, ...]], meant: tuple[str, ...], may_be_blurred: bool) -> bool:
    """One syllable at most may be no more than similar, or two that are at least blurred forms of the right ones."""
    vague = 0
    blurred = 0
    for choices, syllable in zip(readings, meant, strict=True):
        degrees = {likeness(heard, syllable) for heard in choices}
        if degrees.isdisjoint((Likeness.SAME, Likeness.NEAR)):
            if Likeness.SIMILAR not in degrees:
                return False
            vague += 1
            blurred += any(is_blurred(heard, syllable) for heard in choices)
    return vague <= 1 or (may_be_blurred and vague == blurred == 2)


def _lacks_onset(readings: list[tuple[str, ...]], meant: tuple[str, ...]) -> bool:
    """The first syllable rhymes with the right one and the others are the right ones."""
    others_same = all(syllable in choices for choices, syllable in zip(readings[1:], meant[1:], strict=True))
    return others_same and any(rhymes(heard, meant[0]) for heard in readings[0])


def _is_nonsense(bare: str, start: int, word: str) -> bool:
    """Whether no word of the dictionary lies where another word would be written."""
    heard = bare[start : start + len(word)]
    if words.is_known(heard):
        return False
    changed = [start + i for i, (is_now, wanted) in enumerate(zip(heard, word, strict=True)) if is_now != wanted]
    place = 0
    for known in words.known_words(bare):
        end = place + len(known)
        if len(known) > 1 and any(place <= i < end for i in changed):
            return False
        place = end
    return True
