from __future__ import annotations

from collections.abc import Sequence

import pytest

from kiosk.dialogue.follow_up import leans_on_history, stands_alone
from kiosk.dialogue.history import MAX_TURNS, History, Turn, fit_turns
from models.llm.base import ChatMessage
from models.types import Language

SYSTEM = ChatMessage(role="system", content="事实")
QUESTION = ChatMessage(role="user", content="最后的问题")


def turn(number: int, length: int = 300) -> Turn:
    return Turn(question=f"问{number}" + "字" * length, answer=f"答{number}" + "字" * length)


def count(messages: Sequence[ChatMessage]) -> int:
    return sum(len(message.content) + 4 for message in messages)


def test_ST_19_sixty_long_turns_stay_within_the_context() -> None:
    history = History()
    lengths = []
    for number in range(60):
        messages = fit_turns([SYSTEM], history.turns(), QUESTION, count_tokens=count, max_tokens=4000)
        assert messages[0] == SYSTEM
        assert messages[-1] == QUESTION
        assert len(messages) % 2 == 0  # whole turns between the two
        lengths.append(count(messages))
        history.add(turn(number), history.visitor)
    assert max(lengths) <= 4000
    assert lengths[59] <= 1.3 * lengths[10]  # so does the time before the first word
    assert [t.question[:3] for t in history.turns()] == [f"问{n}" for n in range(60 - MAX_TURNS, 60)]


def test_the_newest_turns_are_kept() -> None:
    messages = fit_turns([SYSTEM], [turn(1), turn(2), turn(3)], QUESTION, count_tokens=count, max_tokens=1400)
    assert [message.content[:2] for message in messages[1:-1]] == ["问2", "答2", "问3", "答3"]


def test_nothing_but_system_and_question_when_a_single_turn_is_too_long() -> None:
    assert fit_turns([SYSTEM], [turn(1, 9000)], QUESTION, count_tokens=count, max_tokens=100) == [SYSTEM, QUESTION]


def test_the_next_visitor_finds_nothing() -> None:  # LR-13
    history = History()
    earlier = history.visitor
    history.add(Turn(question="我叫王芳，要取5000元", answer="好的"), earlier)
    history.clear()
    history.add(Turn(question="我叫王芳", answer="late end of an interrupted answer"), earlier)
    assert history.turns() == ()
    history.correct(0, "nothing to correct")
    assert history.turns() == ()


def test_only_what_was_said_is_kept() -> None:
    history = History()
    for number, answer in ((1, "one two three"), (2, "four five")):
        history.add(Turn(question="a", answer=answer, turn_id=number), history.visitor)
    history.correct(1, "one")
    assert [turn.answer for turn in history.turns()] == ["one", "four five"]
    history.correct(2, "")
    assert [turn.answer for turn in history.turns()] == ["one"]


def test_a_correction_may_come_before_the_turn() -> None:
    history = History()
    history.correct(3, "one")
    history.correct(4, "")
    history.add(Turn(question="a", answer="one two three", turn_id=3), history.visitor)
    history.add(Turn(question="b", answer="never heard", turn_id=4), history.visitor)
    history.add(Turn(question="c", answer="four", turn_id=5), history.visitor)
    assert [turn.answer for turn in history.turns()] == ["one", "four"]


def test_corrections_that_nothing_comes_for_do_not_pile_up() -> None:
    history = History()
    for number in range(1000):
        history.correct(number, "")
    history.add(Turn(question="a", answer="kept", turn_id=1), history.visitor)
    assert [turn.answer for turn in history.turns()] == ["kept"]


@pytest.mark.parametrize(
    ("question", "language", "leans"),
    [
        ("周日呢？", "zh", True),
        ("那三年的利率是多少？", "zh", True),
        ("为什么？", "zh", True),
        ("它在哪里？", "zh", True),
        ("我刚才说了什么？", "zh", True),
        ("几点开门？", "zh", False),
        ("跨行转账手续费是多少？", "zh", False),
        ("开户需要带什么证件？", "zh", False),
        ("And on Sunday?", "en", True),
        ("How much?", "en", True),
        ("Where can I find it?", "en", True),
        ("What did I say before you said that?", "en", True),
        ("What time do you open?", "en", False),
        ("Is there a cash machine?", "en", False),
        ("I lost my card, what should I do?", "en", False),
    ],
)
def test_questions_that_lean_on_history(question: str, language: Language, leans: bool) -> None:
    assert leans_on_history(question, language) is leans


def test_what_leans_on_earlier_turns_does_not_stand_alone() -> None:
    turn = Turn(question="几点开门？", answer="9点。")
    assert stands_alone("你们几点开门？", "zh", [turn], "when_needed")
    assert not stands_alone("那周六呢？", "zh", [turn], "when_needed")
    assert stands_alone("你们几点开门？", "zh", [], "always")
    assert not stands_alone("你们几点开门？", "zh", [turn], "always")
