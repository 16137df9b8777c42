"""Visitors who pause: sentences spoken by Kokoro with silence at a word boundary or at a comma, at 16 kHz."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import soxr

from kiosk.paths import RESOURCES, checkpoints_dir
from models.tts import load_synthesiser
from models.tts.kokoro import KokoroSynthesiser
from models.tts.timing import MODIFIERS
from models.types import FloatArray, Language, PhonemeTime
from models.weights import locate
from tests.hearing.hearing_sounds import RATE, noise

VOICES: tuple[tuple[str, str, float], ...] = (
    ("zm_yunxi", "af_bella", 0.85),
    ("zm_yunjian", "bm_george", 1.2),
    ("zm_yunxi", "am_michael", 1.0),
    ("zm_yunjian", "af_bella", 1.1),
    ("zm_yunxi", "bm_george", 0.95),
)
"""Chinese voice, English voice, speed."""
LEAD_S = 1.0
"""Quiet before the first word."""
ROOM_DB = -65.0
FADE_S = 0.008
"""A cut is faded out and in, as a mouth closes."""
SILENT_BELOW = 0.01
"""Part of the peak (-40 dB) below which the last sound does not count as voice."""
_SILENT = frozenset(" ,.!?…;:—") | MODIFIERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One utterance at the microphone."""

    samples: FloatArray
    """float32 mono at 16 kHz: quiet, speech with its pauses, quiet to the end."""
    ends_s: tuple[float, ...]
    """Where the voice ends before each pause and at the end, in seconds."""
    resumes_s: tuple[float, ...]
    """Where it goes on after each pause."""


@functools.cache
def _synthesiser(voice: int) -> KokoroSynthesiser:
    zh, en, speed = VOICES[voice]
    folder = locate("kokoro-82m", checkpoints_dir())
    loaded = load_synthesiser(
        "kokoro", folder, RESOURCES / "voices", voice_zh=zh, voice_en=en, threads=2, speed=speed
    )
    return cast("KokoroSynthesiser", loaded)


def say(
    parts: Sequence[str],
    language: Language,
    voice: int = 0,
    *,
    pauses_s: Sequence[float] = (),
    mark: str = "",
    tail_s: float = 3.0,
) -> Heard:
    """Speak the parts as one utterance with silence between them.

    Args:
        parts: In spoken form.
        language: Of the sentence.
        voice: Number in `VOICES`.
        pauses_s: Silence between each two parts, in seconds.
        mark: What is written at each pause: a comma or an ellipsis gives the voice its melody; with nothing the
            parts are spoken as one sentence, and the silence stands at a word boundary.
        tail_s: Quiet at the end.
    """
    synthesiser = _synthesiser(voice)
    space = " " if language == "en" else ""
    speech = synthesiser.synthesise((mark + space).join(parts), language)
    sound = np.asarray(soxr.resample(speech.samples, speech.sample_rate, RATE), np.float32)
    read = synthesiser.g2p.english if language == "en" else synthesiser.g2p.mixed
    counts = [sum(symbol not in _SILENT for symbol in read(part)) for part in parts]
    pieces = _cut(sound, speech.phonemes, list(np.cumsum(counts)[:-1]))
    return _lay_out([_trim(piece) for piece in pieces], pauses_s, tail_s)


def _cut(sound: FloatArray, phonemes: Sequence[PhonemeTime], counts: Sequence[int]) -> list[FloatArray]:
    """Cut behind the given numbers of spoken phonemes, in the middle of whatever stands between the words."""
    spoken = [phoneme for phoneme in phonemes if phoneme.symbol not in _SILENT]
    borders = [(spoken[count - 1].end_s + spoken[count].start_s) / 2 for count in counts]
    return np.split(sound, [int(border * RATE) for border in borders])


def _trim(piece: FloatArray) -> FloatArray:
    """Without silence at the ends, with soft edges."""
    loud = np.nonzero(np.abs(piece) > SILENT_BELOW * np.abs(piece).max())[0]
    piece = piece[loud[0] : loud[-1] + 1].copy()
    fade = int(FADE_S * RATE)
    ramp = np.linspace(0, 1, fade, dtype=np.float32)
    piece[:fade] *= ramp
    piece[-fade:] *= ramp[::-1]
    return piece


def _lay_out(pieces: Sequence[FloatArray], pauses_s: Sequence[float], tail_s: float) -> Heard:
    starts, ends, at = [], [], LEAD_S
    for piece, pause_s in zip(pieces, [*pauses_s, tail_s], strict=True):
        starts.append(at)
        ends.append(at + len(piece) / RATE)
        at = ends[-1] + pause_s
    samples = noise(at, ROOM_DB)
    for start_s, piece in zip(starts, pieces, strict=True):
        start = int(start_s * RATE)
        samples[start : start + len(piece)] += piece
    return Heard(samples=samples, ends_s=tuple(ends), resumes_s=tuple(starts[1:]))
