"""Every case of the shared list about text, recognition, turns or devices is a test that carries its number."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from tests.normalize.test_spoken_cases import CASES as SPOKEN_CASES
from tests.text.test_stream_cases import CASES as STREAM_CASES

TESTS = Path(__file__).parent
THEMES = ("asr", "turn", "device", "tn-zh", "tn-en", "stream")
RUN_AS_DATA = {case["id"] for case in (*SPOKEN_CASES, *STREAM_CASES)}
"""Each of these is a parameter of a test, named by its number."""
_ID = re.compile(r"[A-Z]{2}_\d\d")


def rows(theme: str) -> list[str]:
    """The numbers of all cases of this theme, such as AS-01."""
    with (TESTS / "resources" / "cases.jsonl").open(encoding="utf-8") as file:
        return [case["id"] for case in map(json.loads, file) if case["theme"] == theme]


def named_rows() -> set[str]:
    """The numbers that stand in the names of test functions; what only looks like a test is not counted."""
    found: set[str] = set()
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found.update(number.replace("_", "-") for number in _ID.findall(node.name))
    return found


@pytest.mark.parametrize("theme", THEMES)
def test_every_case_of_the_theme_is_a_test(theme: str) -> None:
    wanted = rows(theme)
    assert len(wanted) > 5
    missing = sorted(set(wanted) - named_rows() - RUN_AS_DATA)
    assert not missing, f"no test has these in its name: {', '.join(missing)}"
