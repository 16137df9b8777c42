"""Foretells the statistics of the vocoder's normalisations from pitch and energy of the clause.

What one normalisation sees over a whole clause depends, for one voice, mostly on how much of the clause is silent and
how much is voiced. A linear model of these two shares, fitted once for a voice, gives the means and the logarithms of
the variances closely enough that the first half second can be decoded before the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from models.errors import CheckpointError
from models.types import FloatArray

SILENT_BELOW = 0.0
"""Energy on the network's scale; silence is near -9, speech from 1 to 10."""
VOICED_ABOVE_HZ = 30.0
RIDGE = 1e-2
"""Weight of the penalty that keeps the model small where clauses say little."""
VARIANCE_FLOOR = 1e-8
SUFFIX = ".norms.npz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One clause and its true statistics."""

    pitch: FloatArray
    """Hz, shape (columns,)."""
    energy: FloatArray
    """Shape (columns,)."""
    means: FloatArray
    """Shape (channels,)."""
    variances: FloatArray
    """Shape (channels,)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NormStatistics:
    """The model of one voice: rows for the constant, the silent and the voiced share."""

    means: FloatArray
    """Shape (3, channels)."""
    log_variances: FloatArray
    """Shape (3, channels)."""

    @classmethod
    def load(cls, path: Path) -> NormStatistics | None:
        """Read the model that lies beside a voice file; None if the voice has none.

        Raises:
            CheckpointError: The file is there but cannot be read.
        """
        path = path.with_suffix("").with_name(path.stem + SUFFIX)
        if not path.exists():
            return None
        try:
            with np.load(path, allow_pickle=False) as file:
                means, log_variances = file["means"], file["log_variances"]
        except (OSError, ValueError, KeyError, BadZipFile) as error:
            raise CheckpointError(path, "is damaged", "restore it from the installation") from error
        return cls(means=means.astype(np.float32), log_variances=log_variances.astype(np.float32))

    def save(self, path: Path) -> None:
        """Write in half precision (about 80 kB)."""
        np.savez_compressed(
            path, means=self.means.astype(np.float16), log_variances=self.log_variances.astype(np.float16)
        )

    def predict(self, pitch: FloatArray, energy: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Means and variances for a clause, each float32 (1, channels, 1)."""
        shares = _shares(pitch, energy)
        means = (shares @ self.means).astype(np.float32)
        variances = np.exp(shares @ self.log_variances).astype(np.float32)
        return means[None, :, None], variances[None, :, None]


def fit_statistics(observations: Sequence[Observation]) -> NormStatistics:
    """Least squares with a small ridge over at least three clauses of different lengths."""
    design = np.array([_shares(o.pitch, o.energy) for o in observations])
    penalty = np.diag([1e-6, RIDGE, RIDGE])
    solve = np.linalg.solve(design.T @ design + penalty, design.T)
    means = solve @ np.array([o.means for o in observations])
    log_variances = solve @ np.log(np.array([o.variances for o in observations]) + VARIANCE_FLOOR)
    return NormStatistics(means=means.astype(np.float32), log_variances=log_variances.astype(np.float32))


def _shares(pitch: FloatArray, energy: FloatArray) -> NDArray[np.float64]:
    """1, the silent share and the voiced share of the columns."""
    silent = energy < SILENT_BELOW
    voiced = (pitch > VOICED_ABOVE_HZ) & ~silent
    return np.array([1.0, silent.mean(), voiced.mean()])
