from __future__ import annotations

import itertools
import statistics
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kiosk.answers.answer_file import read_answers
from kiosk.dialogue.question_repair import QuestionRepair
from kiosk.dialogue.words import NEWER_WORDS, is_known
from kiosk.paths import RESOURCES
from kiosk.profile import load_profile

PROFILES = ("bank", "booth", "classroom")
ORDINARY = tuple((Path(__file__).parent / "ordinary_zh.txt").read_text(encoding="utf-8").split())
MAX_MS = 2.0
"""Median of one sentence; at the end of speech everybody waits for it."""


def approved(name: str) -> tuple[list[str], list[str]]:
    """Questions and answers in Chinese."""
    answers = read_answers(RESOURCES / "answers" / f"{name}.csv")
    return [q for a in answers for q in a.questions["zh"]], [a.answer["zh"] for a in answers]


def repair_of(name: str) -> QuestionRepair:
    return QuestionRepair.from_profile(load_profile(name), approved(name)[0])


@pytest.fixture(scope="module")
def bank() -> QuestionRepair:
    return repair_of("bank")


@pytest.mark.parametrize(
    ("heard", "meant"),
    [
        *(
            ("请问扯塑在哪里", "请问厕所在哪里"),
            ("请问扯塞在哪里？", "请问厕所在哪里？"),
            ("扯塞在哪里？", "厕所在哪里？"),
        ),
        *(("还户需要带什么证件", "开户需要带什么证件"), ("还护需要带什么证件？", "开户需要带什么证件？")),
        *(("费款找谁办理", "贷款找谁办理"), ("大困找谁办理？", "贷款找谁办理？")),
        ("你好，扯塑在哪里啊？", "你好，厕所在哪里啊？"),
        ("在哪里去后？", "在哪里取号？"),
    ],
)
def test_a_badly_heard_word_of_a_known_question(bank: QuestionRepair, heard: str, meant: str) -> None:
    assert bank.repair(heard) == meant


@pytest.mark.parametrize(
    "text",
    [
        # Words, each near to the one that the question has.
        *(
            "汇款找谁办理",
            "还款找谁办理",
            "存款找谁办理",
            "付款找谁办理",
            "退款找谁办理",
            "大款找谁办理",
            "带宽找谁办理",
            "待客找谁办理",
        ),
        *(
            "开会需要带什么证件",
            "过户需要带什么证件",
            "销户需要带什么证件",
            "客户需要带什么证件",
            "财富需要带什么证件",
        ),
        *(
            "请问插座在哪里",
            "请问超市在哪里",
            "请问诊所在哪里",
            "请问测试在哪里",
            "请问车速在哪里",
            "请问茶室在哪里",
            "吃素在哪里",
        ),
        *(
            "费用找谁办理",
            "可以换外套吗",
            "可以换零钱吗",
            "一年定期存款利息是多少",
            "再见",
            "还会",
            "他说",
            "我还会再来",
        ),
        # Words of our days.
        *(
            "打款找谁办理",
            "车贷找谁办理",
            "电卡找谁办理",
            "退户需要带什么证件",
            "请问车锁在哪里",
            "拼车要钱吗",
            "我要办对公知乎",
        ),
        # Names and what points at something.
        *("请问陈硕在哪里", "请问小策在哪里", "请问这所在哪里", "请问那所在哪里", "该款找谁办理", "每款找谁办理"),
        # Figures; too little of the question; another question; the onset is lost at the beginning alone.
        *(
            "十年定期存款利率是多少",
            "我想费款",
            "费款",
            "费款怎么样",
            "他说费款找谁办理",
            "请问费款找谁办理",
            "再参找谁办理",
        ),
        *("厕所在那里", "在哪里", "贷款找谁办理", "", "?", "9点", "Wi-Fi", "𠮷野家在哪里", "㐀㐁在哪里"),
    ],
)
def test_what_may_be_meant_stays(bank: QuestionRepair, text: str) -> None:
    assert bank.repair(text) == text


@pytest.mark.parametrize("name", PROFILES)
def test_sentences_of_every_place_stay(name: str) -> None:
    repair = repair_of(name).repair
    lines = {text for other in PROFILES for part in approved(other) for text in part}
    facts = {fact for other in PROFILES for fact in load_profile(other).zh.facts}
    sentences = sorted({*ORDINARY, *lines, *facts})
    assert len(sentences) >= 1000
    assert [(text, repair(text)) for text in sentences if repair(text) != text] == []


@pytest.mark.parametrize("word", ["厕所", "贷款", "开户", "外币", "转账"])
def test_no_word_of_the_dictionary_is_changed(bank: QuestionRepair, word: str) -> None:
    """Every word of two characters from those of all profiles' lines, put where the question has this one."""
    texts = [text for name in PROFILES for part in approved(name) for text in part]
    others = {a + b for text in texts for a, b in itertools.pairwise(text) if is_known(a + b)}
    others |= {newer for newer in NEWER_WORDS if len(newer) == 2}
    assert len(others) >= 500
    questions = {
        "厕所": "{}在哪里",
        "贷款": "{}找谁办理",
        "开户": "{}需要带什么证件",
        "外币": "可以换{}吗",
        "转账": "手机上{}免费吗",
    }
    asked = [questions[word].format(other) for other in others]
    assert [(text, bank.repair(text)) for text in asked if bank.repair(text) != text] == []


def test_two_questions_that_fit_alike_leave_it_open() -> None:
    both = QuestionRepair(["厕所在哪里？", "车锁在哪里？"])
    assert both.repair("扯塑在哪里") == "扯塑在哪里"
    assert QuestionRepair(["车锁在哪里？"]).repair("扯塑在哪里") == "车锁在哪里"


def test_a_profile_alone_gives_its_questions() -> None:
    repair = QuestionRepair.from_profile(load_profile("bank")).repair
    assert repair("费款找谁办理？") == "贷款找谁办理？"
    assert repair("请问扯塑在哪里？") == "请问扯塑在哪里？"


_CHARACTERS = "厕所扯塑塞贷款费大困开还户在哪里找谁办理需要带什么证件请问"


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=_CHARACTERS + "a1，", max_size=12))
def test_repairing_twice_is_repairing_once(bank: QuestionRepair, text: str) -> None:
    for heard in (text, f"{text[:2]}在哪里", f"{text[:2]}找谁办理"):
        once = bank.repair(heard)
        assert bank.repair(once) == once
        assert len(once) == len(heard)


def test_quick_enough_to_wait_for(bank: QuestionRepair) -> None:
    spent_ms = []
    for text in (*ORDINARY, "请问扯塑在哪里", "请问你们这里的一年定期存款利率和三年定期存款利率是多少啊"):
        started = time.thread_time()
        bank.repair(text)
        spent_ms.append((time.thread_time() - started) * 1000)
    assert statistics.median(spent_ms) < MAX_MS
