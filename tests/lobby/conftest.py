"""The virtual screen and sound card, and the tape."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lobby.stage_set import StageSet
from tests.lobby.tape import Tape


@pytest.fixture(scope="session")
def stage_set() -> Iterator[StageSet]:
    with StageSet() as ready:
        yield ready


@pytest.fixture(scope="session")
def tape(stage_set: StageSet) -> Iterator[Tape]:
    running = Tape(stage_set)
    running.start()
    yield running
    running.stop()
