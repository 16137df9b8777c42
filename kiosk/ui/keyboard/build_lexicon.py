"""Makes resources/ime/pinyin.tsv from the dictionaries of jieba (frequencies) and pypinyin (readings).

Run by an engineer after those packages changed: `python -m kiosk.ui.keyboard.build_lexicon`. The kiosk itself reads
only the finished file, so that opening the keyboard costs no second of computing.
"""

from __future__ import annotations

import re
from pathlib import Path

import jieba
from pypinyin import Style, lazy_pinyin, pinyin

from kiosk.ui.keyboard.pinyin import LEXICON

_WORDS = 42_000
"""Words of two and more characters, the most frequent; 42,000 keep the file below 1 MB and hold everyday Chinese."""
_CHARACTERS = 6_000
"""Single characters, the most frequent; more than the 3,500 that are taught."""
_LONGEST = 5
"""Characters of the longest word."""
_SECOND_READING = 0.1
"""Weight of a character under a reading that is not its most common one."""
_EXTRA = {
    "网点": 900,
    "网银": 700,
    "手机银行": 900,
    "自助机": 400,
    "借记卡": 700,
    "信用卡": 1500,
    "挂失": 900,
    "大额存单": 400,
    "汇率": 1200,
    "年费": 500,
    "排队": 800,
    "取号": 800,
    "养老金": 900,
    "社保卡": 700,
    "营业时间": 800,
    "开户": 900,
    "转账": 1500,
    "存款": 1800,
    "取款": 1200,
    "贷款": 1800,
    "理财": 1200,
    "在哪里": 1500,
    "怎么": 9000,
    "怎么办": 3000,
    "多少钱": 1500,
    "几点": 2000,
    "什么时候": 2500,
    "身份证": 1500,
}
"""What visitors of a branch ask for and a dictionary of newspaper words ranks too low: word and frequency."""
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_SYLLABLE = re.compile(r"[a-z]*[aeiouv][a-z]*")
"""Readings without a vowel (hm, ng) would swallow the first letters of other words."""


def read_frequencies() -> dict[str, int]:
    """Every Chinese word of jieba's dictionary with its count."""
    jieba.setLogLevel(60)
    text = (Path(jieba.__file__).parent / "dict.txt").read_text(encoding="utf-8")
    counts = {}
    for line in text.splitlines():
        word, count, _tag = line.split(" ")
        if _HAN.fullmatch(word) and len(word) <= _LONGEST:
            counts[word] = int(count)
    return counts


def build(target: Path) -> int:
    """Write the lexicon; gives the number of its lines."""
    counts = read_frequencies()
    counts |= {word: max(count, counts.get(word, 0)) for word, count in _EXTRA.items()}
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    words = [w for w in ranked if len(w) > 1][:_WORDS]
    words += [w for w in _EXTRA if w not in set(words)]
    characters = [w for w in ranked if len(w) == 1][:_CHARACTERS]
    lines = []
    for word in words:
        syllables = lazy_pinyin(word, style=Style.NORMAL)
        if len(syllables) == len(word) and all(map(_SYLLABLE.fullmatch, syllables)):
            lines.append((" ".join(syllables), word, counts[word]))
    for character in characters:
        readings = pinyin(character, style=Style.NORMAL, heteronym=True)[0]
        for rank, reading in enumerate(dict.fromkeys(readings)):
            if _SYLLABLE.fullmatch(reading):
                weight = counts[character] * (1.0 if rank == 0 else _SECOND_READING)
                lines.append((reading, character, max(1, round(weight))))
    lines.sort(key=lambda line: (line[0], -line[2], line[1]))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(f"{p}\t{w}\t{c}\n" for p, w, c in lines), encoding="utf-8")
    return len(lines)


if __name__ == "__main__":
    build(LEXICON)
