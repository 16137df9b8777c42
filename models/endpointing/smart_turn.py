"""Smart Turn v3 on ONNX Runtime: has a speaker who paused finished? Runs in the thread of the caller."""

from __future__ import annotations

from pathlib import Path
from typing import Self

import numpy as np
import onnxruntime as ort

from models.endpointing.base import MAX_SECONDS, SAMPLE_RATE
from models.endpointing.log_mel import log_mel
from models.errors import ModelInputError
from models.onnx_session import check_names, open_session
from models.types import FloatArray

WINDOW_SAMPLES = int(MAX_SECONDS * SAMPLE_RATE)
DEFAULT_THREADS = 2


class SmartTurn:
    """Hears from the voice, not the words, whether a turn is complete. Knows nothing of pauses or thresholds."""

    def __init__(self, session: ort.InferenceSession) -> None:
        """Wrap a session; use `load`."""
        self._session: ort.InferenceSession | None = session

    @classmethod
    def load(cls, path: Path, threads: int = DEFAULT_THREADS) -> Self:
        """Read the network.

        Args:
            path: smart-turn-v3.x-cpu.onnx.
            threads: CPU threads.

        Raises:
            CheckpointError: The file is absent, damaged or another network.
        """
        session = open_session(path, threads)
        check_names(path, session, {"input_features"}, {"logits"}, "Smart Turn v3")
        return cls(session)

    def probability(self, samples: FloatArray) -> float:
        """See `EndOfTurnDetector.probability`.

        Raises:
            ModelInputError: The samples are not float32 of shape (n,), or the detector is closed.
        """
        if self._session is None:
            raise ModelInputError("the end-of-turn detector is closed; load it again")
        if samples.ndim != 1 or samples.dtype != np.float32:
            raise ModelInputError(f"end of turn takes float32 of shape (n,), not {samples.dtype} {samples.shape}")
        # The network expects the pause at the right edge, so short turns are padded in front.
        window = np.zeros(WINDOW_SAMPLES, np.float32)
        heard = samples[-WINDOW_SAMPLES:]
        window[WINDOW_SAMPLES - len(heard) :] = heard
        # The output is named logits, but a sigmoid is part of the graph.
        (output,) = self._session.run(["logits"], {"input_features": log_mel(window)[np.newaxis]})
        return float(output[0, 0])

    def close(self) -> None:
        """See `EndOfTurnDetector.close`."""
        self._session = None
