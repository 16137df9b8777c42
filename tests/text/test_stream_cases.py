"""The reported streams: what is spoken does not depend on how the model's text arrives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kiosk.dialogue.reasoning import ReasoningFilter
from kiosk.dialogue.reply import Clause, ReplyBuilder
from models.types import Language

CASES = [
    case
    for case in map(
        json.loads,
        (Path(__file__).parents[1] / "resources" / "cases.jsonl").read_text(encoding="utf-8").splitlines(),
    )
    if case["theme"] == "stream" and "data" in case
]
ENGLISH = {"ST-12"}
TEMPLATE_OPENS_REASONING = {"ST-07"}


def spoken(deltas: list[str], language: Language, *, opens_reasoning: bool) -> list[str]:
    """As an answer goes: reasoning first, then clauses; those without a word reach no voice."""
    reasoning, builder = ReasoningFilter(hold_until_closed=opens_reasoning), ReplyBuilder(language)
    clauses: list[Clause] = []
    for delta in deltas:
        clauses += builder.push(reasoning.push(delta))
    clauses += builder.push(reasoning.finish())
    clauses += builder.finish()
    return [clause.spoken for clause in clauses if clause.spoken]


def letters(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


def ways_to_cut(deltas: list[str]) -> list[list[str]]:
    whole = "".join(deltas)
    return [deltas, list(whole), *([whole[:i], whole[i:]] for i in range(1, len(whole)))]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_reported_stream_is_spoken_as_agreed(case: dict) -> None:
    data, language = case["data"], "en" if case["id"] in ENGLISH else "zh"
    for deltas in ways_to_cut(data["deltas"]):
        said = spoken(deltas, language, opens_reasoning=case["id"] in TEMPLATE_OPENS_REASONING)
        if "spoken" in data:
            assert letters("".join(said)) == letters("".join(data["spoken"])), deltas
        else:
            assert said[0].startswith(data["spoken_starts_with"]), deltas
        if len(data.get("spoken", [])) > 1:
            assert [letters(line) for line in said] == [letters(line) for line in data["spoken"]], deltas
        assert all(letters(line) for line in said), "nothing without a word may reach the voice"
