"""Words of the house: ready sound is heard at once, whatever the voice is doing, and always in order."""

from __future__ import annotations

import numpy as np
import pytest

from kiosk.events import EndOfReply, Event, ReplyClause, SpeechClip
from kiosk.pipeline.fixed_words import FixedWords
from kiosk.pipeline.inbox import Inbox
from kiosk.pipeline.prepared_speech import PreparedSpeech
from kiosk.pipeline.scope import TurnScope
from models.tts.base import SynthesisedSpeech

TEXT = "您好。请问要办什么业务？"
SPOKEN = ("您好。", "请问要办什么业务？")


class Desk:
    """Fixed words with everything that they reach."""

    def __init__(self, ready: tuple[str, ...]) -> None:
        self.scope = TurnScope()
        self.turn_id = self.scope.advance()
        self.voice = Inbox(16, self.scope)
        self.prepared = PreparedSpeech()
        for spoken in ready:
            self.prepared.put(spoken, "zh", (part(), part()))
        self.played: list[SpeechClip] = []
        self.reported: list[Event] = []
        self.words = FixedWords(self.prepared, self.voice, self.played.append, self.reported.append)

    def left_to_the_voice(self) -> list[str]:
        left = []
        while not self.voice.is_empty:
            event = self.voice.get()
            assert isinstance(event, ReplyClause | EndOfReply)
            left.append(event.spoken if isinstance(event, ReplyClause) else "end")
        return left


def part() -> SynthesisedSpeech:
    return SynthesisedSpeech(samples=np.zeros(240, np.float32), sample_rate=24_000, phonemes=())


@pytest.mark.parametrize(
    ("ready", "heard", "spoken"),
    [
        (SPOKEN, SPOKEN, []),
        (SPOKEN[:1], SPOKEN[:1], [SPOKEN[1], "end"]),
        (SPOKEN[1:], (), [*SPOKEN, "end"]),
        ((), (), [*SPOKEN, "end"]),
    ],
)
def test_ready_sound_goes_past_the_voice_and_order_is_kept(
    ready: tuple[str, ...], heard: tuple[str, ...], spoken: list[str]
) -> None:
    desk = Desk(ready)
    desk.words.say(desk.turn_id, TEXT, "zh")
    assert [clip.clause.spoken for clip in desk.played] == [line for line in heard for _ in range(2)]
    assert desk.left_to_the_voice() == spoken
    shown = [event.written for event in desk.reported if isinstance(event, ReplyClause)]
    assert "".join(shown) == TEXT
    assert any(isinstance(event, EndOfReply) for event in desk.reported) == (not spoken), "told of once, by one"


def test_the_end_is_told_after_the_last_sound() -> None:
    desk = Desk(SPOKEN)
    order: list[str] = []
    words = FixedWords(
        desk.prepared,
        desk.voice,
        lambda clip: order.append("sound"),
        lambda event: order.append("end" if isinstance(event, EndOfReply) else "words"),
    )
    words.say(desk.turn_id, TEXT, "zh")
    assert order == ["words", "sound", "sound", "words", "sound", "sound", "end"]


def test_a_bridge_gives_way_to_an_answer_that_is_at_the_voice() -> None:
    desk = Desk(())
    desk.words.say(desk.turn_id, SPOKEN[0], "zh")
    desk.words.fill(desk.turn_id, "请稍等。", "zh")
    assert desk.left_to_the_voice() == [SPOKEN[0], "end"]
