"""Remarks over an answer: signs of listening, wishes for silence, and what wants an answer."""

from __future__ import annotations

import time

import pytest

from kiosk.dialogue.backchannel import (
    Remark,
    is_murmur,
    is_too_short,
    kind_of_remark,
    starts_anew,
    without_opening,
)

LISTENING = (
    "嗯|嗯。|嗯嗯嗯|好的|好，好的。|哦，明白了|对对对|是吗？|哈哈哈哈|谢谢！|Uh-huh.|"
    "Mm-hmm.|OK|Okay, okay.|I see.|Oh, really?|"
    "Yeah, right.|Ha ha ha!|Thank you."
)
STOP = (
    "停|停一下。|好了，别说了|请停下来|等等！|等一下|不用说了|Stop.|"
    "Stop, please!|OK, stop.|Wait a second.|Hold on|"
    "Please be quiet."
)
SPEECH = (
    "好的，那周六呢？|嗯，贷款找谁？|停车要钱吗？|等一下我想问开户|行长在哪里|对了，厕所在哪？|"
    "知道怎么走吗|Okay, and on Sunday?|"
    "Stop, where is the toilet?|Where do I wait?|"
    "I see no toilet.|Right or left?"
)


@pytest.mark.parametrize("text", LISTENING.split("|"))
def test_signs_of_listening(text: str) -> None:
    assert kind_of_remark(text) is Remark.LISTENING


@pytest.mark.parametrize("text", STOP.split("|"))
def test_wishes_for_silence(text: str) -> None:
    assert kind_of_remark(text) is Remark.STOP


@pytest.mark.parametrize("text", SPEECH.split("|"))
def test_anything_else_wants_an_answer(text: str) -> None:
    assert kind_of_remark(text) is Remark.SPEECH


@pytest.mark.parametrize(
    "text", ["等一下，厕所在哪？", "不对，是周日。", "No, on Sunday.", "Sorry, Sunday.", "Wait, where?"]
)
def test_words_that_take_a_question_back(text: str) -> None:
    assert starts_anew(text)


@pytest.mark.parametrize("text", ["开门吗？", "and on Sunday?", "Now on Sunday.", "还有周日", "Nothing else."])
def test_words_that_go_on_with_it(text: str) -> None:
    assert not starts_anew(text)


@pytest.mark.parametrize("text", ["不笑。", "Happy.", "Happy. Happy.", "行呗，行呗。", "开户", "No."])
def test_too_short_to_end_an_answer(text: str) -> None:
    assert is_too_short(text)


@pytest.mark.parametrize("text", ["几点？", "在哪", "Why?", "why", "找厕所", "The toilet."])
def test_short_and_meant(text: str) -> None:
    assert not is_too_short(text)


@pytest.mark.parametrize(
    ("text", "log_probability", "expected"),
    [
        ("录车移", -1.19, True),
        ("Oh, the car.", -0.95, True),
        ("方故事。", -0.52, True),
        ("Oh, car.", -0.5, True),
        ("The toilet.", -0.3, False),
        ("找厕所", -0.4, False),
        ("多少钱", -0.5, False),
        ("多少钱", -0.95, True),
        ("我想问开户的事", -1.1, False),
    ],
)
def test_a_few_sounds_must_be_recognised_with_confidence(text: str, log_probability: float, expected: bool) -> None:
    assert is_murmur(text, log_probability) is expected


def test_the_longest_run_of_signs_is_judged_at_once() -> None:
    started = time.perf_counter()
    kind_of_remark("嗯好的是对" * 3 + "x")
    kind_of_remark("嗯" * 10_000)
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("等一下，你们周六开门吗？", "你们周六开门吗？"),
        ("等一下你们周六开门吗？", "你们周六开门吗？"),
        ("动一下，开户需要带什么证件？", "开户需要带什么证件？"),
        ("等以下请问厕所在哪里？", "请问厕所在哪里？"),
        ("动一下卡片会怎么样？", "动一下卡片会怎么样？"),
        ("不好意思，等等，厕所在哪里？", "厕所在哪里？"),
        ("Wait, where is the toilet?", "where is the toilet?"),
        ("Sorry, hold on. When do you open?", "When do you open?"),
        ("等一下", "等一下"),
        ("waiting times today?", "waiting times today?"),
        ("几点开门？", "几点开门？"),
    ],
)
def test_the_words_that_break_in_are_no_part_of_the_question(text: str, question: str) -> None:
    assert without_opening(text) == question
