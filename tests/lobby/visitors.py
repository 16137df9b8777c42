"""Visitors: questions spoken by voices that the kiosk itself does not use, and the noise of a hall."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

import numpy as np
import soxr

from kiosk.normalize import normalize
from kiosk.paths import RESOURCES, checkpoints_dir
from models.tts import Synthesiser, load_synthesiser
from models.types import Language
from models.weights import locate
from tests.lobby.stage_set import RATE
from tests.lobby.tape import Sound

VOICE_PAIRS = (("zm_yunxi", "af_bella"), ("zm_yunjian", "bm_george"))
"""Chinese and English; mei, the default face, has others. zf_xiaoni is left out: Whisper-base misreads a quarter of
her characters."""


@dataclass(frozen=True)
class Question:
    """What a visitor asks and what the answer must hold."""

    text: str
    language: Language
    heard: str
    """Regular expression over the transcript: the words that carry the question."""
    fact: str
    """Regular expression over the recognised answer."""
    snr_db: float | None = None
    """Lobby noise at this distance below the voice, or none."""


@functools.cache
def _synthesiser(pair: int) -> Synthesiser:
    zh, en = VOICE_PAIRS[pair]
    folder = locate("kokoro-82m", checkpoints_dir())
    return load_synthesiser("kokoro", folder, RESOURCES / "voices", voice_zh=zh, voice_en=en, threads=2)


@functools.cache
def _spoken(text: str, language: Language, pair: int) -> Sound:
    speech = _synthesiser(pair).synthesise(normalize(text, language).rstrip("?？"), language)
    return np.asarray(soxr.resample(speech.samples, speech.sample_rate, RATE), np.float32)


def spoken(question: Question, voice: int = 0) -> Sound:
    """The question as a visitor says it, float32 mono at 48 kHz, without noise; made once."""
    return _spoken(question.text, question.language, voice % len(VOICE_PAIRS)).copy()


def lobby_noise(seconds: float, seed: int = 7) -> Sound:
    """The sound of a hall without words: pink noise with slow swells, steps and a hum, float32 at 48 kHz, RMS 1."""
    rng = np.random.default_rng(seed)
    count = int(seconds * RATE)
    spectrum = np.fft.rfft(rng.standard_normal(count))
    frequency = np.maximum(np.fft.rfftfreq(count, 1 / RATE), 20)
    pink = np.fft.irfft(spectrum / np.sqrt(frequency), count)
    pink /= pink.std()
    time = np.arange(count) / RATE
    swell = 1 + 0.4 * np.sin(2 * np.pi * 0.23 * time) + 0.3 * np.sin(2 * np.pi * 0.71 * time + 1)
    hum = 0.15 * np.sin(2 * np.pi * 100 * time)
    steps = np.zeros(count)
    for at in np.cumsum(rng.uniform(0.45, 0.7, max(1, int(seconds / 0.4)))):
        i = int(at * RATE)
        if i + 4000 < count:
            steps[i : i + 4000] += rng.standard_normal(4000) * np.exp(-np.arange(4000) / 600) * 1.5
    noise = pink * swell + hum + steps
    return np.asarray(noise / noise.std(), np.float32)


def add_noise(voice: Sound, snr_db: float, lead_s: float = 1.0) -> Sound:
    """The voice in a hall: noise before, under and after it, `snr_db` below the voice's RMS."""
    lead = int(lead_s * RATE)
    padded = np.pad(voice, (lead, lead * 2))
    level = float(np.sqrt(np.mean(voice**2))) * 10 ** (-snr_db / 20)
    return padded + lobby_noise(len(padded) / RATE)[: len(padded)] * np.float32(level)


def holds(pattern: str, text: str, language: Language) -> bool:
    """Whether the spoken form of the text holds the pattern, without regard to case, spaces and punctuation."""
    plain = re.sub(r"[\s,.;:!?，。；：！？、'’\-]+", " ", normalize(text, language).lower())
    return re.search(pattern, plain) is not None or re.search(pattern, plain.replace(" ", "")) is not None
