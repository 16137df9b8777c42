"""Tells the kiosk's own voice in the microphone from a visitor's. Pure; one thread.

What the loudspeaker explains, band by band, is the kiosk itself; what rises above that is somebody else.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from kiosk.audio.echo_model import BANDS, LAGS, BandMeter, EchoModel
from kiosk.audio.resample import BLOCKS_PER_S
from models.types import FloatArray

MARGIN_DB = 6.0
"""So much above the prediction a band may be without anybody else: rooms and loudspeakers are not so regular."""
LARGEST_EXCESS_DB = 15.0
LOUD = 0.4
SPILL = 0.003
"""What a loudspeaker adds in all bands (-25 dB of the whole) while its signal goes beyond `LOUD`: harmonics."""
_EVIDENCE = ((5, 2.5), (10, 1.3), (20, 0.8))
"""Blocks and excess (dB, mean over bands and blocks) that show a visitor: much at once or less for longer."""
_FIRST_EVIDENCE = 0.4
_YOUNG_BLOCKS = 60
"""A model that has seen so little echo is trusted half; evidence against it counts accordingly."""
HOLD_BLOCKS = 35
"""A visitor stays one for 0.35 s: words have gaps and weak sounds."""
LEARNING_BLOCKS = 60
"""0.6 s of echo at least, and ..."""
LEARNED_DB = 3.2
"""... so small a misfit: before that nothing can be told, and what is heard while the kiosk speaks is its echo."""
LOST_DB = 4.5
LOST_BLOCKS = 1500
"""So bad a misfit for so long (15 s of echo): the model does not fit this room any more and is not believed."""
_JUMP_BLOCKS = 20
"""200 ms, over which another delay of the echo is tried."""
_JUMP_MISFIT_DB = 3.1
"""What rose above the prediction fits so well with another delay: visitors differ by more (measured: 3.4 and up, but
at times 2.7 in the first 40 ms)."""
_JUMP_SURE_BLOCKS = 8
"""With so many blocks of evidence the other delay is taken for true."""
_UNEXPLAINED_DB = 0.3
_WAY_BLOCKS = 30
"""0.3 s: what was played so long ago is on its way or has arrived."""
_STOPPED_BLOCKS = 5
_DROWNED = 30.0
"""50 ms after the last sound: an echo 15 dB below what is heard need not be cancelled, which would hold down the
beginning of a quick visitor's words."""
_FLOOR = 1e-7
_LEAST_NOISE = 1e-10
_NOISE_FALL, _NOISE_RISE = 0.1, 10 ** (0.3 / BLOCKS_PER_S)
"""The noise floor falls by a tenth of the way per block, and rises by 3 dB a second."""
_NOISE_MARGIN = 2.0


class OwnVoice:
    """Decides for each 10 ms whether what is left in the microphone is the kiosk's own voice."""

    def __init__(self) -> None:
        self._far_meter, self._near_meter = BandMeter(), BandMeter()
        self.model = EchoModel()
        longest = max(_JUMP_BLOCKS, *(blocks for blocks, _ in _EVIDENCE))
        self._near: deque[FloatArray] = deque(maxlen=longest)
        self._excess: deque[float] = deque(maxlen=longest)
        self._noise = np.full(BANDS, _FLOOR, np.float32)
        self._loud = np.zeros(LAGS, np.float32)
        self._learned = False
        self._lost_blocks = 0
        self._visitor_blocks = 0  # for so long what is heard is a visitor's
        self.evidence = 0.0
        """Of a visitor in the last block; 1 is enough."""
        self.may_echo = False
        """An echo is heard, or about to be; False from 0.3 s after the last sound on, when the room is silent."""

    @property
    def visitor_share(self) -> float:
        """How likely somebody talks over the kiosk just now, 0..1; rises a little before `push` says so."""
        if self._visitor_blocks:
            return 1.0
        return min(1.0, max(0.0, (self.evidence - _FIRST_EVIDENCE) / (1 - _FIRST_EVIDENCE)))

    def push(self, far: FloatArray, near: FloatArray) -> bool:
        """Take 10 ms of both ends.

        Args:
            far: What the loudspeaker plays, float32 at 16 kHz, shape (160,), aligned to within `LAGS` blocks.
            near: The microphone as it was recorded, float32, shape (160,).

        Returns:
            True: what is left of it after cancelling is most likely the kiosk's own voice.
        """
        near_power = self._near_meter.push(near)
        echo_power = self.model.push(self._far_meter.push(far), near_power)
        self._follow_noise(near_power)
        self._loud[:-1] = self._loud[1:]
        self._loud[-1] = float(np.abs(far).max() > LOUD)
        spilt = np.float32(SPILL) * echo_power.sum() * self.model.arriving(self._loud)
        expected = echo_power + spilt + self._quiet_power()
        self._near.append(near_power + _FLOOR)
        self._excess.append(float(_excess_db(near_power + _FLOOR, expected).mean()))
        self._visitor_blocks = max(0, self._visitor_blocks - 1)
        self.evidence = 0.0
        self.may_echo = self.model.is_far_sounding
        if not self.may_echo:
            self._visitor_blocks = 0
            return False
        if not self._is_learned():
            return True
        self.may_echo = self._is_echo_to_cancel(float(near_power.sum()), float(echo_power.sum()))
        excess = np.array(self._excess)
        evidence = max(float(excess[-blocks:].sum()) / blocks / enough for blocks, enough in _EVIDENCE)
        self.evidence = evidence / (1 + _YOUNG_BLOCKS / self.model.sounding_blocks)
        if self.evidence >= 1:
            if self._visitor_blocks == 0 and self._is_delay_another():
                self.evidence = 0.0
            else:
                self._visitor_blocks = HOLD_BLOCKS
        return self._visitor_blocks == 0

    def _is_echo_to_cancel(self, heard: float, echo: float) -> bool:
        """By the powers of the microphone and of the echo predicted in it, all bands together."""
        quiet = float(self._quiet_power().sum())
        if heard > max(quiet, _DROWNED * echo) and not self.model.has_sounded(_STOPPED_BLOCKS):
            return False
        return echo > quiet or self.model.has_sounded(_WAY_BLOCKS)

    def _is_learned(self) -> bool:
        """Latched, so that the misfit of a visitor's own words takes nothing back."""
        misfit = self.model.misfit_db
        if self._learned:
            self._lost_blocks = self._lost_blocks + 1 if misfit > LOST_DB else 0
            self._learned = self._lost_blocks < LOST_BLOCKS
        else:
            self._lost_blocks = 0
            self._learned = self.model.sounding_blocks >= LEARNING_BLOCKS and misfit < LEARNED_DB
        return self._learned

    def _is_delay_another(self) -> bool:
        """What the prediction leaves unexplained fits well if the echo only comes later or earlier than it did."""
        near = np.array(self._near)[-_JUMP_BLOCKS:]
        unexplained = np.array(self._excess)[-_JUMP_BLOCKS:] > _UNEXPLAINED_DB
        tried = self.model.shifted(near.shape[0]) + self._quiet_power()
        off = np.abs(10 * np.log10(near / tried)[:, unexplained])
        misfit = np.minimum(off, LARGEST_EXCESS_DB).mean(axis=(1, 2))
        lag = int(np.argmin(misfit))
        if misfit[lag] > _JUMP_MISFIT_DB:
            return False
        if np.count_nonzero(unexplained) >= _JUMP_SURE_BLOCKS:
            self.model.move(lag)
            self._excess.extend(np.zeros(len(self._excess)))
        return True

    def _quiet_power(self) -> FloatArray:
        return np.float32(_NOISE_MARGIN) * self._noise + np.float32(_FLOOR)

    def _follow_noise(self, power: FloatArray) -> None:
        rising = self._noise * np.float32(_NOISE_RISE)
        falling = self._noise + np.float32(_NOISE_FALL) * (power - self._noise)
        self._noise = np.maximum(np.where(power > self._noise, rising, falling), np.float32(_LEAST_NOISE))


def _excess_db(heard: FloatArray, expected: FloatArray) -> FloatArray:
    """By how much each band rises above what was expected, 0..`LARGEST_EXCESS_DB`."""
    excess: FloatArray = np.clip(10 * np.log10(heard / expected) - MARGIN_DB, 0, LARGEST_EXCESS_DB)
    return excess
