"""Values in visitors' words, rightly heard and misheard."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kiosk.tools import dates, numbers
from kiosk.tools.bank.tools import CATEGORIES
from kiosk.tools.base import Kind, Parameter
from kiosk.tools.digits import card_and_code, dictated, digit_strings
from kiosk.tools.periods import Period
from kiosk.tools.slots import choice_in
from kiosk.tools.sounds import respell
from models.types import Language
from tests.tools.conftest import TODAY


@pytest.mark.parametrize(
    ("language", "text", "period"),
    [
        ("zh", "上个月花了多少", "2026-04"),
        ("zh", "上个越花了多少", "2026-04"),
        ("zh", "上上个月", "2026-03"),
        ("zh", "这个月", "2026-05"),
        ("zh", "五月", "2026-05"),
        ("zh", "武月份", "2026-05"),
        ("zh", "就是一月份", "2026-01"),
        ("zh", "六月", "2025-06"),
        ("zh", "去年12月", "2025-12"),
        ("zh", "二零二五年三月", "2025-03"),
        ("zh", "5月3号", "2026-05-03"),
        ("zh", "昨天", "2026-05-13"),
        ("zh", "上周", "2026-05-04/2026-05-10"),
        ("zh", "最近三个月", "2026-02-14/2026-05-14"),
        ("zh", "今年", "2026"),
        ("zh", "存三个月", None),
        ("zh", "明年", None),
        ("en", "last month", "2026-04"),
        ("en", "the month before last", "2026-03"),
        ("en", "in May", "2026-05"),
        ("en", "May I ask", None),
        ("en", "December last year", "2025-12"),
        ("en", "March 2025", "2025-03"),
        ("en", "on May 3rd", "2026-05-03"),
        ("en", "yesterday", "2026-05-13"),
        ("en", "past three months", "2026-02-14/2026-05-14"),
        ("en", "June 2026", None),
    ],
)
def test_periods(language: Language, text: str, period: str | None) -> None:
    found = dates.period(text, language, TODAY)
    assert (None if found is None else str(found)) == period


@pytest.mark.parametrize(
    ("language", "text", "amount", "months", "rate"),
    [
        ("zh", "存五万三年", "50000", 36, None),
        ("zh", "5万块存36个月", "50000", 36, None),
        ("zh", "三万五存一年半", "35000", 18, None),
        ("zh", "3,000.50元", "3000.50", None, None),
        ("zh", "贷款30万分20年年利率3.1%", "300000", 240, "3.1"),
        ("zh", "百分之四点五，三十万，半年", "300000", 6, "4.5"),
        ("zh", "2026年5月", None, None, None),
        ("zh", "五万还是六万", None, None, None),
        ("en", "fifty thousand for six months", "50000", 6, None),
        ("en", "$5,000 for a year", "5000", 12, None),
        ("en", "a loan of 300,000 over 20 years at 3.1", "300000", 240, "3.1"),
        ("en", "one hundred and twenty thousand for two and a half years", "120000", 30, None),
        ("en", "three point five percent", None, None, "3.5"),
        ("en", "in May 2026", None, None, None),
    ],
)
def test_figures(language: Language, text: str, amount: str | None, months: int | None, rate: str | None) -> None:
    assert numbers.amount(text, language) == (None if amount is None else Decimal(amount))
    assert numbers.months(text, language) == months
    assert numbers.rate(text, language) == (None if rate is None else Decimal(rate))


@pytest.mark.parametrize(
    ("language", "text", "digits"),
    [
        ("zh", "四八二一", "4821"),
        ("zh", "4 8 2 1。", "4821"),
        ("zh", "4,821", "4821"),
        ("zh", "是吧二一", "4821"),
        ("zh", "四八二幺吧", "4821"),
        ("zh", "四千八百二十一", "4821"),
        ("zh", "四十八 二十一", "4821"),
        ("zh", "我不知道啊", None),
        ("zh", "四八二", None),
        ("en", "four eight two one", "4821"),
        ("en", "forty-eight twenty-one", "4821"),
        ("en", "It ends in for eight two one", "4821"),
        ("en", "four eight double two", "4822"),
        ("en", "I don't know", None),
    ],
)
def test_four_digits(language: Language, text: str, digits: str | None) -> None:
    assert dictated(text, language, 4) == digits


def test_codes_and_both_at_once() -> None:
    for text in ("一三五七九零", "135,790", "13万5790", "密码是一三五七九林"):
        assert dictated(text, "zh", 6) == "135790"
    assert dictated("one three five, seven nine oh", "en", 6) == "135790"
    assert card_and_code("尾号4821，密码一三五七九零", "zh") == ("4821", "135790")
    assert card_and_code("my code is 135790 and the card ends in 4821", "en") == ("4821", "135790")
    assert digit_strings("4821 和 7356", "zh") == ("4821", "7356")


def test_categories() -> None:
    category = Parameter(name="category", kind=Kind.CHOICE, description="", choices=CATEGORIES)
    for language, text, name in (
        ("zh", "吃饭花了多少", "dining"),
        ("zh", "参饮支出", "dining"),
        ("zh", "打车呢", "transport"),
        ("en", "what about groceries", "groceries"),
        ("en", "how much", None),
    ):
        assert choice_in(category, text, language) == name  # type: ignore[arg-type]


def test_what_is_spelled_rightly_stays() -> None:
    terms = ("一月", "十一月")
    assert respell("就是一月", terms) == "就是一月"
    assert respell("时医月", terms) == "十一月"


@given(st.text(max_size=60), st.sampled_from(["zh", "en"]))
def test_any_text_is_read_without_an_error(text: str, language: Language) -> None:
    found = dates.period(text, language, TODAY)
    assert found is None or found.start <= TODAY
    numbers.amount(text, language, is_asked=True)
    numbers.months(text, language, is_asked=True)
    card_and_code(text, language)
    four = dictated(text, language, 4)
    assert four is None or (len(four) == 4 and four.isdecimal())


@given(st.dates(datetime.date(1000, 1, 1), datetime.date(9999, 12, 31)), st.integers(0, 400))
def test_a_period_survives_being_written(day: datetime.date, length: int) -> None:
    end = datetime.date.fromordinal(min(day.toordinal() + length, datetime.date.max.toordinal()))
    assert Period.parse(str(Period(day, end))) == Period(day, end)
