from __future__ import annotations

import pytest

from kiosk.hearing.unfinished import Ending, ending, is_closing, is_single_word, sounds_unfinished


@pytest.mark.parametrize(
    "text",
    [
        "我想",
        "我想办理。",
        "帮我查一下。",
        "麻烦您帮我问一下午。",
        "请告诉我。",
        "我的号码是。",
        "我想把这笔钱。",
        "因为我下周要出国。",
        "如果我把卡弄丢了。",
        "嗯",
        "138",
        "1 3 8",
        "1380013",
        "一三八",
        "one three eight.",
        "My number is 617-555.",
        "就是",
        "然后",
        "I lost my card and...",
        "My number is",
        "I want to",
        "I want to open.",
        "What is the?",
        "What is the limit of the?",
        "How do I get to?",
        "I'd like to know if you",
        "Because I'm travelling next week.",
        "When the bank is closed.",
        "What is the difference between a verb?",
        "Um",
        "I'd like to send a parcel to parcel.",
    ],
)
def test_more_is_to_come(text: str) -> None:
    assert sounds_unfinished(text)


@pytest.mark.parametrize(
    "text",
    [
        "13800138000",
        "139-246-85701",
        "My number is 617-555-0192.",
        "我想办理信用卡。",
        "几点开门？",
        "在哪里可以办理？",
        "贷款找谁办理",
        "你好。",
        "好的我知道了。",
        "What is 12 times 11?",
        "When do you open?",
        "Where are you from?",
        "Can you tell me how much the transfer fee is?",
        "I want to change $500.",
        "If I lose my card, what should I do?",
        "I'm here for the science class in room 2.",
        "No.",
        "No, thank you.",
        "是",
        "Thank you.",
        "谢谢",
        "我是来参观的。",
        "您好我姓王，我想找张经理。",
        "我等了一下午。",
        "没有了。",
        "That's all for now.",
        "I want to talk to you face to face.",
        "What is the first step?",
    ],
)
def test_nothing_more_is_to_come(text: str) -> None:
    assert ending(text) is Ending.COMPLETE
    assert not sounds_unfinished(text)


@pytest.mark.parametrize(
    "text",
    [
        "你们周六。",
        "李白和杜甫",
        "一年定期。",
        "The machine over there.",
        "Saturday.",
        "您好，我姓王。",
        "How many students?",
        "如果你有空你就来，",
        "What's the fastest way?",
        "",
    ],
)
def test_a_topic_alone_is_a_fragment(text: str) -> None:
    assert ending(text) is Ending.FRAGMENT


@pytest.mark.parametrize("text", ["我叫李明。", "My name is David.", "6222 0200 1123"])
def test_what_may_stand_for_itself_is_unsure(text: str) -> None:
    assert ending(text) is Ending.UNSURE


def test_a_quantity_is_no_dictated_number() -> None:
    assert ending("我有三") is not Ending.OPEN
    assert ending("一共12") is not Ending.OPEN


def test_one_misheard_as_another_character_belongs_to_the_number() -> None:
    assert ending("身份证号码是310,105亿。") is Ending.OPEN
    assert ending("贷款一共105亿。") is not Ending.OPEN


def test_a_year_behind_a_long_number_is_misheard() -> None:
    assert ending("我的卡号是62220200年。") is ending("我的卡号是62220200。")
    assert ending("我是2019年。") is not Ending.OPEN


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thank you so much.", True),
        ("No, that's all.", True),
        ("好的，谢谢。", True),
        ("就这些。", True),
        ("Hello.", False),
        ("I have a card.", False),
        ("这些", False),
    ],
)
def test_closing_words_are_thanks_and_farewells(text: str, expected: bool) -> None:
    assert is_closing(text) is expected


def test_a_single_word() -> None:
    assert is_single_word("No.")
    assert is_single_word("是。")
    assert not is_single_word("你好。")
    assert not is_single_word("No, thanks.")
