"""Real networks, loaded once for all tests of hearing that use them together."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kiosk.config import HearingConfig
from kiosk.hearing.segmenter import Segmenter
from kiosk.paths import checkpoints_dir
from models.asr.base import Recogniser
from models.endpointing.smart_turn import SmartTurn
from models.vad.silero import SileroVad
from tests.hearing.turn_ends import load_detectors, load_whisper


def _need(*names: str) -> None:
    for name in names:
        if not (checkpoints_dir() / name).is_dir():
            pytest.skip(f"no weights of {name}")


@pytest.fixture(scope="session")
def detectors() -> Iterator[tuple[SileroVad, SmartTurn]]:
    """Voice activity and end of turn."""
    _need("silero-vad", "smart-turn-v3.2")
    vad, end_of_turn = load_detectors()
    yield vad, end_of_turn
    vad.close()
    end_of_turn.close()


@pytest.fixture(scope="session")
def whisper() -> Iterator[Recogniser]:
    """The default recogniser."""
    _need("whisper-base")
    recogniser = load_whisper()
    yield recogniser
    recogniser.close()


@pytest.fixture
def real_segmenter(detectors: tuple[SileroVad, SmartTurn]) -> Segmenter:
    """A fresh one on the real networks."""
    detectors[0].reset()
    return Segmenter(*detectors, HearingConfig())
