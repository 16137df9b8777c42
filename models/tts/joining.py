"""Speaks a long clause piece by piece and joins the sound."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from models.tts.base import SynthesisedSpeech
from models.tts.splitting import split_phonemes
from models.tts.timing import SAMPLE_RATE, shift_times
from models.types import FloatArray, PhonemeTime, ShouldStop

JOIN_PAUSE_S = {",": 0.12, "—": 0.15, ":": 0.15, ";": 0.2, ".": 0.3, "!": 0.3, "?": 0.3, "…": 0.3}
"""Silence between two pieces, by the mark at the end of the first; none between words."""

PieceSpeaker = Callable[[str], tuple[FloatArray, list[PhonemeTime]]]
"""Speaks one piece: phonemes → trimmed sound at 24 kHz and the times of its phonemes."""


def speak_in_pieces(phonemes: str, speak: PieceSpeaker, should_stop: ShouldStop) -> SynthesisedSpeech:
    """Speak the whole string; empty if `should_stop` says so between two pieces or nothing in it can be heard."""
    sounds: list[FloatArray] = []
    times: list[PhonemeTime] = []
    length = 0
    pause_s = 0.0
    for piece in split_phonemes(phonemes):
        if should_stop():
            return speech([], [])
        if not any(symbol.isalpha() for symbol in piece):
            continue
        samples, piece_times = speak(piece)
        if len(samples) == 0:
            continue
        if sounds and pause_s:
            silence = np.zeros(round(pause_s * SAMPLE_RATE), np.float32)
            sounds.append(silence)
            end = length + len(silence)
            times.append(PhonemeTime(symbol=" ", start_s=length / SAMPLE_RATE, end_s=end / SAMPLE_RATE))
            length = end
        sounds.append(samples)
        times += shift_times(piece_times, length / SAMPLE_RATE)
        length += len(samples)
        pause_s = JOIN_PAUSE_S.get(piece[-1], 0.0)
    return speech(sounds, times)


def speech(sounds: list[FloatArray], times: list[PhonemeTime]) -> SynthesisedSpeech:
    """Put sounds and times that follow each other into one result."""
    samples = np.concatenate(sounds) if sounds else np.zeros(0, np.float32)
    return SynthesisedSpeech(samples=samples, sample_rate=SAMPLE_RATE, phonemes=tuple(times))
