"""One visitor at the microphone, faster than real time: segmenter and recognition on trial with modelled delay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from kiosk.hearing.results import HearingResult, SpeechEnded, SpeechPaused
from kiosk.hearing.segmenter import Segmenter
from models.types import FloatArray
from tests.hearing.hearing_sounds import RATE

Recognise: TypeAlias = Callable[[FloatArray], str]

BLOCK = 160  # samples, 10 ms as from the microphone


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A turn and when it was closed."""

    closed_s: float
    """On the clock of the sound."""
    turn: SpeechEnded


class TrialRecognition:
    """Words arrive a fixed time after they were asked for; one request at a time, one more may wait."""

    def __init__(self, recognise: Recognise, takes_s: float) -> None:
        self._recognise = recognise
        self._takes_ns = int(takes_s * 1e9)
        self._under_way: list[tuple[int, SpeechPaused]] = []  # when it is done, what is read

    def ask(self, paused: SpeechPaused, now_ns: int) -> None:
        """A pause has begun; dropped if a request waits already."""
        if len(self._under_way) < 2:
            begins_ns = max(now_ns, self._under_way[-1][0]) if self._under_way else now_ns
            self._under_way.append((begins_ns + self._takes_ns, paused))

    def tell(self, segmenter: Segmenter, now_ns: int) -> None:
        """Hand over what is ready."""
        while self._under_way and self._under_way[0][0] <= now_ns:
            _, paused = self._under_way.pop(0)
            segmenter.note_text(paused.speech_end_ns, self._recognise(paused.samples))


def listen(segmenter: Segmenter, samples: FloatArray, recognise: Recognise, takes_s: float) -> list[Found]:
    """Play one utterance into the segmenter.

    Args:
        segmenter: Fresh, or as earlier utterances left it.
        samples: float32 mono at 16 kHz.
        recognise: Reads the words of a turn so far.
        takes_s: Time from a pause to its words.

    Returns:
        The turns found, in order.
    """
    trial = TrialRecognition(recognise, takes_s)
    found = []
    for start in range(0, len(samples), BLOCK):
        now_ns = (start + BLOCK) * 1_000_000_000 // RATE
        trial.tell(segmenter, now_ns)
        results: list[HearingResult] = segmenter.push(samples[start : start + BLOCK], now_ns)
        for result in results:
            if isinstance(result, SpeechPaused):
                trial.ask(result, now_ns)
            elif isinstance(result, SpeechEnded):
                found.append(Found(closed_s=now_ns / 1e9, turn=result))
    return found
