"""What a Whisper hypothesis must pass before anybody answers it: pure text rules, no network.

Whisper was trained on subtitles. Over silence, noise or music it tends to give subtitle credits, its own prompt, or
one phrase again and again. Each rule here refuses or repairs one of these.
"""

from __future__ import annotations

import functools
import re
import unicodedata
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import opencc

from models.asr.prompts import Prompt
from models.types import Language

NO_SPEECH_PROBABILITY = 0.6
"""Above this the network doubts that anybody spoke; OpenAI's own threshold."""
NO_SPEECH_LOG_PROBABILITY = -0.8
"""The doubt counts only if the text is unsure as well: soft real speech is doubted, too, but read with confidence."""
NO_SPEECH_SLOPE = 1.6
"""The greater the doubt, the surer the text has to be: -0.16 at full doubt. Noise with a prompt of terms gives single
terms at -0.46..-0.7 with a doubt of 0.85 and more; real questions reach a doubt of 0.71 at -0.2."""
MIN_TERM_LOG_PROBABILITY = -0.3
"""What a doubted text must reach that is nothing but a term of the prompt: noise is read as one of them at -0.46."""
MIN_SHORT_LOG_PROBABILITY = -0.55
"""The same for a word or two: primed with short answers, a tune is read as 贷款 at -0.6, a "yes" at -0.1."""
UNSURE_LOG_PROBABILITY = -0.5
"""Clear speech lies around -0.3; stock phrases below this are taken for inventions."""
MIN_LOG_PROBABILITY = -1.3
"""Below this the words are guesses; the worst real clip measured lies at -1.06, music read as "Oh, yeah." at -1.6."""
MAX_COMPRESSION_RATIO = 2.4
"""Text that zlib packs better than this is a loop; OpenAI's own threshold."""
MIN_COMPRESSIBLE_BYTES = 80
"""Shorter texts do not pack at all, so that the ratio says nothing."""
MAX_TOKEN_REPEATS = 6
"""One word or character more often in a row than this is a decoding loop."""
MAX_PHRASE_REPEATS = 2
"""The same for a phrase of two units or more: people repeat themselves once, loops do it without end."""
MAX_PHRASE_UNITS = 16
"""The longest phrase that is looked for in loops, words or Chinese characters."""
MAX_FOREIGN_SHARE = 0.2
"""A larger share of letters in scripts that nobody configured means that the words are not what was said."""
MIN_ECHO_UNITS: dict[Language, int] = {"zh": 6, "en": 5}
"""The shortest stretch of the prompt, characters or words, whose return is taken for an echo."""
MIN_ECHO_SHARE = 0.8
"""Less of the text than this from the prompt, and the rest makes it a question: 跨行转账手续费 + 是多少 is 0.7."""

_CREDITS = re.compile(
    r"amara\.org|字幕(?:由|组|組|志愿者|製作|制作|by)|by索兰娅|明镜与点点|优优独播剧场"
    r"|点赞.{0,4}订阅|订阅.{0,6}(?:转发|打赏|频道)|(?:谢谢|感谢)(?:您的|大家的?)?(?:观看|收看|收听)"
    r"|(?:thanks?|thank you)(?: you)?(?: so much| very much)? for (?:watching|listening)"
    r"|(?:please|don't forget to) (?:like|subscribe)|subtitles? (?:by|created)|transcri(?:bed|ption) by"
    r"|www\.\S+\.(?:com|org|net)",
    re.IGNORECASE,
)
"""Credits of films and channels. Nobody says them to a kiosk, whatever the confidence."""
_STOCK = frozenset(
    (
        *("you", "thank you", "thanks", "bye", "bye bye", "so", "the", "oh", "okay", "hmm", "uh"),
        *("嗯", "啊", "哦", "谢谢大家", "谢谢", "好", "好的", "我们下期再见", "下期再见", "再见", "点点"),
    )
)
"""Phrases that silence turns into; real ones are recognised with confidence."""
_SENTENCE_END = re.compile(r"(?<=[。！？])\s*|(?<=[.!?])\s+")
_SPECIAL_TOKEN = re.compile(r"<\|[^|]*\|>")
_UNIT = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+(?:'\w+)?")
_FULL_WIDTH_LETTERS = {
    code: code - 0xFEE0 for block in ("０９", "ａｚ", "ＡＺ") for code in range(ord(block[0]), ord(block[1]) + 1)
}
_CHINESE_MARKS = str.maketrans({"?": "？", ",": "，", "!": "！", ":": "：", ";": "；"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """What the decoder gave for one window of sound."""

    text: str
    """As decoded."""
    average_log_probability: float
    """Mean over the tokens."""
    no_speech_probability: float
    """0..1."""


def clean(hypothesis: Hypothesis, language: Language, prompt: Prompt, *, is_short: bool = False) -> str:
    """Give the words that were really said, or nothing.

    Args:
        hypothesis: Of the decoder.
        language: The text is in.
        prompt: What the decoder was primed with.
        is_short: The sound is a word or two, primed with short answers: then the decoder has to be surer.

    Returns:
        Tidy text, Chinese in Simplified characters; empty if there is nothing to answer.
    """
    text = tidy(hypothesis.text, language)
    log_probability = hypothesis.average_log_probability
    least = MIN_SHORT_LOG_PROBABILITY if is_short else MIN_LOG_PROBABILITY
    if log_probability < least or is_doubtful(hypothesis):
        return ""
    is_doubted = hypothesis.no_speech_probability > NO_SPEECH_PROBABILITY
    if is_doubted and log_probability < MIN_TERM_LOG_PROBABILITY and is_term(text, prompt):
        return ""
    text = cut_loops(drop_credits(text))
    foreign = foreign_share(text)
    if foreign > MAX_FOREIGN_SHARE:
        return ""
    if foreign:
        text = "".join(c for c in text if not is_foreign(c))
    if log_probability < UNSURE_LOG_PROBABILITY and _plain(text) in _STOCK:
        return ""
    if is_compressible(text) or is_echo(text, prompt, language):
        return ""
    return text.strip() if units(text) else ""


def is_doubtful(hypothesis: Hypothesis) -> bool:
    """Does the network doubt that anybody spoke, and is the text not sure enough to outweigh that?"""
    doubt = hypothesis.no_speech_probability - NO_SPEECH_PROBABILITY
    return doubt > 0 and hypothesis.average_log_probability < NO_SPEECH_LOG_PROBABILITY + NO_SPEECH_SLOPE * doubt


def tidy(text: str, language: Language) -> str:
    """Simplified characters, no special tokens or broken characters, Chinese marks after Chinese characters."""
    text = _SPECIAL_TOKEN.sub("", text).replace("\ufffd", "").translate(_FULL_WIDTH_LETTERS)
    if language == "zh":
        text = _simplifier().convert(text)
        text = re.sub(r"(?<=[\u3400-\u9fff])[?,!:;]+", lambda m: m[0].translate(_CHINESE_MARKS), text)
    return re.sub(r"\s+", " ", text).strip()


def units(text: str) -> list[str]:
    """The words of a text, a Chinese character counting as one, in lower case and without marks."""
    return _UNIT.findall(text.lower())


def cut_loops(text: str) -> str:
    """Keep one of a word or phrase that comes again and again in a row."""
    spans = [match.span() for match in _UNIT.finditer(text)]
    words = [text[a:b].lower() for a, b in spans]
    for size in range(1, MAX_PHRASE_UNITS + 1):
        allowed = MAX_TOKEN_REPEATS if size == 1 else MAX_PHRASE_REPEATS
        start = 0
        while start + size * (allowed + 1) <= len(words):
            phrase = words[start : start + size]
            count = 1
            while words[start + count * size : start + (count + 1) * size] == phrase:
                count += 1
            if count > allowed and not all(word.isdigit() for word in phrase):
                end_of_first, end_of_last = spans[start + size - 1][1], spans[start + count * size - 1][1]
                return cut_loops(text[:end_of_first] + text[end_of_last:])
            start += 1
    return text


def drop_credits(text: str) -> str:
    """Leave out whole sentences that are film or channel credits."""
    kept = [sentence for sentence in _SENTENCE_END.split(text) if not _CREDITS.search(sentence)]
    return text if len(kept) == len(_SENTENCE_END.split(text)) else " ".join(kept).strip()


def is_foreign(character: str) -> bool:
    """Is it a letter of a script that is neither Latin nor Chinese?"""
    if not character.isalpha():
        return False
    return not unicodedata.name(character, "").startswith(("LATIN", "CJK", "FULLWIDTH LATIN"))


def foreign_share(text: str) -> float:
    """The share of letters, 0..1, that are neither Latin nor Chinese."""
    letters = [c for c in text if c.isalpha()]
    return sum(map(is_foreign, letters)) / len(letters) if letters else 0.0


def is_compressible(text: str) -> bool:
    """Does the text repeat itself so much that it cannot be speech?"""
    data = text.encode("utf-8")
    return len(data) >= MIN_COMPRESSIBLE_BYTES and len(data) / len(zlib.compress(data)) > MAX_COMPRESSION_RATIO


def is_term(text: str, prompt: Prompt) -> bool:
    """Is the text one of the prompt's terms and nothing else?"""
    return units(text) in [units(term) for term in prompt.terms]


def is_echo(text: str, prompt: Prompt, language: Language) -> bool:
    """Is the text the prompt come back, wholly or mostly?

    One term of the prompt alone is a fair question; a stretch over several of them, or of the words around, is not.
    """
    said, primed = units(text), units(prompt.text)
    if not said or not primed:
        return False
    if said == primed:
        return True
    start, length = _longest_common_run(said, primed)
    if length < MIN_ECHO_UNITS[language] or length < MIN_ECHO_SHARE * len(said):
        return False
    run = " ".join(said[start : start + length])
    return not any(run in " ".join(units(term)) for term in prompt.terms)


def _longest_common_run(a: Sequence[str], b: Sequence[str]) -> tuple[int, int]:
    best = (0, 0)
    row = [0] * (len(b) + 1)
    for i, x in enumerate(a):
        previous = row
        row = [0] * (len(b) + 1)
        for j, y in enumerate(b):
            if x == y:
                row[j + 1] = previous[j] + 1
                if row[j + 1] > best[1]:
                    best = (i - row[j + 1] + 1, row[j + 1])
    return best


def _plain(text: str) -> str:
    return re.sub(r"[^\w ]", "", text).strip().lower()


@functools.cache
def _simplifier() -> opencc.OpenCC:
    return opencc.OpenCC("t2s")
