"""Sounds that people make without meaning to take the floor, float32 mono at 48 kHz, peak about 0.5.

Cough and laugh are made of what they consist of: bursts of turbulent air with the throat's resonances, and short
voiced bursts whose pitch falls.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from models.types import FloatArray, Language
from tests.lobby.stage_set import RATE
from tests.lobby.tape import Sound
from tests.lobby.visitors import Visitor, lobby_noise, say_as

BACKCHANNELS: tuple[tuple[str, Language], ...] = (
    ("嗯", "zh"),
    ("好的", "zh"),
    ("哦", "zh"),
    ("uh-huh", "en"),
    ("okay", "en"),
)
PEAK = 0.5


def cough(seed: int = 0) -> Sound:
    """Two coughs: a hard burst, air, and a little voice at the end of each."""
    rng = np.random.default_rng(seed)
    parts = []
    for strength in (1.0, 0.7):
        length_s = rng.uniform(0.22, 0.3)
        time = np.arange(int(length_s * RATE)) / RATE
        air = _resonant(rng.standard_normal(len(time)), ((600, 3), (1500, 4), (3000, 5)))
        air *= np.minimum(time / 0.004, 1) * np.exp(-time / 0.06)
        voice = _voice(time, 150 * 2 ** (-time / 0.3), ((700, 5), (1200, 6)))
        voice *= 0.35 * np.clip((time - 0.1) / 0.03, 0, 1) * np.exp(-np.maximum(time - 0.13, 0) / 0.05)
        parts += [strength * (air + voice), np.zeros(int(rng.uniform(0.12, 0.2) * RATE))]
    return _finish(np.concatenate(parts))


def laugh(seed: int = 0) -> Sound:
    """Five syllables, each air and then an open vowel, lower and softer from one to the next."""
    rng = np.random.default_rng(seed)
    parts = []
    pitch = rng.uniform(180, 260)
    for number in range(5):
        time = np.arange(int(0.19 * RATE)) / RATE
        air = _resonant(rng.standard_normal(len(time)), ((1000, 3), (2500, 4)))
        air *= 0.5 * np.exp(-(((time - 0.03) / 0.025) ** 2))
        voice = _voice(time, pitch * (1 - 0.06 * number) * (1 - time), ((850, 6), (1350, 7), (2700, 8)))
        voice *= np.exp(-(((time - 0.095) / 0.035) ** 2))
        parts.append(0.85**number * (air + voice))
    return _finish(np.concatenate(parts))


def knock(seed: int = 0) -> Sound:
    """Something falls on the desk."""
    rng = np.random.default_rng(seed)
    time = np.arange(int(0.3 * RATE)) / RATE
    return _finish(rng.standard_normal(len(time)) * np.exp(-time / 0.02))


def hall(seed: int = 0) -> Sound:
    """Two seconds of a busy hall."""
    return _finish(lobby_noise(2.0, seed).astype(np.float64))


NOISES: dict[str, Callable[[int], Sound]] = {"cough": cough, "laugh": laugh, "knock": knock, "hall": hall}


def backchannel(visitor: Visitor, number: int) -> tuple[str, Sound]:
    """The name and the sound of the listener's word with this number, in a voice."""
    text, language = BACKCHANNELS[number % len(BACKCHANNELS)]
    return text, say_as(visitor, text, language)


def _voice(time: FloatArray, pitch: FloatArray, formants: tuple[tuple[float, float], ...]) -> FloatArray:
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    source = sum(np.sin(k * phase) / k for k in range(1, 25))
    return np.asarray(_resonant(np.asarray(source), formants))


def _resonant(source: FloatArray, formants: tuple[tuple[float, float], ...]) -> FloatArray:
    """Through resonances of (Hz, quality) side by side, RMS 1."""
    spectrum = np.fft.rfft(source)
    frequency = np.maximum(np.fft.rfftfreq(len(source), 1 / RATE), 1)
    gain = sum(1 / np.sqrt(1 + (q * (frequency / f - f / frequency)) ** 2) for f, q in formants)
    out = np.fft.irfft(spectrum * gain, len(source))
    return np.asarray(out / out.std())


def _finish(sound: FloatArray) -> Sound:
    return np.asarray(PEAK * sound / np.abs(sound).max(), np.float32)
