"""Takes out of the microphone what a linear filter of the loudspeaker's signal explains (Speex's echo canceller).

A canceller for the ear also holds down what its filter leaves, and with it the beginning of what a visitor says over
the kiosk, by 10 to 20 dB. For a recogniser the filter alone is better: it leaves some echo and harms no visitor.
"""

from __future__ import annotations

import ctypes
import weakref

import numpy as np

from kiosk.audio.pcm import from_pcm16, to_pcm16
from kiosk.audio.resample import BLOCK_SAMPLES, MODEL_RATE
from kiosk.errors import AudioError
from models.types import FloatArray

LONGEST_ECHO_MS = 500
"""Way and reverberation that the filter can follow."""
_LIBRARY = "libspeexdsp.so.1"
_SET_SAMPLING_RATE = 24  # SPEEX_ECHO_SET_SAMPLING_RATE of speex_echo.h


class LinearEchoCanceller:
    """One microphone and one loudspeaker, aligned to within some 0.1 s, the loudspeaker ahead. One thread."""

    def __init__(self) -> None:
        """Start the library.

        Raises:
            AudioError: It is not installed.
        """
        try:
            library = ctypes.CDLL(_LIBRARY)
        except OSError as error:
            raise AudioError(
                "no-echo-canceller",
                f"{_LIBRARY} is missing; install the package libspeexdsp1 or set sound.echo_cancellation = false",
            ) from error
        library.speex_echo_state_init.restype = ctypes.c_void_p
        library.speex_echo_state_init.argtypes = [ctypes.c_int, ctypes.c_int]
        library.speex_echo_ctl.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
        library.speex_echo_cancellation.argtypes = [ctypes.c_void_p] * 4
        library.speex_echo_state_destroy.argtypes = [ctypes.c_void_p]
        self._cancel = library.speex_echo_cancellation
        self._state = library.speex_echo_state_init(BLOCK_SAMPLES, MODEL_RATE * LONGEST_ECHO_MS // 1000)
        weakref.finalize(self, library.speex_echo_state_destroy, self._state)
        rate = ctypes.c_int(MODEL_RATE)
        library.speex_echo_ctl(self._state, _SET_SAMPLING_RATE, ctypes.byref(rate))

    def process(self, near: FloatArray, far: FloatArray) -> FloatArray:
        """Clean 10 ms.

        Args:
            near: The microphone, float32 mono at 16 kHz, shape (160,).
            far: What the loudspeaker plays, float32, shape (160,).

        Returns:
            float32, shape (160,), without delay.
        """
        heard, played, left = to_pcm16(near), to_pcm16(far), np.zeros(BLOCK_SAMPLES, np.int16)
        self._cancel(self._state, heard.ctypes.data, played.ctypes.data, left.ctypes.data)
        return from_pcm16(left)
