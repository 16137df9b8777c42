"""What may be thought about while the visitor has only paused."""

from __future__ import annotations

from kiosk.dialogue.backchannel import Remark, kind_of_remark
from kiosk.hearing.unfinished import sounds_unfinished


def may_be_final(text: str) -> bool:
    """Whether thinking about a question may begin before the visitor's pause is known to be the end."""
    return not sounds_unfinished(text) and kind_of_remark(text) is Remark.SPEECH
