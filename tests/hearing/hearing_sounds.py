"""Sounds for the tests of hearing: the committed clips and noises made here."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np

from models.types import FloatArray

RATE = 16_000
CLIPS = Path(__file__).resolve().parent.parent / "data" / "speech"


def clip(name: str) -> FloatArray:
    with wave.open(str(CLIPS / f"{name}.wav"), "rb") as file:
        assert file.getframerate() == RATE
        pcm = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    return pcm.astype(np.float32) / 32768


def noise(seconds: float, db: float = -65.0, seed: int = 0) -> FloatArray:
    scale = 10 ** (db / 20)
    return np.random.default_rng(seed).normal(0, scale, int(seconds * RATE)).astype(np.float32)


def silence(seconds: float) -> FloatArray:
    return np.zeros(int(seconds * RATE), np.float32)


def pink(seconds: float, db: float) -> FloatArray:
    spectrum = np.fft.rfft(np.random.default_rng(1).normal(size=int(seconds * RATE)))
    sound = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.arange(len(spectrum)), 1)))
    return (sound / sound.std() * 10 ** (db / 20)).astype(np.float32)


def hum(seconds: float) -> FloatArray:
    t = np.arange(int(seconds * RATE)) / RATE
    return np.asarray(sum(0.1 / k * np.sin(2 * np.pi * 50 * k * t) for k in (1, 2, 3, 5, 7)), np.float32)


def clicks(seconds: float) -> FloatArray:
    sound = noise(seconds)
    random = np.random.default_rng(3)
    for _ in range(int(2 * seconds)):
        at = random.integers(0, len(sound) - 400)
        sound[at : at + 400] += (random.normal(size=400) * np.exp(-np.arange(400) / 40) * 0.7).astype(np.float32)
    return sound


def music(seconds: float) -> FloatArray:
    """A melody with vibrato over broken chords."""
    notes = (262, 294, 330, 349, 392, 440, 494, 523, 440, 392, 330, 294)
    t = np.arange(RATE // 4) / RATE
    bars = []
    for i in range(int(4 * seconds)):
        lead = 2 * np.pi * np.cumsum(notes[(5 * i) % 12] * (1 + 0.01 * np.sin(2 * np.pi * 5.5 * t))) / RATE
        bass = 2 * np.pi * notes[(i // 4) % 5] / 2 * t
        bars.append(
            sum(np.sin(k * lead) / k + 0.5 * np.sin(k * bass) / k for k in range(1, 6)) * np.hanning(len(t)) ** 0.3
        )
    sound = np.concatenate(bars)
    return np.asarray(sound / np.abs(sound).max() * 0.4, np.float32)
