"""Long numbers do not stand on the screen for all to read."""

from __future__ import annotations

import pytest

from kiosk.dialogue.secrets import without_secrets


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("135790", "••••90"),
        ("135，790", "•••，•90"),
        ("密码是一三五七九零。", "密码是••••九零。"),
        ("一三五、七九零", "•••、•九零"),
        ("My code is one three five seven nine zero.", "My code is • • • • nine zero."),
        ("我的电话是138 0013 8000", "我的电话是••• •••• ••00"),
        ("尾号4821的余额", "尾号4821的余额"),
        ("2026年12月3日", "2026年12月3日"),
        ("存50000元两年", "存50000元两年"),
        ("1,234,500元", "1,234,500元"),
        ("一三五七九", "一三五七九"),
        ("", ""),
    ],
)
def test_codes_and_long_numbers_are_covered(text: str, shown: str) -> None:
    assert without_secrets(text) == shown
