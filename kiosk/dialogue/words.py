"""Chinese words: where they begin and how common they are."""

from __future__ import annotations

import functools
import math
import threading

import jieba

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
    return math.log(tokenizer.total / max(1, tokenizer.FREQ.get(word, 0)))


def is_known(word: str) -> bool:
    """Is the word in the dictionary?"""
    return bool(_tokenizer().FREQ.get(word, 0) > 0)


def warm_up() -> None:
    """Read the dictionary now, so that the first long sentence does not wait for it."""
    _tokenizer()
