"""Speaks a long clause piece by piece; puts what belongs together on one clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from models.tts.base import SynthesisedSpeech
from models.tts.splitting import split_phonemes
from models.tts.timing import SAMPLE_RATE, shift_times
from models.types import PhonemeTime, ShouldStop

JOIN_PAUSE_S = {",": 0.12, "—": 0.15, ":": 0.15, ";": 0.2, ".": 0.3, "!": 0.3, "?": 0.3, "…": 0.3}
"""Silence between two pieces, by the mark at the end of the first; none between words."""

PieceSpeaker = Callable[[str], Iterator[SynthesisedSpeech]]
"""Speaks the phonemes of one piece, in one or more parts, without silence at both ends."""

NOTHING = SynthesisedSpeech(samples=np.zeros(0, np.float32), sample_rate=SAMPLE_RATE, phonemes=())


def speak_in_pieces(phonemes: str, speak: PieceSpeaker, should_stop: ShouldStop) -> Iterator[SynthesisedSpeech]:
    """Speak the whole string, ending early when `should_stop` says so; each part has a clock of its own."""
    pause_s = 0.0
    for piece in split_phonemes(phonemes):
        if not any(symbol.isalpha() for symbol in piece):
            continue
        if should_stop():
            return
        spoken = False
        for part in speak(piece):
            if len(part.samples):
                yield part if spoken or not pause_s else join([_silence(pause_s), part])
                spoken = True
            if should_stop():
                return
        if spoken:
            pause_s = JOIN_PAUSE_S.get(piece[-1], 0.0)


def join(parts: Iterable[SynthesisedSpeech]) -> SynthesisedSpeech:
    """One sound out of parts that follow each other."""
    sounds, times, length = [], list[PhonemeTime](), 0
    for part in parts:
        sounds.append(part.samples)
        times += shift_times(part.phonemes, length / SAMPLE_RATE)
        length += len(part.samples)
    if not length:
        return NOTHING
    return SynthesisedSpeech(samples=np.concatenate(sounds), sample_rate=SAMPLE_RATE, phonemes=tuple(times))


def join_unless_stopped(parts: Iterable[SynthesisedSpeech], should_stop: ShouldStop) -> SynthesisedSpeech:
    """One sound, or nothing if it is not wanted any more."""
    whole = join(parts)
    return NOTHING if should_stop() else whole


def _silence(length_s: float) -> SynthesisedSpeech:
    samples = np.zeros(round(length_s * SAMPLE_RATE), np.float32)
    pause = PhonemeTime(symbol=" ", start_s=0.0, end_s=len(samples) / SAMPLE_RATE)
    return SynthesisedSpeech(samples=samples, sample_rate=SAMPLE_RATE, phonemes=(pause,))
