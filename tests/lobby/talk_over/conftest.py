"""The kiosk that the trials of this folder share: in a room with an echo, its language model scripted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lobby.session import Session, Setting
from tests.lobby.stage_set import StageSet
from tests.lobby.visit import Judge


@pytest.fixture(scope="package")
def session(stage_set: StageSet) -> Iterator[Session]:
    """Echo at -10 dB after 120 ms with the room's reflections, the microphone's clock 0.1 % fast."""
    with Session(Setting(is_scripted=True), stage_set) as running:
        yield running
    assert running.stderr == ""


@pytest.fixture(scope="session")
def judge() -> Judge:
    return Judge()
