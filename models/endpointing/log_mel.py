"""Whisper's log-mel spectrogram in numpy, as Smart Turn v3 was trained on it. Pure functions."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from models.endpointing.base import SAMPLE_RATE
from models.types import FloatArray

N_FFT = 400  # samples, 25 ms
HOP_LENGTH = 160  # samples, 100 columns a second
N_MELS = 80
MEL_FLOOR = 1e-10
DYNAMIC_RANGE = 8.0
"""Decades below the loudest value at which the spectrogram is cut off, i.e. 80 dB."""
VARIANCE_FLOOR = 1e-7
LINEAR_MEL_HZ = 200.0 / 3.0
"""Slaney's mel scale: linear with this step up to 1 kHz …"""
LOG_START_HZ = 1000.0
LOG_START_MEL = LOG_START_HZ / LINEAR_MEL_HZ  # 15
LOG_STEP = np.log(6.4) / 27.0
"""… and logarithmic with this step above."""


def log_mel(samples: FloatArray) -> FloatArray:
    """Normalise the waveform to mean 0 and variance 1 and give its log-mel spectrogram.

    Args:
        samples: float32 mono at 16 kHz, shape (n,), n a multiple of 160 and at least 400.

    Returns:
        float32, shape (80, n / 160), about -1..1.

    Source: transformers' WhisperFeatureExtractor with do_normalize, against which the tests compare.
    """
    wave = (samples - samples.mean()) / np.sqrt(samples.var() + VARIANCE_FLOOR)
    padded = np.pad(wave.astype(np.float32), N_FFT // 2, mode="reflect")
    columns = np.lib.stride_tricks.sliding_window_view(padded, N_FFT)[:-1:HOP_LENGTH]
    spectrum = np.fft.rfft(columns * _window(), axis=1)
    power = np.square(spectrum.real) + np.square(spectrum.imag)
    mel = np.log10(np.maximum(power @ _filters(), MEL_FLOOR))
    mel = np.maximum(mel, mel.max() - DYNAMIC_RANGE)
    return np.ascontiguousarray(((mel + 4.0) / 4.0).T, np.float32)


@functools.cache
def _window() -> FloatArray:
    return np.hanning(N_FFT + 1)[:-1].astype(np.float32)


@functools.cache
def _filters() -> FloatArray:
    """Triangles of equal area, spaced evenly in mel from 0 to 8 kHz, shape (201, 80)."""
    hz = np.linspace(0.0, SAMPLE_RATE / 2, N_FFT // 2 + 1)
    top_mel = LOG_START_MEL + np.log(SAMPLE_RATE / 2 / LOG_START_HZ) / LOG_STEP
    edges = _mel_to_hz(np.linspace(0.0, top_mel, N_MELS + 2))
    left, centre, right = edges[:-2], edges[1:-1], edges[2:]
    rising = (hz[:, None] - left) / (centre - left)
    falling = (right - hz[:, None]) / (right - centre)
    triangles = np.maximum(0.0, np.minimum(rising, falling))
    return (triangles * (2.0 / (right - left))).astype(np.float32)


def _mel_to_hz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(mel < LOG_START_MEL, mel * LINEAR_MEL_HZ, LOG_START_HZ * np.exp(LOG_STEP * (mel - LOG_START_MEL)))
