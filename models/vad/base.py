"""The interface of voice activity detection."""

from __future__ import annotations

from typing import Protocol

from models.types import FloatArray

SAMPLE_RATE = 16_000
WINDOW_SAMPLES = 512  # 32 ms


class VoiceActivityDetector(Protocol):
    """Says how likely each window of sound holds speech. Keeps state between windows."""

    def probability(self, window: FloatArray) -> float:
        """Probability of speech, 0..1, in float32 mono of shape (512,) at 16 kHz in [-1, 1]."""
        ...

    def reset(self) -> None:
        """Forget everything heard so far; call between utterances."""
        ...

    def close(self) -> None:
        """Free the network."""
        ...
