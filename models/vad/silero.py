"""Silero VAD v6 on ONNX Runtime, one window at a time. Runs in the thread of the caller."""

from __future__ import annotations

from pathlib import Path
from typing import Self

import numpy as np
import onnxruntime as ort

from models.errors import ModelInputError
from models.onnx_session import check_names, open_session
from models.types import FloatArray
from models.vad.base import SAMPLE_RATE, WINDOW_SAMPLES

CONTEXT_SAMPLES = 64
"""The network sees the end of the window before; without it the probabilities are wrong, though plausible."""
STATE_SHAPE = (2, 1, 128)
"""Layers of the recurrent state, batch, units."""


class SileroVad:
    """Probability of speech per 32 ms window. Knows nothing of utterances or thresholds."""

    def __init__(self, session: ort.InferenceSession) -> None:
        """Wrap a session; use `load`."""
        self._session: ort.InferenceSession | None = session
        self._sample_rate = np.array(SAMPLE_RATE, np.int64)
        self._input = np.zeros((1, CONTEXT_SAMPLES + WINDOW_SAMPLES), np.float32)
        self._state = np.zeros(STATE_SHAPE, np.float32)

    @classmethod
    def load(cls, path: Path, threads: int = 1) -> Self:
        """Read the network.

        Args:
            path: silero_vad.onnx of version 5 or 6.
            threads: CPU threads; more than one does not pay for a network this small.

        Raises:
            CheckpointError: The file is absent, damaged or another network.
        """
        session = open_session(path, threads)
        check_names(path, session, {"input", "state", "sr"}, {"output", "stateN"}, "Silero VAD v5 or v6")
        return cls(session)

    def probability(self, window: FloatArray) -> float:
        """See `VoiceActivityDetector.probability`.

        Raises:
            ModelInputError: The window is not float32 of shape (512,), or the detector is closed.
        """
        if self._session is None:
            raise ModelInputError("the voice activity detector is closed; load it again")
        if window.shape != (WINDOW_SAMPLES,) or window.dtype != np.float32:
            raise ModelInputError(
                f"voice activity takes float32 of shape ({WINDOW_SAMPLES},), not {window.dtype} {window.shape}"
            )
        self._input[0, CONTEXT_SAMPLES:] = window
        feeds = {"input": self._input, "state": self._state, "sr": self._sample_rate}
        output, self._state = self._session.run(["output", "stateN"], feeds)
        self._input[0, :CONTEXT_SAMPLES] = window[-CONTEXT_SAMPLES:]
        return float(output[0, 0])

    def reset(self) -> None:
        """See `VoiceActivityDetector.reset`."""
        self._state = np.zeros(STATE_SHAPE, np.float32)
        self._input.fill(0.0)

    def close(self) -> None:
        """See `VoiceActivityDetector.close`."""
        self._session = None
