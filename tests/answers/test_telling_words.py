"""Days, figures and money: what makes two questions different."""

from __future__ import annotations

import pytest

from kiosk.answers.telling_words import telling_words
from models.types import Language


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("你们周六开门吗？", "zh", {"周六"}),
        ("星期天上班吗", "zh", {"周日"}),
        ("周末开不开门", "zh", {"周末"}),
        ("周一到周五上午9点开门", "zh", {"周一", "周二", "周三", "周四", "周五", "上午", "九"}),
        ("周六到周日休息", "zh", {"周六", "周日", "周末"}),
        ("3年定期利率多少", "zh", {"三", "定期"}),
        ("三年期定期", "zh", {"三", "定期"}),
        ("请问厕所在哪里？", "zh", set()),
        ("Are you open on Saturdays?", "en", {"saturday"}),
        ("From Monday to Wednesday", "en", {"monday", "tuesday", "wednesday"}),
        ("open Saturday and Sunday", "en", {"saturday", "sunday", "weekend"}),
        ("What is the 3-year deposit rate?", "en", {"three"}),
        ("The three year rate is 1.75%.", "en", {"three"}),
        ("Where is the toilet?", "en", set()),
        ("Can I change US dollars?", "en", {"dollar"}),
    ],
)
def test_telling_words(text: str, language: Language, words: set[str]) -> None:
    assert telling_words(text, language) == words
