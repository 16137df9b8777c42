"""Is what was recognised only the kiosk's own voice? The words are compared with what it was just saying."""

from __future__ import annotations

import functools
import re
from difflib import SequenceMatcher

from pypinyin import lazy_pinyin

from kiosk.dialogue.syllables import Likeness, likeness
from kiosk.normalize import normalize
from models.types import Language

MIN_SOUNDS = 4
"""Syllables or words below which a likeness may be an accident: a visitor may say 好的, too."""
SHORT_SOUNDS = 5
MIN_SHARE_OF_SHORT = 0.9
"""So much of a transcript of up to `SHORT_SOUNDS` must be found: 几号柜台 has three of four sounds of 三号柜台 …"""
MIN_SHARE = 0.65
"""… and so much of a longer one; the recogniser errs on leftover echo."""
MIN_SHARE_OF_ECHO = 0.6
DOUBTFUL_LOG_PROBABILITY = -0.6
MIN_SHARE_OF_DOUBTFUL_ECHO = 0.45
"""So much is enough if more than `SHORT_SOUNDS` were read and the recogniser hardly believes them itself."""
MAX_ECHO_SOUNDS = 10
"""Of leftover echo: some two seconds of speech, what is said until the sound is gone and what came before it."""
_BEFORE_CUT, _AFTER_CUT = 8, 14
"""Characters about the place where the sound was held: the echo of a second."""
_WORDS_BEFORE_CUT = 24
"""English takes more of them for a second, and begins with a whole word."""
_MISHEARD_FIRST = 1
"""Sounds before the first one that is the kiosk's own: the recogniser errs most where the sound begins."""
MAX_SOUNDS = 120
"""Of either text that are compared, the last ones: an echo is of what was said just now. Bounds the time, too."""
_MAX_CHARACTERS = 8 * MAX_SOUNDS
_GAP = 0.5
"""For a sound that one of the texts has alone, and for one that differs: what is scattered over an answer is none."""
_SYLLABLE_WORTH = {Likeness.SAME: 1.0, Likeness.NEAR: 0.9, Likeness.SIMILAR: 0.4, Likeness.OTHER: -_GAP}
_ALIKE_WORDS = 0.7
_HAN = re.compile(r"[\u4e00-\u9fff]")
_SOUNDS = re.compile(r"[a-z']+|[\u4e00-\u9fff]")
_QUESTION_WORDS = re.compile(
    r"吗|呢|什么|怎么|哪|几|多少|为啥|谁|能不能|可不可以|是不是"
    r"|\b(?:what|when|where|which|who|whose|why|how|is|are|do|does|can|could|may|should)\b"
)
"""Who says one of these where the kiosk did not is asking back, in the kiosk's words."""
_OBJECTIONS = re.compile(r"没|不|我[要想]|等一|\b(?:not|no|wait|but|i|my)\b|n't\b")
"""Likewise who objects; the recogniser makes such words out of nothing, too, so that they count in doubt only."""


def repeats(transcript: str, said: str) -> bool:
    """Whether a transcript is a piece of what the kiosk itself said.

    Args:
        transcript: What was recognised, Chinese or English.
        said: What the kiosk said until now, as written.
    """
    heard_text, own_text = _spoken(transcript), _spoken(said)
    heard, own = _sounds(heard_text), _sounds(own_text)
    if len(heard) < MIN_SOUNDS or _asks(heard_text, own_text):
        return False
    wanted = MIN_SHARE_OF_SHORT if len(heard) <= SHORT_SOUNDS else MIN_SHARE
    return _common(heard, own) >= wanted * len(heard)


def echoes(transcript: str, reply: str, heard: str, log_probability: float) -> bool:
    """Whether up to `MAX_ECHO_SOUNDS` sounds are what the kiosk was just saying when it fell silent.

    Stricter in place than `repeats`, and so content with less: leftover echo of a few words is read as anything.

    Args:
        transcript: What was recognised, Chinese or English.
        reply: The whole answer as far as it is known, as written.
        heard: The beginning of it that was heard when the sound was held.
        log_probability: Of the transcript, mean over the tokens, about -0.3 for clear speech.
    """
    at = len(heard)
    own_text = _spoken(reply[max(0, at - _BEFORE_CUT) : at + _AFTER_CUT])
    heard_text = _spoken(transcript)
    sounds = _sounds(heard_text)
    if not 0 < len(sounds) <= MAX_ECHO_SOUNDS or _asks(heard_text, own_text):
        return False
    is_doubtful = (
        len(sounds) > SHORT_SOUNDS
        and log_probability < DOUBTFUL_LOG_PROBABILITY
        and not _adds(_OBJECTIONS, heard_text, own_text)
    )
    wanted = MIN_SHARE_OF_DOUBTFUL_ECHO if is_doubtful else MIN_SHARE_OF_ECHO
    return _common(sounds, _sounds(own_text)) >= wanted * len(sounds)


def beyond_own_words(transcript: str, own: str, heard: str) -> str:
    """What a visitor added to the kiosk's own words: the transcript of speech over an answer may begin with both.

    Args:
        transcript: What was recognised, Chinese or English.
        own: The whole answer as far as it is known, as written.
        heard: The beginning of it that was heard when the sound was held.

    Returns:
        The rest in spoken form, without the mark at its end if nothing else is left; all of it if it does not begin
        with what the kiosk was saying.
    """
    before = _BEFORE_CUT if _HAN.search(own) else _WORDS_BEFORE_CUT
    begin = max(0, len(heard) - before)
    if begin and not _HAN.search(own):
        begin = own.find(" ", begin) + 1
    own_text = _spoken(own[begin : len(heard) + max(before, _AFTER_CUT)])
    sounds = _sounds(own_text)
    text, is_own = _spoken(transcript), False
    while _SOUNDS.search(text):  # a recogniser may write one echo twice
        pieces = list(_SOUNDS.finditer(text))[:MAX_SOUNDS]
        length = _own_beginning([_sound(piece[0]) for piece in pieces], sounds)
        end = pieces[length - 1].end() if length else 0
        if length < 1 + is_own or _asks(text[:end], own_text):
            return text if is_own else transcript
        text, is_own = text[end:], True
    return "" if is_own else transcript


def _own_beginning(heard: list[str], own: list[str]) -> int:
    """So many of the first sounds are the kiosk's own: the end of the best alignment that begins with them."""
    best, length = MIN_SHARE_OF_ECHO, 0
    above = [0.0] * (len(own) + 1)
    for number, sound in enumerate(heard):
        row = [0.0]
        for place, other in enumerate(own, 1):
            diagonal = above[place - 1]
            may_begin = number <= _MISHEARD_FIRST
            from_start = diagonal if diagonal > 0 or may_begin else -1.0
            score = max(0.0, from_start + _worth(sound, other), above[place] - _GAP, row[-1] - _GAP)
            row.append(score)
            if score > best and score >= MIN_SHARE_OF_ECHO * (number + 1 - _MISHEARD_FIRST):
                best, length = score, number + 1
        above = row
    return length


def _common(heard: list[str], own: list[str]) -> float:
    """How much of one list is found in a row in the other: the worth of the best local alignment."""
    best = 0.0
    above = [0.0] * (len(own) + 1)
    for sound in heard:
        row = [0.0]
        for place, other in enumerate(own, 1):
            score = max(0.0, above[place - 1] + _worth(sound, other), above[place] - _GAP, row[-1] - _GAP)
            row.append(score)
            best = max(best, score)
        above = row
    return best


@functools.lru_cache(maxsize=50_000)
def _worth(sound: str, other: str) -> float:
    """1 for the same sound, less for one that is easily taken for it, below 0 for another."""
    if sound == other:
        return 1.0
    is_syllable, is_other_syllable = sound[0] == "~", other[0] == "~"
    if is_syllable and is_other_syllable:
        return _SYLLABLE_WORTH[likeness(sound[1:], other[1:])]
    if is_syllable or is_other_syllable:
        return -_GAP
    ratio = SequenceMatcher(None, sound, other, autojunk=False).ratio()
    return ratio if ratio >= _ALIKE_WORDS else -_GAP


def _asks(heard: str, own: str) -> bool:
    return _adds(_QUESTION_WORDS, heard, own)


def _adds(words: re.Pattern[str], heard: str, own: str) -> bool:
    """One of these words is heard more often than it was said."""
    heard_words, own_words = words.findall(heard), words.findall(own)
    return any(heard_words.count(word) > own_words.count(word) for word in set(heard_words))


def _spoken(text: str) -> str:
    language: Language = "zh" if _HAN.search(text) else "en"
    return normalize(text[-_MAX_CHARACTERS:], language).lower()


def _sounds(spoken: str) -> list[str]:
    """Syllables without tones for Chinese, with a mark before them, and words for English."""
    return [_sound(piece) for piece in _SOUNDS.findall(spoken)[-MAX_SOUNDS:]]


def _sound(piece: str) -> str:
    return "~" + lazy_pinyin(piece)[0] if _HAN.match(piece) else piece
