"""Chinese words: where they begin and how common they are."""

from __future__ import annotations

import functools
import math
import threading

import jieba

NEWER_WORDS = frozenset(
    (
        "网银 网贷 车贷 消贷 快贷 打款 贴款 年费 月供 扫码 刷脸 闪付 解挂 提额 领号 改密 密保 退户 换户 改户 "
        "转户 并户 冻户 开卡 办卡 补卡 销卡 还卡 退卡 领卡 绑卡 解卡 停卡 断卡 冻卡 锁卡 吞卡 丢卡 副卡 普卡 "
        "黑卡 门卡 饭卡 电卡 水卡 气卡 客服 微信 抖音 知乎 淘宝 京东 美团 直播 点赞 网购 网课 自拍 录屏 拼车 "
        "代驾 网约车 摇号 数币 充电宝 车锁 手壳 厕纸 奶茶 茶水间"
    ).split()
)
"""Everyday words that the dictionary is too old to hold, or to hold as common. Texts are split without them."""
NEWER_WORD_COUNT = 300
"""In the dictionary's 60 million words: as common as 证件."""

_reading = threading.Lock()
"""Several stages ask for the dictionary while they load; it is read once."""


def _tokenizer() -> jieba.Tokenizer:
    with _reading:
        return _read_dictionary()


@functools.cache
def _read_dictionary() -> jieba.Tokenizer:
    """The splitter with its dictionary in memory: 0.5 s, and no cache file in the machine's temporary folder."""
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer


def split_words(text: str) -> list[str]:
    """The words of a Chinese text; together they are the text."""
    return [str(word) for word in _tokenizer().cut(text)]


def known_words(text: str) -> list[str]:
    """The likeliest words of a text by the dictionary alone, without guesses at unknown ones."""
    return [str(word) for word in _tokenizer().cut(text, HMM=False)]


def rarity(word: str) -> float:
    """How rare a word is in ordinary text: -ln of its share. 4 for 的, 10 for 证件, 18 if it is in no dictionary."""
    tokenizer = _tokenizer()
    least = NEWER_WORD_COUNT if word in NEWER_WORDS else 1
    return math.log(tokenizer.total / max(least, tokenizer.FREQ.get(word, 0)))


def is_known(word: str) -> bool:
    """Is the word in the dictionary, or newer than it?"""
    return word in NEWER_WORDS or bool(_tokenizer().FREQ.get(word, 0) > 0)


def warm_up() -> None:
    """Read the dictionary now, so that the first long sentence does not wait for it."""
    _tokenizer()
