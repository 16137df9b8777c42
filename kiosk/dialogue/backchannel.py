"""What a visitor says while the kiosk speaks: a sign of listening, a wish for silence, or something to answer."""

from __future__ import annotations

import itertools
import re
import unicodedata
from enum import Enum

_LISTENING_ZH = (
    "嗯 恩 嗯嗯 唔 哦 噢 喔 哦哦 啊 呃 额 诶 欸 哎 哈 呵 嘿 咳 嗯哼 啊哈 哇 嘘",
    "对 对的 对啊 是 是的 是啊 是吗 没错 不错 真的 真的吗",
    "好 好的 好吧 好嘞 行 可以 可以的 挺好 挺好的 太好了",
    "明白 明白了 我明白了 知道 知道了 我知道了 了解 了解了 懂了 原来如此 原来是这样 这样啊 谢谢",
)
_LISTENING_EN = (
    "uh huh|uhhuh|uh|um|umm|hm|hmm|hmmm|mm|mmm|mhm|mm hm|mm hmm|mmhmm|ah|oh|aha|ha|haha|wow|ahem|er|eh|so",
    "ok|okay|kay|alright|all right|right|sure|yes|yeah|yep|yup|really|exactly|of course",
    "i see|i know|got it|i got it|understood|good|very good|great|cool|nice|fine|no problem|thanks|thank you",
)
_STOP_ZH = re.compile(
    r"^(?:好了|行了|够了|不|喂|嘿|你|请|先|快|哎)*"
    r"(?:停|停停|停下|停下来|停一下|暂停|打住|(?:别|不|不要|不用)(?:说|讲)了|别说|闭嘴|安静|等等|等一下|等一等|等会儿|够了|好了好了)"
    r"(?:吧|啊|吗|一下|了|请|谢谢)*$"
)
_STOP_EN = re.compile(
    r"^(?:ok |okay |please |hey |no |just )*"
    r"(?:stop|stop it|stop talking|stop stop|wait|wait wait|wait a (?:minute|moment|second)|hold on|hang on|"
    r"be quiet|quiet|shut up|enough|that s enough|that is enough|one moment|pause)(?: please)?$"
)
_ANEW = re.compile(
    r"(?:等一下|等等|等会儿|不对|不是|不不|算了|我是说|我是想|对不起|抱歉)|"
    r"(?:wait|no|nope|sorry|actually|i mean|never mind|hold on|hang on)\b"
)
_ASKS = re.compile(r"[?？]|[吗呢谁哪几]|什么|怎么|多少|\b(?:what|when|where|who|why|how|which)\b")
_OPENING = re.compile(  # 等一下 as it is misheard, too
    r"^(?:(?:等一下|等以下|动一下(?=[，,、])|等等|等一等|等会儿|不好意思|对不起|抱歉|打断一下|"
    r"wait(?: a (?:minute|moment|second))?|hold on|hang on|sorry|excuse me)"
    r"(?:[\s，,、。.!！…]+|(?=[\u4e00-\u9fff])))+(?=.{3})",
    re.IGNORECASE,
)
SHORT, FEW, SOME = (2, 1), (3, 2), (4, 4)
"""Characters or words: so many never end an answer, unless they ask; so many must be recognised well to end it; …"""
FEW_LOG_PROBABILITY, SOME_LOG_PROBABILITY = -0.45, -0.9
"""… at least as well as this. Clear ones lie at -0.1 … -0.6; "哦" over an answer was read as "方故事" at -0.52."""
MAX_LISTENING_LETTERS = 16
"""A longer remark is never only a sign of listening."""


class Remark(Enum):
    """What is meant by something said over an answer."""

    LISTENING = "listening"
    """A sign of listening, a laugh, a cough: the answer goes on."""
    STOP = "stop"
    """A wish for silence, no question."""
    SPEECH = "speech"
    """Anything else: it wants an answer."""


def kind_of_remark(text: str) -> Remark:
    """Tell what a transcript of speech over an answer means.

    Args:
        text: Chinese or English; punctuation, case and repeated words do not matter. Empty counts as a cough.
    """
    plain = _plain(text)
    if _STOP_ZH.match(plain.replace(" ", "")) or _STOP_EN.match(plain):
        return Remark.STOP
    if len(plain) <= MAX_LISTENING_LETTERS and (_is_listening_zh(plain.replace(" ", "")) or _is_listening_en(plain)):
        return Remark.LISTENING
    return Remark.SPEECH


def is_too_short(text: str) -> bool:
    """Whether speech over an answer has too few words to end it: a sign of listening is read as anything.

    Two characters or one word, however often, that ask nothing; whoever means it says more when the answer goes on.
    """
    return not _asks(text) and _is_within(text, SHORT)


def is_single(text: str) -> bool:
    """Whether it is one character or word at most."""
    plain = _plain(text)
    return len(plain) <= 1 or (plain.isascii() and " " not in plain)


def is_murmur(text: str, log_probability: float) -> bool:
    """Whether speech over an answer is a few sounds that the recogniser hardly believes itself: a murmur, a laugh.

    Args:
        text: Chinese or English.
        log_probability: Mean over the tokens, about -0.3 for clear speech.
    """
    if _is_within(text, FEW) and not _asks(text):
        return log_probability < FEW_LOG_PROBABILITY
    return _is_within(text, SOME) and log_probability < SOME_LOG_PROBABILITY


def starts_anew(text: str) -> bool:
    """Whether words after a question take it back, as "等一下，…" or "no, …" do, instead of going on with it."""
    return _ANEW.match(_plain(text)) is not None


def without_opening(text: str) -> str:
    """The question without the words by which somebody breaks in ("等一下，…"): small models repeat them."""
    return _OPENING.sub("", text)


def _asks(text: str) -> bool:
    return _ASKS.search(text.lower()) is not None


def _is_within(text: str, bound: tuple[int, int]) -> bool:
    """Whether there are no more characters, or English words, than this; what is said again at once counts once."""
    parts = [part for part, _ in itertools.groupby(_plain(text).split())]
    characters, words = bound
    joined = "".join(parts)
    return len(parts) <= words if joined.isascii() else len(joined) <= characters


def _is_listening_zh(plain: str) -> bool:
    """Made of signs of listening only."""
    signs = sorted(" ".join(_LISTENING_ZH).split(), key=len, reverse=True)
    return re.fullmatch("(?:" + "|".join(signs) + ")*", plain) is not None


def _is_listening_en(plain: str) -> bool:
    signs = sorted("|".join(_LISTENING_EN).split("|"), key=len, reverse=True)
    return re.fullmatch(f"(?:(?:{'|'.join(signs)})(?: |$))*", plain) is not None


def _plain(text: str) -> str:
    letters = "".join(
        c if unicodedata.category(c)[0] in "LN" else " " for c in unicodedata.normalize("NFKC", text).lower()
    )
    return " ".join(letters.split())
