"""Which questions the bank's tools take: measured on sentences that are theirs and on others that are not."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from kiosk.answers.answer_file import read_answers, shipped_path
from kiosk.profile import Profile
from kiosk.tools.bank.database import BankDatabase
from kiosk.tools.bank.house import House
from kiosk.tools.bank.intents import INTENTS
from kiosk.tools.bank.tools import BankTools
from kiosk.tools.intents import IntentReader
from models.types import Language
from tests.tools.conftest import TODAY

DATA = Path(__file__).with_name("data")
LEAST_HITS = 0.97


def rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (DATA / name).read_text(encoding="utf-8").splitlines() if line]


def reader(profile: Profile, path: Path) -> IntentReader:
    bank = BankDatabase(TODAY, path)
    tools = BankTools(bank, House.from_profile(profile)).tools()
    bank.close()
    return IntentReader(tools, INTENTS)


def test_questions_for_tools_find_their_tool(profile: Profile, bank_file: Path) -> None:
    read, asked = reader(profile, bank_file), rows("asked.tsv")
    missed, wrong = [], []
    for tool, language, question in asked:
        found = read.read(question, cast("Language", language), TODAY)
        if found is None:
            missed.append(question)
        elif found.tool.name != tool:
            wrong.append((question, found.tool.name))
    print(f"{len(asked) - len(missed) - len(wrong)} of {len(asked)}; missed {missed}, wrong {wrong}")
    assert len(asked) >= 150
    assert not wrong
    assert 1 - len(missed) / len(asked) >= LEAST_HITS, missed


def test_other_questions_are_left_alone(profile: Profile, bank_file: Path) -> None:
    read, others = reader(profile, bank_file), rows("not_asked.tsv")
    taken = [q for language, q in others if read.read(q, cast("Language", language), TODAY) is not None]
    assert len(others) >= 100
    assert taken == []


def test_questions_with_an_approved_answer_are_left_to_it(profile: Profile, bank_file: Path) -> None:
    """Except whether the bank is open today, which the tool knows better."""
    read, taken, asked = reader(profile, bank_file), [], 0
    for answer in read_answers(shipped_path("bank")):
        for language, questions in answer.questions.items():
            asked += len(questions)
            found = [(q, read.read(q, language, TODAY)) for q in questions]
            taken += [q for q, request in found if request is not None and request.tool.name != "branch_hours"]
    assert asked > 500
    assert len(taken) <= asked * 0.005, taken
