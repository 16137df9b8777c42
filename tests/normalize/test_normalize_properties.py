"""What holds for every text: pure, idempotent, no digit left, no word lost, time in proportion to the length."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiosk.normalize import normalize
from models.types import LANGUAGES, Language

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "spoken_cases.jsonl").read_text(encoding="utf-8").splitlines()
]
SENTENCES = [case["input"] for case in CASES]
languages = st.sampled_from(LANGUAGES)
mixed = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=4).map("。".join)
wild = st.text(alphabet="0123456789.,:/-~%¥$°+×()年月日个元点号楼第转电话v VIPkma²½①Ⅱ３：， ", max_size=40)


@settings(max_examples=40, deadline=None)
@given(mixed, languages)
def test_reading_twice_changes_nothing(text: str, language: Language) -> None:
    once = normalize(text, language)
    assert normalize(once, language) == once


@settings(max_examples=200, deadline=None)
@given(st.one_of(wild, st.text(max_size=40)), languages)
def test_no_digit_survives(text: str, language: Language) -> None:
    assert not [char for char in normalize(text, language) if char.isdigit()]


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="请到窗口办理业务谢谢您的耐心等候银行长，。？", max_size=40))
def test_chinese_words_are_left_alone(text: str) -> None:
    assert re.sub("[，\\s]+", "", normalize(text, "zh")) == re.sub("[，\\s]+", "", text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "part",
    ["1", "1,", "1.", "1-", "a", "A", "电话", "¥", "a.", "A1", "年1", "(", " ", "http://a.b/", "1 1", "尾号 1"],
)
def test_ten_thousand_characters(part: str, language: Language) -> None:
    spoken = normalize((part * 10_000)[:10_000], language)
    assert not [char for char in spoken if char.isdigit()]
