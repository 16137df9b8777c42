"""One spelling for characters that come in several (width, quotes, dashes, digits); pictures go."""

from __future__ import annotations

import re
import unicodedata

from models.types import Language

PICTURES = re.compile(
    "["
    "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufffd\ufffc"  # invisible marks
    "\u20d0-\u20ff\u2122\u00a9\u00ae\u2139"  # frames around characters, trade marks
    "\u2300-\u23ff\u2500-\u25ff\u2600-\u26ff\u2700-\u2775\u2794-\u27bf\u2b00-\u2bff"  # signs, boxes, shapes
    "\u3030\u303d\u3297\u3299\ue000-\uf8ff"
    "\U0001f000-\U0001faff\U000e0000-\U000e0fff"  # emoji, flags, tags
    "]"
)
"""Characters that have a shape but no sound."""

_SINGLE: dict[str, str] = {
    "\u3000": " ", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\t": " ", "\r": " ", "\n": " ",
    "％": "%", "＋": "+", "－": "-", "＝": "=", "／": "/", "＆": "&", "＠": "@", "＃": "#", "＄": "$", "＊": "*",
    "～": "~", "〜": "~", "∼": "~", "￥": "¥", "￡": "£", "．": ".", "＜": "<", "＞": ">", "｜": "|", "＿": "_",
    "−": "-", "‐": "-", "‑": "-", "‒": "-", "―": "—", "﹣": "-", "∶": ":", "•": "·", "＇": "'", "＂": '"',
    "㎡": "m²", "㎥": "m³", "㎏": "kg", "㎝": "cm", "㎜": "mm", "㎞": "km", "㎎": "mg", "㎖": "ml", "ℓ": "L",
    "℃": "°C", "℉": "°F", "º": "°", "˚": "°", "№": "No.", "‼": "!", "⁉": "?", "✕": "×", "✖": "×", "∗": "*",
    "″": '"', "′": "'", "µ": "μ",
}  # fmt: skip
_SINGLE |= {chr(c): chr(c - 0xFEE0) for c in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}
_TABLE = str.maketrans(_SINGLE)
_ENGLISH = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "，": ", ", "。": ". ", "！": "! ", "？": "? ", "：": ": "}
)

_EXOTIC = re.compile(r"[^\x00-\x7f\u00b2\u00b3\u3000-\u9fff]")
_POINT = re.compile(r"(?<![图式题条第项法方选])([①-⑳])\s?(?=[A-Za-z\u3400-\u9fff])(?![和或与及、所中])")
_MARKS = frozenset("，。；：、,.;: \n")
_TRIANGLE: dict[Language, str] = {"zh": "三角形", "en": "triangle "}
_SUBSCRIPT = "₀₁₂₃₄₅₆₇₈₉"
_LOGARITHM = re.compile(r"(?<![A-Za-z])log[₀-₉]{0,3}$")
_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹"


def fold(text: str, language: Language) -> str:
    """Give a text the one spelling that the rules know.

    Full-width digits, letters and signs become ASCII, other scripts' and circled digits plain digits, ½ becomes 1/2;
    emoji, box drawing and invisible characters go. Chinese punctuation stays in Chinese text.
    """
    text = re.sub("(?<=[０-９])，(?=[０-９]{3}(?![０-９]))", ",", unicodedata.normalize("NFC", text)).translate(
        _TABLE
    )
    text = _listed(text, language)
    text = re.sub("△(?=[A-Z])", _TRIANGLE[language], text)
    text = _EXOTIC.sub(_plain_number, text)
    text = PICTURES.sub("", text)
    text = re.sub(r"(?<=\d)：(?=\d)", ":", text)
    text = re.sub(r"(?<![\d ] )(?<!\d)(\d{1,3})((?: 000)+)(?! ?\d)", lambda m: m[1] + m[2].replace(" ", ""), text)
    text = re.sub(r"(?<=\d)( ?[cmk]?m)([23])(?![0-9A-Za-z])", lambda m: m[1] + ("²" if m[2] == "2" else "³"), text)
    text = re.sub(r"(?<=[A-Za-z])[‘’](?=[A-Za-z])", "'", text)
    if language == "en":
        text = text.translate(_ENGLISH)
    return re.sub(r"(?<! ) {2,}", " ", text).strip()


def _listed(text: str, language: Language) -> str:
    """Numbers in circles that begin the points of a list get a pause before and after them."""
    circled = [match[1] for match in _POINT.finditer(text)]
    if circled[:2] != ["①", "②"]:
        return text
    pause, after = ("，", "、") if language == "zh" else (", ", ": ")
    return _POINT.sub(
        lambda m: (
            (pause if m.start() and text[m.start() - 1] not in _MARKS else "") + str(ord(m[1]) - ord("①") + 1) + after
        ),
        text,
    )


def _plain_number(match: re.Match[str]) -> str:
    char = match.group()
    if char in _SUPERSCRIPT or not unicodedata.category(char).startswith("N"):
        return char
    value = unicodedata.numeric(char, None)
    if value is None or (
        char in _SUBSCRIPT and _LOGARITHM.search(match.string, max(0, match.start() - 7), match.start()) is not None
    ):
        return char
    before = match.string[match.start() - 1 : match.start()]
    if value == int(value):
        return (" " if before.isnumeric() else "") + str(int(value))
    plain = unicodedata.normalize("NFKC", char).replace("\u2044", "/")
    return f" {plain}" if before.isdigit() else plain
