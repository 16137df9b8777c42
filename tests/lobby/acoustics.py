"""How loud speech is, and what a room does to a visitor's voice."""

from __future__ import annotations

import numpy as np

from tests.audio.echo_path import room_response
from tests.lobby.stage_set import RATE
from tests.lobby.tape import Sound

_FRAME = RATE // 50
"""20 ms."""
_ACTIVE_BELOW_PEAK_DB = 25.0
"""Frames that are weaker than the loudest by more than this are pauses."""
SILENCE_DB = -120.0


def in_room(sound: Sound, seed: int, rt60_s: float = 0.4) -> Sound:
    """A sound as it arrives from another place of the room, with its tail, as loud as before."""
    response = room_response(rt60_s, RATE, seed)
    length = len(sound) + len(response) - 1
    size = 1 << (length - 1).bit_length()
    spectrum = np.fft.rfft(sound, size) * np.fft.rfft(response, size)
    return np.asarray(np.fft.irfft(spectrum, size)[:length], np.float32)


def speech_level_db(sound: Sound) -> float:
    """RMS of what is not pause, dB of full scale."""
    frames = sound[: len(sound) // _FRAME * _FRAME].reshape(-1, _FRAME).astype(np.float64)
    if not len(frames):
        return SILENCE_DB
    power = np.mean(frames**2, axis=1)
    active = power[power >= power.max() * 10 ** (-_ACTIVE_BELOW_PEAK_DB / 10)]
    return max(SILENCE_DB, float(10 * np.log10(active.mean() + 1e-20)))


def at_level(sound: Sound, level_db: float) -> Sound:
    """The sound with this speech level."""
    return np.asarray(sound * 10 ** ((level_db - speech_level_db(sound)) / 20), np.float32)
