"""A segmenter with scripted detectors: loudness is the voice, time is the number of samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kiosk.config import HearingConfig
from kiosk.hearing.results import HearingResult, SpeechEnded, SpeechPaused
from kiosk.hearing.segmenter import Segmenter
from models.types import FloatArray

RATE = 16_000
MS = RATE // 1000
EPSILON_MS = 40  # one window of 32 ms, rounded up


class LoudnessVad:
    """Speech is what is loud. Like the real one it takes windows of 512 only, and has a state to reset."""

    def __init__(self) -> None:
        self.resets = 0
        self.closed = False

    def probability(self, window: FloatArray) -> float:
        assert window.shape == (512,)
        return float(min(1.0, np.abs(window).mean()))

    def reset(self) -> None:
        self.resets += 1

    def close(self) -> None:
        self.closed = True


class ScriptedEndOfTurn:
    """Answers by a rule over the turn so far, and notes when it was asked."""

    def __init__(self, rule: Callable[[FloatArray], float]) -> None:
        self.rule = rule
        self.asked: list[int] = []
        self.closed = False

    def probability(self, samples: FloatArray) -> float:
        self.asked.append(len(samples))
        return self.rule(samples)

    def close(self) -> None:
        self.closed = True


class Bench:
    """Feeds sound and keeps the results with the time of the stream in ms."""

    def __init__(self, complete: float = 1.0, words: str | None = None, **options: object) -> None:
        """The model finds each pause as complete as told; the recogniser reads the words, or nothing in time."""
        self.words = words
        self.vad = LoudnessVad()
        self.end_of_turn = ScriptedEndOfTurn(lambda _: complete)
        self.segmenter = Segmenter(self.vad, self.end_of_turn, HearingConfig(**options))  # type: ignore[arg-type]
        self.samples = 0
        self.log: list[tuple[int, HearingResult]] = []

    def sound(
        self, level: float, ms: int, block: int = 160, is_own_voice: bool = False, evidence: float = 0.0
    ) -> list[HearingResult]:
        return self.samples_of(level, ms * MS, block, is_own_voice, evidence)

    def samples_of(
        self, level: float, count: int, block: int = 160, is_own_voice: bool = False, evidence: float = 0.0
    ) -> list[HearingResult]:
        new = []
        data = np.full(count, level, np.float32)
        for start in range(0, len(data), block):
            part = data[start : start + block]
            self.samples += len(part)
            results = self.segmenter.push(part, self.samples * 1_000_000_000 // RATE, is_own_voice, evidence)
            new += results
            self.log += [(self.samples // MS, result) for result in results]
            if self.words is not None and any(isinstance(result, SpeechPaused) for result in results):
                self.note(self.words)
        return new

    def voice(self, ms: int) -> list[HearingResult]:
        return self.sound(0.9, ms)

    def quiet(self, ms: int) -> list[HearingResult]:
        return self.sound(0.0, ms)

    def paused_at(self) -> int:
        """End of speech of the last pause."""
        return [result.speech_end_ns for _, result in self.log if isinstance(result, SpeechPaused)][-1]

    def note(self, text: str) -> None:
        """The recogniser has read the words up to the last pause."""
        self.segmenter.note_text(self.paused_at(), text)

    def ended(self) -> list[SpeechEnded]:
        return [result for _, result in self.log if isinstance(result, SpeechEnded)]


def kinds(results: list[HearingResult]) -> list[type]:
    return [type(result) for result in results]
