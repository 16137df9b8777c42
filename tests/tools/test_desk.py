"""The desk's dialogue: what it keeps, what it lets go, and what it leaves to others."""

from __future__ import annotations

import datetime

import pytest

from kiosk.tools.desk import SILENCE, Desk
from models.types import Language
from tests.tools.conftest import NOW

LOGIN = ["查余额", "4821", "135790"]


def say(desk: Desk, lines: list[str], language: Language = "zh") -> list[str | None]:
    replies = [desk.take(line, language, NOW) for line in lines]
    return [None if reply is None else reply.text for reply in replies]


def test_all_in_one_sentence(desk: Desk) -> None:
    reply = desk.take("尾号4821，密码一三五七九零，查一下余额", "zh", NOW)
    assert reply is not None
    assert reply.is_answer
    assert reply.tool == "balance"


def test_a_demo_card_identifies_alone(desk: Desk) -> None:
    desk.take("balance please", "en", NOW)
    reply = desk.take("0000 0000 0000 0088", "en", NOW)
    assert reply is not None
    assert reply.is_answer


def test_identity_is_forgotten_after_silence_and_at_the_end(desk: Desk) -> None:
    say(desk, LOGIN)
    assert desk.is_identified
    still = desk.take("查余额", "zh", NOW + SILENCE - datetime.timedelta(seconds=1))
    assert still is not None
    assert still.is_answer
    late = desk.take("查余额", "zh", NOW + 2 * SILENCE)
    assert late is not None
    assert not late.is_answer
    assert not desk.is_identified
    say(desk, LOGIN)
    desk.forget()
    assert not desk.is_identified
    assert say(desk, ["那五月呢"]) == [None]


@pytest.mark.parametrize(("language", "out"), [("zh", "算了"), ("en", "never mind")])
def test_the_visitor_can_back_out(desk: Desk, language: Language, out: str) -> None:
    desk.take("帮我取个号" if language == "zh" else "Give me a queue number please", language, NOW)
    assert desk.is_waiting
    assert desk.take(out, language, NOW) is not None
    assert not desk.is_waiting
    assert desk.take("好的" if language == "zh" else "yes", language, NOW) is None


def test_a_ticket_needs_a_clear_yes_and_numbers_rise(desk: Desk) -> None:
    assert say(desk, ["帮我取个号", "厕所在哪里？"])[-1] is None
    assert "1号" in (say(desk, ["是的"])[0] or "")
    assert "2号" in (say(desk, ["帮我取个号", "好的"])[-1] or "")
    assert "不办" in (say(desk, ["帮我取个号", "不要"])[-1] or "")


def test_the_desk_does_not_wait_for_ever(desk: Desk) -> None:
    assert say(desk, ["查余额", "厕所在哪里？", "你们几点开门？"])[1:] == [None, None]
    assert not desk.is_waiting


def test_too_few_digits_are_asked_for_again(desk: Desk) -> None:
    assert "四位" in (say(desk, ["查余额", "四八二"])[-1] or "")
    assert "六位" in (say(desk, ["4821", "13579"])[-1] or "")


def test_nothing_in_a_month_is_an_answer(desk: Desk) -> None:
    say(desk, LOGIN)
    assert say(desk, ["我2023年5月花了多少钱"]) == ["2023年5月没有支出记录。"]


def test_relatives_are_no_reason_to_refuse_what_is_not_private(desk: Desk) -> None:
    say(desk, LOGIN)
    replies = say(desk, ["where can my wife sit?", "please send 500 yuan to my friend", "and my wife's?"], "en")
    assert replies[0] is None
    assert "cannot move money" in (replies[1] or "")
    assert replies[2] is None
    assert "own card" in (say(desk, ["what's my balance?", "and my wife's?"], "en")[-1] or "")


def test_a_desk_that_runs_for_days_has_the_newest_transactions(desk: Desk) -> None:
    later = NOW + datetime.timedelta(40)
    replies = [desk.take(line, "zh", later) for line in ("我上个月花了多少钱", "4821", "135790")]
    before = [desk.take(line, "zh", later) for line in ("那五月呢", "那六月呢")]
    texts = [reply.text for reply in (replies[-1], *before) if reply is not None]
    assert texts[0] == texts[1]
    assert texts[2].startswith("6月支出")
