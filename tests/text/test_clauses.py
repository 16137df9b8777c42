"""Clauses: the first is short, none cuts a number, and how the stream is cut does not matter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiosk.dialogue.markup import SpeechFilter
from kiosk.dialogue.reply import Clause, ReplyBuilder, clauses_of
from kiosk.normalize import is_speakable, normalize
from models.types import LANGUAGES, Language

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "spoken_cases.jsonl").read_text(encoding="utf-8").splitlines()
]
SENTENCES = {
    "zh": [case["input"] for case in CASES if case["id"].startswith("ZH")],
    "en": [case["input"] for case in CASES if case["id"].startswith("EN")],
}


def built(deltas: list[str], language: Language) -> list[Clause]:
    builder = ReplyBuilder(language)
    out = [clause for delta in deltas for clause in builder.push(delta)]
    return out + builder.finish()


def letters(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


def spoken(text: str, language: Language = "zh") -> list[str]:
    return [clause.spoken for clause in clauses_of(text, language)]


@pytest.mark.parametrize(
    ("language", "deltas", "expected"),
    [
        (
            "zh",
            ["# 办理步骤\n- **第一步**：取号\n- 第二步：到`3号`窗口"],
            "办理步骤。第一步：取号。第二步：到三号窗口",
        ),
        ("zh", ["*重", "点*很", "重要。"], "重点很重要。"),
        ("zh", ["请填 user_name_cn 字段\n* 甲\n* 乙"], "请填 user name cn 字段，甲，乙"),
        ("zh", ["详情见[利率公告](http://www.example.com/a?b=1&c=%E4%BD%A0)。"], "详情见利率公告。"),
        ("zh", ["✅ 已完成 👨‍👩‍👧\n|项目|金额|\n|---|---|\n|A|1|\n┌─┐"], "已完成。表格见屏幕。"),
        ("zh", ["输入*9", "9#查询，*2024*年，按*键。"], "输入星号九九井号查询，二零二四年，按星号键。"),
        ("zh", ["...", "——", "😊", "   ", "***", "！", "8..."], "八"),
        ("en", ["Dr. Lee is in at 9 a.m. sharp. Please wait."], "Doctor Lee is in at nine A M sharp. Please wait."),
    ],
)
def test_reported_stream(language: Language, deltas: list[str], expected: str) -> None:
    clauses = built(deltas, language)
    assert letters("".join(clause.spoken for clause in clauses)) == letters(expected)
    assert [clause.index for clause in clauses] == list(range(len(clauses)))


def test_decimal_that_ends_a_delta_is_not_cut() -> None:
    clauses = built(["年利率是3.", "85%。", "起存50元。"], "zh")
    assert [clause.spoken for clause in clauses] == ["年利率是百分之三点八五。", "起存五十元。"]
    assert [clause.written for clause in clauses] == ["年利率是3.85%。", "起存50元。"]


def test_an_english_answer_begins_before_its_first_preposition() -> None:
    clauses = clauses_of("Yes, we are open on Saturday from 10 am to 3 pm.", "en")
    assert [clause.written.strip() for clause in clauses] == ["Yes, we are open on Saturday", "from 10 am to 3 pm."]


def test_abbreviations_end_no_sentence() -> None:
    assert len(clauses_of("Dr. Lee is in at 9 a.m. sharp. Please wait.", "en")) == 2


def test_deltas_of_marks_alone_give_no_clause() -> None:
    builder = ReplyBuilder("zh")
    for delta in ["...", "——", "😊", "   ", "***", "！"]:
        assert builder.push(delta) == []
    assert builder.push("8...") == []
    assert [clause.spoken.strip(".") for clause in builder.finish()] == ["八"]


def test_first_clause_comes_at_the_first_comma() -> None:
    builder = ReplyBuilder("zh")
    assert [clause.written for clause in builder.push("您好，欢迎光临，")] == ["您好，欢迎光临，"]
    builder = ReplyBuilder("en")
    assert [clause.written for clause in builder.push("To open an account, p")] == ["To open an account,"]


def test_later_clauses_are_longer() -> None:
    clauses = clauses_of("您好，欢迎光临，请您先取号，再到三号窗口，最后签字，就可以了。", "zh")
    assert [clause.written for clause in clauses] == [
        "您好，欢迎光临，",
        "请您先取号，再到三号窗口，最后签字，",
        "就可以了。",
    ]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "zh",
            "本行为您提供的个人储蓄存款业务包括活期存款和整存整取定期存款以及零存整取定期存款还有通知存款和大额存单等多种产品并且您可以根据自己的资金使用计划选择合适的期限同时在手机银行上随时查询余额和利息情况而不必每次都到网点柜台排队办理相关手续",
        ),
        (
            "en",
            "Our branch offers current accounts and savings accounts and fixed deposits for every customer who would "
            "like to keep money safe while earning interest at a rate that depends on the term a customer chose",
        ),
    ],
)
def test_long_sentence_without_a_mark_is_cut_between_words(language: Language, text: str) -> None:
    clauses = clauses_of(text, language)
    joint = "" if language == "zh" else " "
    assert joint.join(clause.written for clause in clauses) == text
    sizes = [len(c.written) if language == "zh" else len(c.written.split()) for c in clauses]
    longest, least = (46, 6) if language == "zh" else (22, 4)
    assert max(sizes) <= longest
    assert min(sizes) >= least
    for word in ("存款", "手机银行", "柜台", "期限"):
        assert "".join(c.written for c in clauses).count(word) == sum(c.written.count(word) for c in clauses)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("zh", "余额为12,345.67元"),
        ("zh", "营业时间为9:00-17:30"),
        ("zh", "请拨打110、119或120"),
        ("zh", "他说“请稍等，我马上来。”"),
        ("en", "It opened on March 5, 2024"),
        ("en", "See www.example.com/a,b?c=1 today"),
        ("en", "The U.S. dollar, e.g. $1,234.50"),
    ],
)
def test_numbers_addresses_and_quotations_stay_whole(language: Language, text: str) -> None:
    assert (
        len([c for c in clauses_of(text, language) if any(ch.isdigit() for ch in c.written) or "“" in c.written]) == 1
    )


def test_dropped_reply_parts_leave_no_clause() -> None:
    assert clauses_of("！！！\n---\n```\n```", "zh") == []


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(LANGUAGES), st.data())
def test_every_way_of_splitting_gives_the_same_clauses(language: Language, data: st.DataObject) -> None:
    sentences = data.draw(st.lists(st.sampled_from(SENTENCES[language]), min_size=1, max_size=3))
    text = data.draw(st.sampled_from(["。", "，", "\n- ", ". ", " **"])).join(sentences)
    whole = clauses_of(text, language)
    cut = data.draw(st.integers(0, len(text)))
    assert built([text[:cut], text[cut:]], language) == whole
    assert built(list(text), language) == whole


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(LANGUAGES), st.data())
def test_clauses_read_like_the_whole(language: Language, data: st.DataObject) -> None:
    sentences = data.draw(st.lists(st.sampled_from(SENTENCES[language]), min_size=1, max_size=4))
    text = data.draw(st.sampled_from(["。", "，"] if language == "zh" else [". ", ", "])).join(sentences)
    markup = SpeechFilter(language)
    whole = normalize("".join(piece.speakable for piece in markup.push(text) + markup.finish()), language)
    assert letters("".join(spoken(text, language))) == letters(whole)


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=80), st.sampled_from(LANGUAGES))
def test_any_text_gives_speakable_clauses(text: str, language: Language) -> None:
    for clause in clauses_of(text, language):
        assert is_speakable(clause.spoken) or (clause.spoken == "" and is_speakable(clause.written))


@pytest.mark.parametrize("part", ["a", "[", "*", "<", "1", "。", "，", "字", "“", "| ", "http://", "`"])
def test_ten_thousand_characters(part: str) -> None:
    shown = "".join(clause.written for clause in clauses_of((part * 10_000)[:10_000], "zh"))
    assert len(shown) <= 12_000
