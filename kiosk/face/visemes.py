"""Mouth shapes of the sounds in Kokoro's phoneme alphabet (Mandarin and English).

About ten shapes: what matters at a kiosk's distance is how far the jaw drops, whether the lips are round or spread,
and that they meet where they must.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from kiosk.face.types import UNIT_NAMES
from models.types import FloatArray


class Lips(Enum):
    """What the lips must do in a sound, whatever comes before and after."""

    FREE = "free"
    TOGETHER = "together"
    """They touch: m, b, p."""
    ON_TEETH = "on teeth"
    """The lower lip touches the upper teeth: f, v."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Viseme:
    """The shape of the mouth at the middle of a sound."""

    units: dict[str, float] = field(default_factory=dict)
    """ARKit unit weights; a name without Left or Right means both sides."""
    lips: Lips = Lips.FREE
    is_vowel: bool = False
    """Rounding does not spread over a vowel to the sound before."""

    @property
    def is_rest(self) -> bool:
        """The mouth of a silent face."""
        return not self.units

    def weights(self) -> FloatArray:
        """All 52 units, shape (52,)."""
        out = np.zeros(len(UNIT_NAMES), np.float32)
        for i, name in enumerate(UNIT_NAMES):
            out[i] = self.units.get(name, self.units.get(name.removesuffix("Left").removesuffix("Right"), 0.0))
        return out


REST = Viseme()
A = Viseme(is_vowel=True, units={"jawOpen": 0.40, "mouthLowerDown": 0.15})
E = Viseme(is_vowel=True, units={"jawOpen": 0.21, "mouthStretch": 0.25, "mouthUpperUp": 0.2, "mouthLowerDown": 0.25})
I = Viseme(  # noqa: E741 - the vowel's name
    is_vowel=True,
    units={"jawOpen": 0.07, "mouthStretch": 0.30, "mouthSmile": 0.15, "mouthUpperUp": 0.10, "mouthLowerDown": 0.20},
)
LAX_I = Viseme(
    is_vowel=True,
    units={"jawOpen": 0.13, "mouthStretch": 0.25, "mouthUpperUp": 0.12, "mouthLowerDown": 0.20},
)
O = Viseme(is_vowel=True, units={"jawOpen": 0.20, "mouthFunnel": 0.50, "mouthPucker": 0.40})  # noqa: E741
U = Viseme(is_vowel=True, units={"jawOpen": 0.06, "mouthPucker": 1.15, "mouthFunnel": 0.25})
SCHWA = Viseme(is_vowel=True, units={"jawOpen": 0.18, "mouthLowerDown": 0.15})
TONGUE = Viseme(units={"jawOpen": 0.05, "mouthLowerDown": 0.08})
SIBILANT = Viseme(units={"jawOpen": 0.03, "mouthStretch": 0.20, "mouthLowerDown": 0.12, "mouthUpperUp": 0.06})
ROUND_TONGUE = Viseme(units={"jawOpen": 0.02, "mouthFunnel": 0.15, "mouthPucker": 0.30})
LIP_TEETH = Viseme(lips=Lips.ON_TEETH, units={"jawOpen": 0.05, "mouthRollLower": 0.45, "mouthUpperUp": 0.2})
TOGETHER = Viseme(lips=Lips.TOGETHER, units={"mouthPress": 0.25, "mouthShrugLower": 0.1})

_SOUNDS = (
    ("aɑæʌɐ", A),
    ("eɛɜœ", E),
    ("iɪᵻ", I),
    ("oɔɒø", O),
    ("uʊɯ", U),
    ("əɤɚᵊ", SCHWA),
    ("ɨ", SIBILANT),  # the vowel of zi, ci, si, zhi, chi, shi: the teeth stay nearly together
    ("tdnlkxgɡhŋcqçɖɟɣɰɲɳɴɾɽʁʈʎʝʔðθχrT", TONGUE),
    ("szʣʦʥʨɕ", SIBILANT),
    ("ʂʐʃʒʧʤɹɻꭧS", ROUND_TONGUE),
    ("j", I),
    ("wɥyʋβɸ", U),
    ("fv", LIP_TEETH),
    ("mbp", TOGETHER),
)
VISEMES: dict[str, Viseme] = {symbol: viseme for symbols, viseme in _SOUNDS for symbol in symbols}
DIPHTHONGS: dict[str, tuple[Viseme, Viseme]] = {
    "A": (E, LAX_I), "I": (A, LAX_I), "O": (O, U), "Q": (SCHWA, U), "W": (A, U), "Y": (O, LAX_I),
}  # fmt: skip
"""Kokoro's capitals for the English diphthongs: the shape begins as the first and ends as the second.

A glide stops short of the vowel that it points to: the end of "I" is more open than the vowel of "see".
"""
PAUSES = frozenset(' ,.;:!?"()“”—…')
