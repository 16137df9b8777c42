"""Which engine and which weights for each stage: what the machine has (`auto`) and what the configuration says."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from kiosk.config import Config
from kiosk.dialogue.answer import Answerer
from kiosk.hearing.segmenter import Segmenter
from models.asr.base import Recogniser
from models.tts.base import Synthesiser

MAX_THREADS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Engines:
    """How to load each stage's model. Nothing is loaded until a member is called, in the thread that will use it."""

    segmenter: Callable[[], Segmenter]
    recogniser: Callable[[], Recogniser]
    answerer: Callable[[], Answerer]
    synthesiser: Callable[[], Synthesiser]


def cpu_threads(config: Config) -> int:
    """Threads for one network."""
    return config.compute.threads or min(os.cpu_count() or 1, MAX_THREADS)
