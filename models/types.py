"""Small types shared by the model wrappers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float32]
Language: TypeAlias = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "en")

ShouldStop: TypeAlias = Callable[[], bool]
"""Asked between steps of a long computation; true means: give up now, the result is not wanted any more."""


def never_stop() -> bool:
    """The `ShouldStop` of work that always runs to its end."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class PhonemeTime:
    """One phoneme of synthesised speech on that speech's own clock."""

    symbol: str
    """One sound of Kokoro's phoneme alphabet (IPA-like); a space or punctuation mark stands for a pause."""
    start_s: float
    """Seconds from the first sample."""
    end_s: float
    """Seconds from the first sample; at least `start_s`."""
