"""Closing the window in every state: exit code 0, soon, nothing on stderr, nothing left behind."""

from __future__ import annotations

import pytest

from tests.lobby.program import Program
from tests.lobby.questions import QUESTIONS
from tests.lobby.stage_set import StageSet
from tests.lobby.visit import play
from tests.lobby.visitors import spoken

pytestmark = [pytest.mark.e2e, pytest.mark.weights]

CLOSE_WITHIN_S = 5.0


def bring_to(state: str, stage_set: StageSet, program: Program) -> None:
    """Wait until the kiosk is in this state."""
    if state == "loading":
        program.wait_for("loading", 120, lambda line: line["stage"] == "language model")
        return
    program.wait_for("ready", 240)
    if state == "listening":
        play(stage_set, spoken(QUESTIONS[0])[: 48_000 // 2])
    elif state in ("thinking", "speaking"):
        play(stage_set, spoken(QUESTIONS[0]))
        program.wait_for("phase", 60, lambda line: line["phase"] == state)


@pytest.mark.parametrize("state", ["loading", "listening", "thinking", "speaking"])
def test_closing(stage_set: StageSet, state: str) -> None:
    spoken(QUESTIONS[0])
    with Program(stage_set) as program:
        bring_to(state, stage_set, program)
        code, seconds, stderr = program.close(30)
    print(f"closed while {state} in {seconds:.2f} s")
    assert (code, stderr) == (0, "")
    assert seconds < CLOSE_WITHIN_S
