from __future__ import annotations

import pytest

from kiosk.hearing.unfinished import sounds_unfinished


@pytest.mark.parametrize(
    "text",
    [
        "我想",
        "我的号码是。",
        "138",
        "1380013",
        "一三八",
        "就是",
        "I lost my card and...",
        "My number is",
        "I want to",
    ],
)
def test_more_is_to_come(text: str) -> None:
    assert sounds_unfinished(text)


@pytest.mark.parametrize(
    "text",
    [
        "13800138000",
        "我想办理信用卡。",
        "几点开门？",
        "What is the limit of the?",
        "No.",
        "是",
        "我有三",
        "Thank you.",
        "",
        "谢谢",
    ],
)
def test_nothing_more_is_to_come(text: str) -> None:
    assert not sounds_unfinished(text)
