"""Threads of stages need an event loop, not a screen; a conversation needs neither."""

import os

import pytest

from kiosk.pipeline.conversation import Conversation
from tests.pipeline.conversation_bench import BANK, SESSION, Recorder

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before the first QApplication


@pytest.fixture
def effects() -> Recorder:
    return Recorder()


@pytest.fixture
def visit(effects: Recorder) -> Conversation:
    return Conversation(BANK, SESSION, "zh", effects)
