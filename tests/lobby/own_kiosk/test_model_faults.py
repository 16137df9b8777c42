"""The language model fails in mid-answer: the visitor is not left alone, and the next one is answered."""

from __future__ import annotations

import pytest

from tests.lobby.model_process import ModelProcess
from tests.lobby.report import columns
from tests.lobby.session import Session, Setting
from tests.lobby.trials.model_faults import break_often

pytestmark = [pytest.mark.e2e, pytest.mark.weights]

SILENCE_MS = 3000
IN_CI = 2
"""Killed and stopped; `python -m tests.lobby faults` does all, more often."""


def test_a_model_that_dies_stops_or_starves_brings_a_person() -> None:
    with ModelProcess() as model, Session(Setting(config=model.config, has_scripted_answers=True)) as session:
        found = break_often(session, model, IN_CI)
    print(f"\n{columns(found)}")
    assert session.stderr == ""
    for trial in found:
        assert trial.silence_ms is not None, trial
        assert trial.silence_ms <= SILENCE_MS, trial
        assert trial.is_next_right, trial
