"""The words that make two questions different although they look and mean nearly the same: days, figures, money.

A sentence encoder finds "open on Saturday" and "open on Sunday" as near as two ways to say one thing, and the two
have different answers.
"""

from __future__ import annotations

import re

from kiosk.normalize import normalize
from models.types import Language

_DAYS_ZH = "一二三四五六日"
_SPAN_ZH = re.compile(r"(?:周|星期|礼拜)([一二三四五六])(?:到|至)(?:周|星期|礼拜)?([二三四五六日])")
_DAY_ZH = re.compile(r"(?:周|星期|礼拜)([一二三四五六日天末])")
_FIGURE_ZH = re.compile(
    r"[零一二两三四五六七八九十百千万亿]+(?:点[零一二三四五六七八九]+)?(?=[年月号日点元块楼层岁次折期])"
)
_TELLING_ZH = re.compile(
    r"今天|明天|后天|昨天|今晚|早上|上午|中午|下午|晚上|夜里|平时|工作日|节假日|春节|国庆|"
    r"美元|美金|欧元|日元|英镑|港币|人民币|黄金|活期|定期|基金|股票|保险|信用卡|上个月|这个月|今年|去年"
)
_DAYS_EN = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SPAN_EN = re.compile(rf"({'|'.join(_DAYS_EN)})s? (?:to|through|until) ({'|'.join(_DAYS_EN)})")
_FIGURE_EN = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred|thousand|"
    "million|second|third|fourth|fifth"
)
_TELLING_EN = re.compile(
    rf"\b(?:{'|'.join(_DAYS_EN)}|weekends?|weekdays?|holidays?|christmas|today|tomorrow|tonight|yesterday|morning|"
    rf"noon|afternoon|evening|night|dollars?|euros?|yen|pounds?|gold|stocks?|funds?|insurance|credit cards?|"
    rf"last month|this month|{_FIGURE_EN})(?=s?\b)"
)


_DECIMAL = re.compile(r"\d+[.．]\d+")


def without_decimals(text: str) -> str:
    """The text without rates and the like: the five of 1.35 % is not that of five years."""
    return _DECIMAL.sub(" ", text)


def telling_words(text: str, language: Language) -> frozenset[str]:
    """The words of a text that must not be different in question and answer.

    Args:
        text: Written form.
        language: Of the text.
    """
    spoken = normalize(without_decimals(text), language).lower()
    return _of_chinese(spoken) if language == "zh" else _of_english(spoken)


def _of_chinese(spoken: str) -> frozenset[str]:
    found = set(_TELLING_ZH.findall(spoken)) | set(_FIGURE_ZH.findall(spoken))
    days = {"日" if day == "天" else day for day in _DAY_ZH.findall(spoken)}
    for first, last in _SPAN_ZH.findall(spoken):
        days |= set(_DAYS_ZH[_DAYS_ZH.index(first) : _DAYS_ZH.index(last) + 1])
    if days >= {"六", "日"}:
        days.add("末")
    return frozenset(found | {f"周{day}" for day in days})


def _of_english(spoken: str) -> frozenset[str]:
    found = {word.rstrip("s") for word in _TELLING_EN.findall(spoken)}
    for first, last in _SPAN_EN.findall(spoken):
        found |= set(_DAYS_EN[_DAYS_EN.index(first) : _DAYS_EN.index(last) + 1])
    if found >= {"saturday", "sunday"}:
        found.add("weekend")
    return frozenset(found)
