"""The kiosk that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lobby.program import Program
from tests.lobby.questions import QUESTIONS
from tests.lobby.stage_set import StageSet
from tests.lobby.visitors import spoken

READY_WITHIN_S = 240


@pytest.fixture(scope="package")
def kiosk(stage_set: StageSet) -> Iterator[Program]:
    """The real program with real weights, ready.

    A visit is soon forgotten; nothing is prepared and no filler bridges a wait, so that what is heard is the answer,
    approved or the model's, made when it was asked for.
    """
    for i, question in enumerate(QUESTIONS):
        spoken(question, i)  # before the kiosk needs the processor
    config = stage_set.folder / "kiosk.toml"
    config.write_text(
        "[session]\nidle_s = 8\nfarewell_s = 2\nfiller_after_s = 60\n"
        "[language_model]\nprepare_suggested = false\n[answers]\nprepare = false\n",
        encoding="utf-8",
    )
    with Program(stage_set, "--config", str(config)) as program:
        program.wait_for("ready", READY_WITHIN_S)
        yield program
        code, seconds, stderr = program.close()
        assert (code, stderr) == (0, ""), f"closed with {code} after {seconds:.1f} s: {stderr}"
