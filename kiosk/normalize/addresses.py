"""Web and mail addresses: short ones are spoken, long ones are left to the screen."""

from __future__ import annotations

import re
from collections.abc import Callable

from kiosk.normalize import numbers_en, numbers_zh
from kiosk.normalize.rules import Rule, rule
from models.types import Language

LONGEST_SPOKEN = 32
"""Characters of an address that a listener can still take in; a longer one is on the screen only."""
_TLD = (
    "com|cn|net|org|gov|edu|io|ai|co|info|biz|app|dev|me|tv|cc|top|vip|xyz|shop|site|online|bank|"
    "hk|tw|mo|uk|us|eu|de|fr|jp|kr|sg|int|mil"
)
_HOST = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,60}\.){1,6}"
_TAIL = r"(?:[/?#](?:[A-Za-z0-9\-_.~:/?#\[\]@!$&*+;=%]*[A-Za-z0-9/_=#&%-])?)?"
MAIL = rf"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{{1,64}}@{_HOST}(?:[A-Za-z]{{2,12}})(?![A-Za-z0-9])"
WEB = (
    rf"(?<![A-Za-z0-9@.])(?:(?:https?|ftp)://[A-Za-z0-9\-_.:@]{{1,200}}{_TAIL}"
    rf"|www\.{_HOST}[A-Za-z]{{2,12}}(?::\d{{1,5}})?{_TAIL}"
    rf"|{_HOST}(?:{_TLD})(?![A-Za-z0-9.@-])(?::\d{{1,5}}(?!\d))?{_TAIL}"
    rf"|{_HOST}(?:{_TLD})(?![A-Za-z0-9@-]){_TAIL})"
)
_WORDS: dict[Language, dict[str, str]] = {
    "zh": {".": "点", "@": "艾特", "/": "斜杠", "-": "杠", "_": "下划线", ":": "冒号", "+": "加"},
    "en": {
        ".": " dot ",
        "@": " at ",
        "/": " slash ",
        "-": " dash ",
        "_": " underscore ",
        ":": " colon ",
        "+": " plus ",
    },
}
_HINT: dict[Language, tuple[str, str]] = {
    "zh": ("网址见屏幕", "邮箱见屏幕"),
    "en": ("see the web address on the screen", "see the mail address on the screen"),
}
_AFTER_A_VERB: dict[Language, tuple[str, Callable[[re.Match[str]], str]]] = {
    "zh": (
        r"(访问|登[录陆]|打开|进入|浏览|查看|前往|发[送到至]+|邮件[到至]|寄[到至]|联系)(?:官网|网站|网址|邮箱)?[:：]?\s?(网址|邮箱)见屏幕",
        lambda m: f"{m[1]}屏幕上的{m[2]}",
    ),
    "en": (
        r"\b(visit|see|go to|at|to|on|from|open|via|or|and|use) see (?=the (?:web|mail) address on the screen)",
        lambda m: f"{m[1]} ",
    ),
}
"""Where the sentence already says what to do with the address."""


def _spell(address: str, language: Language) -> str:
    words = _WORDS[language]
    spoken = "".join(
        (numbers_zh.digits(c) if language == "zh" else f" {numbers_en.digits(c)} ")
        if c.isdigit()
        else words.get(c, c if c.isalpha() else " ")
        for c in address
    )
    return re.sub(r" {2,}", " ", spoken).strip()


def _web(match: re.Match[str], language: Language) -> str:
    address = re.sub(r"^[a-z]+://", "", match.group().rstrip(".:"), flags=re.IGNORECASE)
    end = match.group()[len(match.group().rstrip(".:")) :]
    address = re.sub(r"^www\.", "w w w.", address.rstrip("/"), flags=re.IGNORECASE)
    if len(address) > LONGEST_SPOKEN or re.search(r"[?#&=%]|/.*/", address):
        return _HINT[language][0] + end
    return _spell(address, language) + end


def _mail(match: re.Match[str], language: Language) -> str:
    address = match.group()
    return _HINT[language][1] if len(address) > LONGEST_SPOKEN else _spell(address, language)


def address_rules(language: Language) -> list[Rule]:
    """The rules for mail and web addresses in sentences of one language."""
    verb, kept = _AFTER_A_VERB[language]
    return [
        rule("mail address", MAIL, lambda match: _mail(match, language)),
        rule("web address", WEB, lambda match: _web(match, language), re.IGNORECASE),
        rule("address after its verb", verb, kept, re.IGNORECASE),
    ]
