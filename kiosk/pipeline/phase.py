"""Where in a visit we are."""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    """The states of `Conversation`."""

    ATTRACT = "attract"
    GREETING = "greeting"
    LISTENING = "listening"
    THINKING = "thinking"
    SPEAKING = "speaking"
    IDLE_WARNING = "idle_warning"
    FAREWELL = "farewell"
