"""Text in Chinese, English or both → phonemes of Kokoro's alphabet. Nothing that can be heard is dropped unnoticed.

Chinese goes through jieba (words), the list of readings, pypinyin (syllables) and misaki (syllable → phonemes). Latin
words go through hibari's English dictionary and its small network for unknown words.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from models.tts.readings import load_chinese_readings, load_latin_readings
from models.tts.voice_files import load_vocabulary
from models.types import Language

if TYPE_CHECKING:
    import jieba

log = logging.getLogger("tts")

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff〇"
RUN = re.compile(
    rf"(?P<zh>[{HAN}]+)|(?P<latin>[A-Za-z]+(?:['’.&-]?[A-Za-z]+)*)|(?P<digit>[0-9])|(?P<space>\s+)|(?P<mark>.)"
)
"""What one step of the mixed reader takes: Chinese, a Latin word, a digit, space, or a single mark."""
HAS_HAN = re.compile(f"[{HAN}]")

DIGITS = dict(zip("0123456789", "零一二三四五六七八九", strict=True))

MARKS = {
    "，": ", ", "、": ", ", "。": ". ", "．": ". ", "！": "! ", "？": "? ", "：": ": ", "；": "; ", "…": "… ",
    ",": ", ", ".": ". ", "!": "! ", "?": "? ", ":": ": ", ";": "; ",
    "—": " — ", "–": " — ", "～": " — ", "~": " — ",
    "（": " (", "(": " (", "）": ") ", ")": ") ",
    "“": " “", "”": "” ", "「": " “", "」": "” ", "『": " “", "』": "” ", "《": " “", "》": "” ", '"': " ",
    "«": " “", "»": "” ", "【": " ", "】": " ", "[": " ", "]": " ", "〈": " ", "〉": " ",
    "·": " ", "•": " ", "-": " ", "_": " ", "/": " ", "\\": " ", "'": "", "’": "", "‘": "",
    "|": " ", "*": " ", "#": " ",
}  # fmt: skip
"""How marks sound: as a pause or as nothing. A mark that is not here and not in the alphabet counts as lost."""

NEAR_SYMBOLS = {
    "g": "ɡ", "ʐ": "ɻ", "ɫ": "l", "ɝ": "ɜ", "ɱ": "m", "ʍ": "w", "\u0329": "", "\u032f": "", "\u0361": "", "ˑ": "ː",
}  # fmt: skip
"""Symbols that a dictionary may use and Kokoro's alphabet lacks → the nearest it has."""

VOWEL = re.compile("[AEIOUYaeiouy]")

SPOKEN_CAPITALS = 4
"""Capitals of at least so many letters are read as a word if the dictionary knows it (OPEN), else spelled."""


def is_english(text: str, language: Language) -> bool:
    """Whether the clause is to be spoken by the English voice: an English sentence without Chinese in it."""
    return language == "en" and not HAS_HAN.search(text)


READINGS_ZH, READINGS_EN = "readings_zh.txt", "readings_en.txt"


class GraphemeToPhoneme:
    """Turns clauses into phonemes; loads its dictionaries at the first `warm_up` (about 1 s).

    Attributes:
        lost_symbols: How many characters or phonemes had no sound so far; each is logged.
    """

    def __init__(
        self, alphabet: Mapping[str, int], readings_zh: Path, readings_en: Path, own_readings: Path | None = None
    ) -> None:
        """Take the alphabet (symbol → token id) and the two lists of readings.

        Args:
            alphabet: Symbol → token id.
            readings_zh: List of Chinese readings.
            readings_en: List of Latin ones.
            own_readings: Folder that may hold lists of the same names; what they say comes before the others.

        Raises:
            CheckpointError: A list cannot be read.
        """
        self.lost_symbols = 0
        self._alphabet = dict(alphabet)
        self._readings_zh = load_chinese_readings(readings_zh)
        self._readings_en = load_latin_readings(readings_en)
        self._own_en: dict[str, str] = {}
        if own_readings is not None:
            if (own_zh := own_readings / READINGS_ZH).is_file():
                self._readings_zh |= load_chinese_readings(own_zh)
            if (own_en := own_readings / READINGS_EN).is_file():
                self._own_en = load_latin_readings(own_en)
        self._splitter: jieba.Tokenizer | None = None
        self._english: _English | None = None

    @classmethod
    def load(cls, vocab: Path, own_readings: Path | None = None) -> GraphemeToPhoneme:
        """Take the alphabet from a file and the lists that lie beside it; own lists may come from another folder.

        Raises:
            CheckpointError: A file cannot be read.
        """
        return cls(load_vocabulary(vocab), vocab.with_name(READINGS_ZH), vocab.with_name(READINGS_EN), own_readings)

    def warm_up(self) -> None:
        """Load the dictionaries, if that is still to be done."""
        if self._splitter is None:
            self._splitter = _load_splitter(self._readings_zh)
        if self._english is None:
            self._english = _English(self._readings_en, self._own_en)

    def tokens(self, phonemes: str) -> list[int]:
        """Token ids of phonemes that this object made."""
        return [self._alphabet[symbol] for symbol in phonemes]

    def english(self, text: str) -> str:
        """Phonemes of an English clause, words parted by spaces."""
        self.warm_up()
        assert self._english is not None
        return self._clean(self._english.clause(text))

    def mixed(self, text: str) -> str:
        """Phonemes of a clause that holds Chinese, Latin words or both, words parted by spaces."""
        self.warm_up()
        assert self._english is not None
        parts: list[str] = []
        for match in RUN.finditer(_plain(text)):
            kind, piece = match.lastgroup, match.group()
            if kind == "zh":
                parts.append(" " + self._chinese(piece) + " ")
            elif kind == "latin":
                parts.append(" " + self._english.word(piece) + " ")
            elif kind == "digit":
                parts.append(" " + self._chinese(DIGITS[piece]) + " ")
            elif kind == "space":
                parts.append(" ")
            else:
                parts.append(self._mark(piece))
        return self._clean("".join(parts))

    def _chinese(self, run: str) -> str:
        from misaki.zh import ZHG2P
        from pypinyin import Style, lazy_pinyin

        assert self._splitter is not None
        words = []
        for word in self._splitter.cut(run, HMM=True):
            syllables = self._readings_zh.get(word) or lazy_pinyin(
                word, style=Style.TONE3, neutral_tone_with_five=True
            )
            sounds = []
            for syllable in syllables:
                if not re.fullmatch(r"[a-zêü]+[1-5]", syllable):
                    self._lose(syllable)
                    continue
                sounds.append(ZHG2P.py2ipa(syllable))
            words.append("".join(sounds))
        return " ".join(words)

    def _mark(self, mark: str) -> str:
        if mark in MARKS:
            return MARKS[mark]
        if unicodedata.category(mark)[0] not in "CMZ":
            self._lose(mark)
        return " "

    def _clean(self, phonemes: str) -> str:
        """Only symbols of the alphabet, single spaces, no space before a mark."""
        kept = []
        for symbol in phonemes:
            near = symbol if symbol in self._alphabet else NEAR_SYMBOLS.get(symbol)
            if near is None:
                self._lose(symbol)
            else:
                kept.append(near)
        text = re.sub(r"\s+", " ", "".join(kept)).strip()
        text = re.sub(r" (?=[,.!?:;…)”])", "", text)
        return re.sub(r"([,.!?:;…])[,.:;…]+", r"\1", text)

    def _lose(self, symbol: str) -> None:
        self.lost_symbols += len(symbol)
        names = " ".join(f"U+{ord(c):04X}" for c in symbol)
        log.warning("no sound for %s: not spoken (%d so far)", names, self.lost_symbols)


class _English:
    """hibari's dictionary with our exceptions."""

    def __init__(self, readings: Mapping[str, str], own: Mapping[str, str]) -> None:
        from hibari.g2p import G2P

        self._g2p = G2P()
        self._readings = readings
        self._own = own

    def clause(self, text: str) -> str:
        """A whole English clause, so that the tagger sees its words together."""
        said = re.sub(r"[A-Za-z]+(?:['’][A-Za-z]+)*", lambda match: self._respell(match.group()), text)
        return str(self._g2p(said))

    def word(self, word: str) -> str:
        """One Latin word within Chinese."""
        sounds = []
        for part in re.split(r"[.&-]", word):
            for said in self._respell(part, alone=True).split():
                sounds.append(self._letter(said) if len(said) == 1 else str(self._g2p(said)))
        return " ".join(sound for sound in sounds if sound)

    def _respell(self, word: str, *, alone: bool = False) -> str:
        if word.lower() in self._own:  # whatever the capitals: the operator means this word
            return self._own[word.lower()]
        listed = self._readings.get(word.lower())
        if listed is not None and (alone or not word.islower()):
            return listed
        if word.isupper() and len(word) > 1:
            known = len(word) >= SPOKEN_CAPITALS and self._g2p.lexicon.golds.get(word.lower()) is not None
            return word.lower() if known else " ".join(word)
        if alone and len(word) > 1 and not VOWEL.search(word):
            return " ".join(word)
        return word

    def _letter(self, letter: str) -> str:
        """The name of a letter: A is ˈA here, never the article."""
        name = self._g2p.lexicon.golds.get(letter.upper())
        return name if isinstance(name, str) else str(self._g2p(letter.upper()))


def _plain(text: str) -> str:
    """Full-width forms become plain ones, accents on Latin letters go; … stays one mark, not three full stops."""
    text = unicodedata.normalize("NFKC", re.sub("…+|—+", "—", text))
    return re.sub("[À-ɏ]", lambda match: unicodedata.normalize("NFKD", match.group())[0], text)


def _load_splitter(words: Mapping[str, object]) -> jieba.Tokenizer:
    """Chinese word splitter that knows the listed words.

    Its dictionary is read straight from the package (0.5 s); jieba's own start would write a cache into the
    machine's folder for temporary files.
    """
    import jieba

    splitter = jieba.Tokenizer()
    splitter.FREQ, splitter.total = splitter.gen_pfdict(splitter.get_dict_file())
    splitter.initialized = True
    for word in words:
        splitter.add_word(word)
    return splitter
