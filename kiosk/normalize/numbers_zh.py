"""Chinese readings of a bare number."""

from __future__ import annotations

import re

import cn2an

DIGITS = "零一二三四五六七八九"
_LARGEST_DIGITS = 16
"""Integers with more digits have no usual reading and are read digit by digit."""

MEASURES = (
    "个半|个|位|名|人|份|次|张|条|家|笔|天|年(?!级)|周|小时|分钟|分|秒|点|元|块|角|毛|美元|欧元|英镑|港元|港币|日元|韩元|"
    "米|厘米|毫米|公里|千米|公斤|斤|吨|克|毫克|毫升|升|平方|立方|摄氏度|华氏度|度|倍|岁|台|部|本|页|步|种|件|"
    "只|套|辆|间|杯|瓶|箱|包|支|根|把|句|段|篇|首|场|趟|遍|回|届|晚|门|座|棵|颗|粒|滴|双|对|排座|列|组|堂|节|盒|"
    "张|枚|股|户|项|款|道|处|所|封|副|扇|顶|幅|口|头|匹|架|艘|刻|成|折|代人|万|千|百|亿|桌|床|餐|单|束|盘|卷|通|尺|亩|朵|袋|桶|罐|碗|管|行|样|批|站|边|侧|者|国|地|大|室[\\d一二三四五六七八九两]厅|厅|卫"
)
"""Words before which a lone 2 is 两."""
_TWO = re.compile(rf"\s?(?:[到至]\s?[\d.,]+\s?)?(?:多|余|几|来)?(?:{MEASURES})")
_NOT_TWO = re.compile(
    r"\s?(?:[到至]\s?[\d.,]+\s?)?(?:点\d(?!\d?分)|月|日|号|楼|层|类|级|路|期|等|栋|幢|单元|维码|分之|年级|点[零一二三四五六七八九])"
)


def digits(text: str, *, dialled: bool = False) -> str:
    """Read digit by digit; other characters are dropped.

    Args:
        text: Digits and separators.
        dialled: True for telephone numbers and identities, where 1 is 幺.
    """
    one = "幺" if dialled else "一"
    return "".join(one if c == "1" else DIGITS[int(c)] for c in text if c.isascii() and c.isdigit())


def integer(text: str) -> str:
    """Read a whole number, digits with or without thousands commas, as a quantity: 126213 → 十二万六千二百一十三."""
    plain = text.replace(",", "").lstrip("0") or "0"
    if len(plain) > _LARGEST_DIGITS:
        return digits(plain)
    words = str(cn2an.an2cn(plain, "low"))
    if len(words) > 1 and words[0] == "二" and words[1] in "千万亿":
        return "两" + words[1:]
    return words


def number(text: str) -> str:
    """Read an unsigned number with or without decimals: 3.85 → 三点八五."""
    whole, _, decimals = text.partition(".")
    words = integer(whole or "0")
    return f"{words}点{digits(decimals)}" if decimals else words


def quantity(text: str, following: str) -> str:
    """Read a number before its measure word, which decides between 二 and 两.

    Args:
        text: An unsigned number.
        following: What stands behind it, unit first.
    """
    if text == "2" and not _NOT_TWO.match(following) and _TWO.match(following):
        return "两"
    return number(text)
