"""Signs of mathematics and science that stand between letters: Greek letters, absolute values, logarithms, angles."""

from __future__ import annotations

import re

from kiosk.normalize.rules import Rule, rule
from models.types import LANGUAGES, Language

_GREEK: dict[Language, dict[str, str]] = {
    "zh": {
        "α": "阿尔法", "β": "贝塔", "γ": "伽马", "δ": "德尔塔", "Δ": "德尔塔", "ε": "艾普西隆", "θ": "西塔",
        "λ": "兰姆达", "π": "派", "ρ": "柔", "σ": "西格玛", "Σ": "西格玛", "τ": "陶", "φ": "斐", "ω": "欧米伽",
    },
    "en": {
        "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "Δ": "delta", "ε": "epsilon", "θ": "theta",
        "λ": "lambda", "π": "pi", "ρ": "rho", "σ": "sigma", "Σ": "sigma", "τ": "tau", "φ": "phi", "ω": "omega",
    },
}  # fmt: skip
_SIGNS: dict[Language, dict[str, str]] = {
    "zh": {
        "∠": "角", "⊥": "垂直于", "∥": "平行于", "∵": "因为", "∴": "所以", "∈": "属于", "∪": "并", "∩": "交",
        "∝": "正比于",
    },
    "en": {
        "∠": " angle ", "⊥": " perpendicular to ", "∥": " parallel to ", "∵": " because ", "∴": " therefore ",
        "∈": " in ", "∪": " union ", "∩": " intersection ", "∝": " proportional to ",
    },
}  # fmt: skip
_ABSOLUTE: dict[Language, str] = {"zh": "{}的绝对值", "en": "the absolute value of {}"}
_LOGARITHM: dict[Language, str] = {"zh": "以{}为底{}的对数", "en": "log base {} of {}"}
_MINUS: dict[Language, str] = {"zh": "减", "en": " minus "}
_TO: dict[Language, str] = {"zh": "到", "en": " to "}
_SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"
_TERM = r"\d{0,4}[a-z]"
"""A number times a variable, such as 2x."""


def _plain(subscripts: str) -> str:
    return "".join(str(_SUBSCRIPTS.index(char)) for char in subscripts)


def _difference(match: re.Match[str], language: Language) -> str:
    is_alphabet = (match[1], match[2]) in (("a", "z"), ("A", "Z"))
    return match[1] + (_TO if is_alphabet else _MINUS)[language] + match[2]


def formula_rules(language: Language) -> list[Rule]:
    """The rules for formulas in sentences of one language; their numbers are left to later rules."""
    greek, signs = _GREEK[language], _SIGNS[language]
    letters = "".join(greek)
    space = "" if language == "zh" else " "
    return [
        rule("absolute value", r"\|(-?[\da-z.]{1,12})\|", lambda m: _ABSOLUTE[language].format(m[1])),
        rule(
            "logarithm",
            r"(?<![A-Za-z])log([₀-₉]{1,3})\s?(\d{1,9}|[a-z](?![A-Za-z]))",
            lambda m: _LOGARITHM[language].format(_plain(m[1]), m[2]),
        ),
        rule(
            "difference of variables",
            rf"(?<![A-Za-z\d.-])({_TERM}|[A-Z])\s?-\s?({_TERM}|[A-Z]|(?<=[abknxyz]-)\d{{1,3}}(?![\d.]))(?![A-Za-z-])",
            lambda m: _difference(m, language),
        ),
        rule("sign of geometry", f"[{''.join(signs)}]", lambda m: signs[m.group()]),
        rule(
            "Greek letter",
            rf"(?<![\u0370-\u03ff])[{letters}](?![\u0370-\u03ff])",
            lambda m: f"{space}{greek[m.group()]}{space}",
        ),
    ]


FORMULAS: dict[Language, list[Rule]] = {language: formula_rules(language) for language in LANGUAGES}
