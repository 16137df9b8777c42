"""English readings of a bare number."""

from __future__ import annotations

from num2words import num2words

DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_LARGEST_DIGITS = 15
"""Integers with more digits are read digit by digit."""
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def digits(text: str, zero: str = "zero") -> str:
    """Read digit by digit; other characters are dropped."""
    return " ".join(zero if c == "0" else DIGITS[int(c)] for c in text if c.isascii() and c.isdigit())


def integer(text: str) -> str:
    """Read a whole number, with or without thousands commas: 120 → one hundred twenty."""
    plain = text.replace(",", "").lstrip("0") or "0"
    if len(plain) > _LARGEST_DIGITS:
        return digits(plain)
    return str(num2words(int(plain))).replace(",", "").replace(" and ", " ")


def ordinal(text: str) -> str:
    """Read a rank: 23 → twenty-third."""
    plain = text.replace(",", "").lstrip("0") or "0"
    if len(plain) > _LARGEST_DIGITS:
        return digits(plain)
    return str(num2words(int(plain), to="ordinal")).replace(",", "").replace(" and ", " ")


def number(text: str) -> str:
    """Read an unsigned number with or without decimals: 1.5 → one point five."""
    whole, _, decimals = text.partition(".")
    words = integer(whole or "0")
    return f"{words} point {digits(decimals)}" if decimals else words


def year(text: str) -> str:
    """Read a calendar year: in pairs from 1010 to 1999 and from 2010 to 2099, else as a number."""
    value = int(text)
    if not (1010 <= value <= 1999 or 2010 <= value <= 2099):
        return integer(text)
    rest = "hundred" if text[2:] == "00" else f"oh {DIGITS[value % 10]}" if text[2] == "0" else integer(text[2:])
    return f"{integer(text[:2])} {rest}"


def plural(words: str) -> str:
    """Put the last word of a number into the plural: nineteen ninety → nineteen nineties."""
    return words[:-1] + "ies" if words.endswith("y") else words + ("es" if words.endswith("x") else "s")


def roman(text: str) -> int | None:
    """Value of a well-formed Roman numeral below 4000 in capitals, or None."""
    total = 0
    for char, following in zip(text, [*text[1:], ""], strict=True):
        value = _ROMAN[char]
        total += -value if following and _ROMAN[following] > value else value
    return total if 0 < total < 4000 and to_roman(total) == text else None


def to_roman(value: int) -> str:
    """Write a number from 1 to 3999 in Roman numerals."""
    steps = ("M1000", "CM900", "D500", "CD400", "C100", "XC90", "L50", "XL40", "X10", "IX9", "V5", "IV4", "I1")
    letters = ""
    for step in steps:
        mark = step.rstrip("0123456789")
        size = int(step[len(mark) :])
        count, value = divmod(value, size)
        letters += mark * count
    return letters
