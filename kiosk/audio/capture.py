"""The microphone: from the device's own format to 10 ms blocks at 16 kHz, free of the loudspeaker's echo.

The device's thread only copies; the thread "capture-convert" does the work; the manager's thread brings a lost
microphone back; any one thread reads.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from kiosk.audio.clock import NS_PER_S
from kiosk.audio.conversion import AudioBlock, StreamConverter
from kiosk.audio.echo import PROCESSING_DELAY_NS, EchoProcessor
from kiosk.audio.health import MicHealth, MicStatus
from kiosk.audio.host import BlockTime, SoundStream
from kiosk.audio.manager import DeviceManager
from kiosk.audio.queues import DropOldestQueue
from kiosk.audio.resample import BLOCKS_PER_S, MODEL_RATE
from kiosk.config import SoundConfig
from kiosk.errors import AudioError
from models.types import FloatArray

log = logging.getLogger("audio")

RAW_QUEUE_BLOCKS = 2 * BLOCKS_PER_S
"""2 s between the device and the conversion."""
BLOCK_QUEUE_BLOCKS = 10 * BLOCKS_PER_S
"""10 s between the conversion and the reader."""
JOIN_TIMEOUT_S = 0.9
FIRST_PAUSE_GAP_NS = 2 * NS_PER_S
LONGEST_PAUSE_GAP_NS = 30 * NS_PER_S
"""While a loudspeaker is missing, the search for it may interrupt the microphone only at these growing distances."""

_MESSAGES = {
    MicStatus.ABSENT: "the microphone was lost; check its plug",
    MicStatus.SILENT_DEVICE: "the microphone gives no sound at all; unmute it or allow its use in the sound settings",
    MicStatus.CLOSED: "the microphone is closed",
}


@dataclass(frozen=True, slots=True)
class _Source:
    """One opening of the stream; another one starts the conversion anew."""

    device_name: str
    sample_rate: int


@dataclass(frozen=True, slots=True)
class _RawBlock:
    source: _Source
    samples: FloatArray  # (frames, channels)
    first_ns: int


class _Feed:
    """Takes one stream's blocks in the device's thread."""

    def __init__(self, queue: DropOldestQueue[_RawBlock]) -> None:
        self._queue = queue
        self.source: _Source | None = None

    def on_block(self, block: FloatArray, times: BlockTime) -> None:
        """Copy the block: its memory is the device's."""
        if self.source is not None:
            self._queue.put(_RawBlock(self.source, block.copy(), times.device_ns))


class Capture:
    """Reads the microphone for as long as it is open, whatever happens to the device.

    It does not know speech. While the microphone is away no blocks come, and `status` says why.
    """

    def __init__(
        self,
        devices: DeviceManager,
        echo: EchoProcessor | None = None,
        is_loudspeaker_quiet: Callable[[], bool] = lambda: True,
        now_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        """Take the shared devices.

        Args:
            devices: Shared with the playback.
            echo: Cleans the sound; None: it passes as it is.
            is_loudspeaker_quiet: `Playback.is_quiet`, to tell a microphone from the loudspeaker's own signal.
            now_ns: The clock.
        """
        self._devices = devices
        self._echo = echo
        self._is_loudspeaker_quiet = is_loudspeaker_quiet
        self._now_ns = now_ns
        self.on_status: Callable[[MicStatus], None] | None = None
        """Called on each change, in the thread that noticed; must return at once."""
        self._device_name = "default"
        self._stream: SoundStream | None = None
        self._opened: _Source | None = None  # the last that was opened
        self._health_lock = threading.Lock()
        self._health = MicHealth(now_ns())
        self._status = MicStatus.CLOSED
        self._message = _MESSAGES[MicStatus.CLOSED]
        # Both: when full, the oldest sound is dropped and counted.
        self._raw: DropOldestQueue[_RawBlock] = DropOldestQueue(RAW_QUEUE_BLOCKS)
        self._blocks: DropOldestQueue[AudioBlock] = DropOldestQueue(BLOCK_QUEUE_BLOCKS)
        self._thread: threading.Thread | None = None
        self._pause_gap_ns = FIRST_PAUSE_GAP_NS
        self._next_pause_ns = 0

    # --- for the pipeline -------------------------------------------------------------------------------------------

    def open(self, config: SoundConfig) -> None:
        """Open the microphone; an absent one is no error but a `status`, and is awaited."""
        self._device_name = config.input_device
        self._raw = DropOldestQueue(RAW_QUEUE_BLOCKS)
        self._blocks = DropOldestQueue(BLOCK_QUEUE_BLOCKS)
        self._health = MicHealth(self._now_ns())
        self._pause_gap_ns, self._next_pause_ns = FIRST_PAUSE_GAP_NS, 0
        self._thread = threading.Thread(target=self._convert, name="capture-convert", daemon=True)
        self._thread.start()
        self._devices.add(self)
        self._update_status()

    def close(self) -> None:
        """Stop at once and wake the reader. Harmless when closed."""
        self._devices.remove(self)
        self._raw.close()
        self._blocks.close()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(JOIN_TIMEOUT_S)
            if thread.is_alive():
                log.warning("thread %s does not end", thread.name)
        self._set_status(MicStatus.CLOSED)

    def read(self, timeout_s: float) -> AudioBlock | None:
        """Take the next 10 ms; None when none came in time (see `status`) or the capture was closed."""
        return self._blocks.get(timeout_s)

    def clear(self) -> None:
        """Drop the blocks that wait to be read."""
        self._blocks.clear()

    @property
    def status(self) -> MicStatus:
        """Whether we can hear."""
        return self._status

    @property
    def message(self) -> str:
        """One line for the operator: which device, or what to do."""
        return self._message

    @property
    def dropped(self) -> int:
        """10 ms blocks lost since `open` because conversion or reader was too slow."""
        return self._raw.dropped + self._blocks.dropped

    # --- the thread "capture-convert" -------------------------------------------------------------------------------

    def _convert(self) -> None:
        source: _Source | None = None
        converter = StreamConverter(MODEL_RATE)
        while (raw := self._raw.get()) is not None:
            if raw.source is not source:
                source = raw.source
                converter = StreamConverter(source.sample_rate)
            with self._health_lock:
                self._health.note_block(self._now_ns(), not raw.samples.any(), self._is_loudspeaker_quiet())
            self._update_status()
            for block in converter.push(raw.samples, raw.first_ns):
                self._blocks.put(self._clean(block))

    def _clean(self, block: AudioBlock) -> AudioBlock:
        is_quiet = self._is_loudspeaker_quiet()
        if self._echo is None:
            return replace(block, is_own_voice=not is_quiet)
        try:
            samples = self._echo.process(block.samples, block.captured_ns)
            to_recognise = self._echo.to_recognise
        except RuntimeError:  # the library's only error; hearing with echo is better than being deaf
            log.exception("echo cancellation failed and is off until the next start")
            self._echo = None
            return replace(block, is_own_voice=not is_quiet)
        if self._status is not MicStatus.OK and not is_quiet and self._echo.hears_own_signal():
            samples = to_recognise = np.zeros_like(samples)
        return AudioBlock(
            samples=samples,
            captured_ns=block.captured_ns - PROCESSING_DELAY_NS,
            is_own_voice=self._echo.is_own_voice,
            visitor_evidence=self._echo.visitor_evidence,
            to_recognise=to_recognise,
        )

    # --- for the device manager -------------------------------------------------------------------------------------

    def check(self, now_ns: int) -> bool:
        """See `DeviceUser`."""
        with self._health_lock:
            status = self._health.check(now_ns)
            is_lost = self._stream is None or not self._stream.is_running or self._health.is_stalled(now_ns)
            if is_lost:
                self._health.note_absent()
        self._update_status()
        if is_lost:
            self.disconnect()
        # Not during a reply: each opening makes the echo canceller learn anew.
        return is_lost or (status is MicStatus.SILENT_DEVICE and self._is_loudspeaker_quiet())

    def connect(self) -> None:
        """See `DeviceUser`. A stream that gives zeros is kept until a new one is open."""
        old = self._stream
        feed = _Feed(self._raw)
        try:
            stream, device, rate = self._devices.open_stream("input", self._device_name, feed.on_block)
        except AudioError:
            if old is not None:
                return  # a device that takes one stream only; the old one may still come to life
            raise
        feed.source = _Source(device.name, rate)
        self._stream, self._opened = stream, feed.source
        with self._health_lock:
            self._health.note_opened(self._now_ns())
        try:
            stream.start()
        except AudioError:
            self.disconnect()
            raise
        finally:
            if old is not None:
                old.close()

    def disconnect(self) -> None:
        """See `DeviceUser`."""
        stream, self._stream = self._stream, None
        if stream is None:
            return
        stream.close()
        if self._status is MicStatus.OK:
            self._pause_gap_ns = min(2 * self._pause_gap_ns, LONGEST_PAUSE_GAP_NS)
            self._next_pause_ns = self._now_ns() + self._pause_gap_ns

    def note_absent(self, error: AudioError) -> None:
        """See `DeviceUser`."""
        with self._health_lock:
            self._health.note_absent()
        self._set_status(MicStatus.ABSENT, error.message)

    @property
    def may_pause(self) -> bool:
        """See `DeviceUser`. A gap of 0.1 s in hearing is better than a reply that nobody hears, but not often."""
        return self._now_ns() >= self._next_pause_ns

    @property
    def wants_refresh(self) -> bool:
        """See `DeviceUser`."""
        return self._status is MicStatus.ABSENT

    # --- status -----------------------------------------------------------------------------------------------------

    def _update_status(self) -> None:
        if (status := self._health.status) is not self._status:
            self._set_status(status)

    def _set_status(self, status: MicStatus, message: str = "") -> None:
        opened = self._opened
        if status is MicStatus.OK and opened is not None:
            message = f'microphone "{opened.device_name}" at {opened.sample_rate} Hz'
        is_new, self._status = status is not self._status, status
        self._message = message or _MESSAGES.get(status, "the microphone works")
        if is_new:
            log.log(
                logging.INFO if status in (MicStatus.OK, MicStatus.CLOSED) else logging.WARNING, "%s", self._message
            )
            if self.on_status is not None:
                self.on_status(status)
