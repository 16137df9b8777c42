"""The sound system of this machine through PortAudio, behind an interface that tests replace.

Callbacks run in PortAudio's own thread and must return within a few milliseconds.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import logging
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeAlias

from kiosk.audio.clock import HostTime
from kiosk.audio.devices import Direction, SoundDevice
from kiosk.audio.patience import PatientCaller
from kiosk.audio.pulse_client import no_shared_memory
from kiosk.errors import AudioError
from models.types import FloatArray

log = logging.getLogger("audio")

OUTPUT_LATENCY_S = 0.055
"""The device's buffer. Under PulseAudio with busy cores and a busy Python thread 40 ms broke up, 50 ms did not."""
INPUT_LATENCY_S = 0.04
"""PulseAudio delivers in quarters of this."""
SWITCH_INTERVAL_S = 0.001
"""For so long a busy Python thread keeps a callback waiting. With Python's own 5 ms, three threads that compute make
a buffer of 30 ms run dry twenty times as often; their own speed is the same."""
HOST_BLOCK_FRAMES = 0
"""PortAudio passes on what the device gives (about 10 ms here); a fixed size made PulseAudio deliver in bursts."""
CLOSE_TIMEOUT_S = 0.4
OPEN_TIMEOUT_S = 3.0
"""A frozen sound server never answers; what has not returned by then is left to a thread of its own."""


@dataclass(frozen=True, slots=True)
class BlockTime:
    """When a block was called for and when it passes the device."""

    now_ns: int
    """time.monotonic_ns() in the callback."""
    device_ns: int
    """time.monotonic_ns() at which the block's first frame passes the microphone or the loudspeaker."""
    is_glitch: bool
    """The device ran dry or overflowed just before this block."""


BlockCallback: TypeAlias = Callable[[FloatArray, BlockTime], None]
"""Takes the recorded block to read, or the block to fill, shape (frames, channels); it is valid during the call."""


class SoundStream(Protocol):
    """An open stream."""

    def start(self) -> None:
        """Let the callbacks come.

        Raises:
            AudioError: The device refuses.
        """

    @property
    def is_running(self) -> bool:
        """False once the device is gone."""

    def close(self) -> None:
        """Stop at once; returns within a second in any state."""


class SoundHost(Protocol):
    """A sound system."""

    def devices(self) -> tuple[SoundDevice, ...]:
        """The device list as it was at the last refresh.

        Raises:
            AudioError: The sound system cannot be used at all.
        """

    def open_stream(
        self, direction: Direction, device: SoundDevice, sample_rate: int, channels: int, on_block: BlockCallback
    ) -> SoundStream:
        """Open a stream of float32 blocks of some 10 ms, not all alike; it waits for `SoundStream.start`.

        Raises:
            AudioError: The device refuses.
        """

    def refresh(self) -> None:
        """Read the device list anew. Every stream must be closed before.

        Raises:
            AudioError: The sound system cannot be used, or a stream hangs.
        """


class PortAudioHost:
    """The real sound system."""

    def __init__(self) -> None:
        self._caller = PatientCaller()
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_INTERVAL_S))

    def devices(self) -> tuple[SoundDevice, ...]:
        """See `SoundHost`."""
        sd = _sounddevice()
        try:
            hosts = sd.query_hostapis()
            default_input, default_output = (_default_index(sd, hosts, kind) for kind in ("input", "output"))
            return tuple(
                SoundDevice(
                    index=d["index"],
                    name=d["name"],
                    host=hosts[d["hostapi"]]["name"],
                    input_channels=d["max_input_channels"],
                    output_channels=d["max_output_channels"],
                    sample_rate=round(d["default_samplerate"]),
                    is_default_input=d["index"] == default_input,
                    is_default_output=d["index"] == default_output,
                )
                for d in sd.query_devices()
            )
        except sd.PortAudioError as error:
            raise AudioError("no-sound-system", f"the sound system does not answer ({_reason(error)})") from error

    def open_stream(
        self, direction: Direction, device: SoundDevice, sample_rate: int, channels: int, on_block: BlockCallback
    ) -> SoundStream:
        """See `SoundHost`."""
        self._caller.refuse_if_hanging()
        return self._caller.call(
            lambda: _PortAudioStream(self._caller, direction, device, sample_rate, channels, on_block),
            OPEN_TIMEOUT_S,
            _PortAudioStream.close,
        )

    def refresh(self) -> None:
        """See `SoundHost`."""
        self._caller.refuse_if_hanging()
        self._caller.call(_restart_portaudio, OPEN_TIMEOUT_S)


class _PortAudioStream:
    """One stream with the host's block times turned into ours."""

    def __init__(
        self,
        caller: PatientCaller,
        direction: Direction,
        device: SoundDevice,
        sample_rate: int,
        channels: int,
        on_block: BlockCallback,
    ) -> None:
        sd = _sounddevice()
        self._caller = caller
        self._on_block = on_block
        self._name = device.name
        settings: dict[str, Any] = {
            "device": device.index,
            "samplerate": sample_rate,
            "channels": channels,
            "dtype": "float32",
            "blocksize": HOST_BLOCK_FRAMES,
        }
        try:
            if direction == "input":
                with no_shared_memory():
                    self._stream = sd.InputStream(**settings, latency=INPUT_LATENCY_S, callback=self._on_input)
            else:
                self._stream = sd.OutputStream(**settings, latency=OUTPUT_LATENCY_S, callback=self._on_output)
            self._host_time = HostTime(self._stream.latency)
        except (sd.PortAudioError, ValueError) as error:  # ValueError: the device has no such direction any more
            raise _refusal(device.name, error) from error

    def start(self) -> None:
        """See `SoundStream`."""
        self._caller.call(self._start, OPEN_TIMEOUT_S)

    @property
    def is_running(self) -> bool:
        """See `SoundStream`."""
        return bool(self._stream.active)

    def close(self) -> None:
        """See `SoundStream`."""
        try:
            self._caller.call(self._close, CLOSE_TIMEOUT_S)
        except AudioError as error:
            log.warning("a stream is left behind: %s", error.message)

    def _start(self) -> None:
        sd = _sounddevice()
        try:
            self._stream.start()
        except sd.PortAudioError as error:
            raise _refusal(self._name, error) from error

    def _close(self) -> None:
        sd = _sounddevice()
        try:
            self._stream.abort()
            self._stream.close()
        except sd.PortAudioError as error:
            log.debug("closing a lost stream: %s", error)

    def _on_input(self, block: FloatArray, _frames: int, times: Any, status: Any) -> None:
        now_ns = time.monotonic_ns()
        device_ns = self._host_time.recorded_ns(times.inputBufferAdcTime, times.currentTime, now_ns)
        self._on_block(block, BlockTime(now_ns, device_ns, bool(status.input_overflow)))

    def _on_output(self, block: FloatArray, _frames: int, times: Any, status: Any) -> None:
        now_ns = time.monotonic_ns()
        device_ns = self._host_time.heard_ns(times.outputBufferDacTime, times.currentTime, now_ns)
        self._on_block(block, BlockTime(now_ns, device_ns, bool(status.output_underflow)))


@cache
def _sounddevice() -> Any:
    """The sounddevice module; imported late, because it starts PortAudio.

    Raises:
        AudioError: PortAudio is not installed.
    """
    _silence_alsa()
    try:
        import sounddevice
    except OSError as error:
        raise AudioError(
            "no-portaudio", "PortAudio is missing; install the package libportaudio2 (Linux) or portaudio (macOS)"
        ) from error
    return sounddevice


def _restart_portaudio() -> None:
    sd = _sounddevice()
    try:
        # WORKAROUND https://github.com/spatialaudio/python-sounddevice/issues/382: PortAudio reads the device list
        # only when it is initialised, and sounddevice offers no public call for that.
        sd._terminate()
        sd._initialize()
    except sd.PortAudioError as error:
        raise AudioError("no-sound-system", f"the sound system does not start ({_reason(error)})") from error


def _default_index(sd: Any, hosts: Any, kind: str) -> int:
    """Index of the system's default device of this kind, or -1."""
    chosen: int = sd.default.device[kind]
    if chosen >= 0 or not hosts:
        return chosen
    return int(hosts[sd.default.hostapi][f"default_{kind}_device"])


def _refusal(name: str, error: Exception) -> AudioError:
    return AudioError(
        "device-refused",
        f'"{name}" cannot be opened ({_reason(error)}); end other programs that use it or choose another device',
    )


def _reason(error: Exception) -> str:
    return str(error.args[0]) if error.args else type(error).__name__


def _log_alsa(_file: bytes, line: int, function: bytes, code: int, text: bytes) -> None:
    log.debug("ALSA: %s:%d: %s (%d)", function, line, text, code)


_ALSA_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p)(
    _log_alsa
)  # must live as long as the library may call it


def _silence_alsa() -> None:
    """Send ALSA's remarks to the log: it writes every probed device and every underrun to stderr."""
    if not sys.platform.startswith("linux"):
        return
    name = ctypes.util.find_library("asound") or "libasound.so.2"
    try:
        ctypes.CDLL(name).snd_lib_error_set_handler(_ALSA_HANDLER)
    except (OSError, AttributeError) as error:
        log.debug("ALSA's messages stay on stderr: %s", error)
