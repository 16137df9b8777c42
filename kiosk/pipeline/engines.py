"""Which engine and which weights for each stage: what the machine has (`auto`) and what the configuration says."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kiosk.config import Config
from kiosk.dialogue.answer import Answerer
from kiosk.face.portrait import Portrait
from kiosk.hearing.segmenter import Segmenter
from kiosk.profile import Profile
from models.asr import load_recogniser
from models.asr.base import Recogniser
from models.endpointing.smart_turn import SmartTurn
from models.llm import load_chat_model
from models.tts import load_synthesiser
from models.tts.base import Synthesiser
from models.vad.silero import SileroVad
from models.weights import locate

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
