"""The loudspeaker: an output stream that stays open and counts what is heard.

Clips come from any thread; the device's thread takes 10 ms blocks from the queue; the manager's thread brings a lost
device back. Frames heard are the one clock of a reply: the mouth, the captions and the end of the turn follow it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from kiosk.audio.clock import NS_PER_S, StreamClock
from kiosk.audio.feed import DeviceFeed
from kiosk.audio.host import BlockTime, SoundStream
from kiosk.audio.manager import DeviceManager
from kiosk.audio.offset import AvOffset
from kiosk.audio.playqueue import PlaybackSpan, PlayQueue
from kiosk.audio.resample import resample
from kiosk.config import SoundConfig
from kiosk.errors import AudioError
from models.types import FloatArray

log = logging.getLogger("audio")

FADE_S = 0.01
"""Fade-out of an interruption: short enough to be silence at once, long enough not to click."""
MAX_QUEUED_S = 600
"""A longer answer is a mistake upstream; 48,000 Hz x 4 bytes x 600 s = 115 MB."""
FIRST_CALLBACK_NS = 11 * NS_PER_S // 5
"""A device that has asked for nothing for 2.2 s is lost. PulseAudio's null sinks need up to 2 s to begin."""
NEXT_CALLBACK_NS = 9 * NS_PER_S // 5
"""The same once it has begun; with the search for another one (0.2 to 0.6 s) the answer goes on within 3 s."""
OVERDUE_NS = 32_000_000
OVERDUE_MARGIN_NS = 10_000_000
"""A device that asks for nothing for so long, or, if that is longer, for a block and the margin, has perhaps stopped:
the position waits. If it has, the position is 32 ms ahead at most; if not, it is behind by what the buffer holds
beyond them (23 ms)."""
ECHO_NS = NS_PER_S // 10
"""For so long the room may still carry what was played."""
VIRTUAL_RATE = 48_000
"""Hz; while no device was ever there."""


class SpeakerStatus(Enum):
    """Can we be heard?"""

    OK = "ok"
    ABSENT = "absent"
    """No loudspeaker, or it was lost; it is looked for."""
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedBlock:
    """What the loudspeaker plays, for the echo canceller."""

    samples: FloatArray
    """float32 mono, about 10 ms; belongs to the receiver."""
    sample_rate: int
    """Hz."""
    heard_ns: int
    """time.monotonic_ns() at which the first sample leaves the loudspeaker."""


class Playback:
    """Plays clips one after the other and knows to the frame what was heard.

    It does not know turns: who interrupts calls `clear`. Without a device it goes on counting, so that a reply runs
    to its end in captions, and what nobody could hear is not played later.
    """

    def __init__(self, devices: DeviceManager, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._devices = devices
        self._now_ns = now_ns
        self.on_rendered: Callable[[RenderedBlock], None] | None = None
        """Called in the device's thread with every block, silence too; must return at once."""
        self.on_status: Callable[[SpeakerStatus], None] | None = None
        """Called on each change, in the thread that noticed; must return at once."""
        self._queue = PlayQueue()
        self._clock = StreamClock(VIRTUAL_RATE)
        self._sample_rate = VIRTUAL_RATE
        self._rate_lock = threading.Lock()  # no clip is converted to one rate and queued at another
        self._feed: DeviceFeed | None = None  # of the open stream; any other stream is one left behind
        self._offset = AvOffset()
        self._device_name = "default"
        self._volume = 1.0
        self._gain = 1.0  # of the last sample played; follows the volume within a block
        self._stream: SoundStream | None = None
        self._status = SpeakerStatus.CLOSED
        self._message = "the loudspeaker is closed"
        self._scratch = np.zeros(0, np.float32)
        self._last_block_ns = 0
        self._overdue_ns = 0
        self._has_begun = False
        self._sound_until_ns = 0
        self._glitches = 0
        self._played = 0
        self._played_lock = threading.Lock()

    # --- for the pipeline -------------------------------------------------------------------------------------------

    def open(self, config: SoundConfig) -> None:
        """Open the loudspeaker; an absent one is no error but a `status`, and is awaited."""
        self._device_name = config.output_device
        self._volume = self._gain = config.volume
        self._offset = AvOffset()
        self._clock.restart(self._queue.next_frame, self._now_ns())
        self._devices.add(self)

    def close(self) -> None:
        """Stop at once. Harmless when closed."""
        self._queue.clear(0)
        self._devices.remove(self)
        self._set_status(SpeakerStatus.CLOSED, "the loudspeaker is closed")

    @property
    def sample_rate(self) -> int:
        """Rate of the frames in Hz; changes only when another device takes over while nothing is queued."""
        return self._sample_rate

    def enqueue(self, samples: FloatArray, sample_rate: int) -> PlaybackSpan:
        """Play a clip after what waits already.

        Args:
            samples: float32 mono in [-1, 1], shape (n,); may be empty.
            sample_rate: Its rate in Hz, any.

        Returns:
            Where it will be heard, in frames of `sample_rate` (the property) since `open`.

        Raises:
            AudioError: The playback is closed, the rate is impossible, or ten minutes are waiting already.
        """
        if self._status is SpeakerStatus.CLOSED:
            raise AudioError("playback-closed", "the loudspeaker is closed; open it before playing")
        if self.queued_s > MAX_QUEUED_S:
            raise AudioError("speech-backlog", f"more than {MAX_QUEUED_S} s of speech wait; stop the answer")
        with self._rate_lock:
            clip = resample(samples, sample_rate, self._sample_rate)  # new memory, unless the rates are equal
            return self._queue.append(clip.copy() if clip is samples else clip)

    def played(self) -> int:
        """Frames heard so far since `open`. Never runs backwards, never ahead of what the device was given."""
        now_ns = self._now_ns()
        if self._stream is None and self._status is SpeakerStatus.ABSENT:
            self._count_without_device(now_ns)
        elif self._has_begun:
            now_ns = min(now_ns, self._overdue_ns)
        with self._played_lock:
            self._played = self._position(now_ns)
            return self._played

    def _position(self, now_ns: int) -> int:
        frame = self._clock.frame_at(now_ns)
        return self._played if frame is None else max(self._played, min(frame, self._queue.next_frame))

    def clear(self) -> int:
        """Drop everything that waits; silence after a 10 ms fade and what the device holds already (60 ms).

        Returns:
            The frame at which the sound ends; no later than the end of what was queued.
        """
        return self._queue.clear(round(FADE_S * self._sample_rate))

    @property
    def is_idle(self) -> bool:
        """Everything that was queued has been heard."""
        return self.played() >= self._queue.end_frame

    @property
    def queued_s(self) -> float:
        """Seconds of sound that the device has not been given yet."""
        return max(0, self._queue.end_frame - self._queue.next_frame) / self._sample_rate

    @property
    def is_quiet(self) -> bool:
        """The loudspeaker gives no sound at all, nor has it for some 100 ms (the room's echo included)."""
        return self._now_ns() > self._sound_until_ns

    @property
    def volume(self) -> float:
        """Loudness, 0..1."""
        return self._volume

    @volume.setter
    def volume(self, volume: float) -> None:
        self._volume = min(1.0, max(0.0, volume))

    @property
    def status(self) -> SpeakerStatus:
        """Whether we can be heard."""
        return self._status

    @property
    def message(self) -> str:
        """One line for the operator: which device, or what to do."""
        return self._message

    @property
    def glitches(self) -> int:
        """How often the device ran dry since `open`."""
        return self._glitches

    @property
    def offset_ms(self) -> float:
        """How far `played` is ahead of the device's own word (negative: behind), in ms over the last half second."""
        return self._offset.ms

    @property
    def worst_offset_ms(self) -> float:
        """The `offset_ms` furthest from 0 since `open`."""
        return self._offset.worst_ms

    # --- for the device's thread ------------------------------------------------------------------------------------

    def _on_block(self, feed: DeviceFeed | None, block: FloatArray, times: BlockTime) -> None:
        if feed is None or feed is not self._feed:
            block.fill(0.0)
            return
        frames = block.shape[0]
        if self._scratch.size != frames:
            self._scratch = np.zeros(frames, np.float32)
        mono = self._scratch
        first = feed.fill(mono)
        gain = self._volume
        if gain == self._gain:
            mono *= gain
        else:
            mono *= np.linspace(self._gain, gain, frames, dtype=np.float32)
            self._gain = gain
        block[:] = mono[:, np.newaxis]
        self._keep_time(feed, first, frames, times)
        self._glitches += times.is_glitch
        if mono.any():
            self._sound_until_ns = times.device_ns + ECHO_NS
        if self.on_rendered is not None:
            self.on_rendered(
                RenderedBlock(samples=mono.copy(), sample_rate=feed.sample_rate, heard_ns=times.device_ns)
            )

    def _keep_time(self, feed: DeviceFeed, first: int, frames: int, times: BlockTime) -> None:
        block_ns = frames * NS_PER_S // feed.sample_rate
        is_late = times.now_ns - self._last_block_ns > block_ns + OVERDUE_MARGIN_NS
        self._clock.observe(first, times.device_ns, is_late or times.is_glitch or not self._has_begun)
        self._overdue_ns = times.now_ns + max(OVERDUE_NS, block_ns + OVERDUE_MARGIN_NS)
        self._last_block_ns = times.now_ns
        self._has_begun = True
        heard = first - (times.device_ns - times.now_ns) * self._sample_rate // NS_PER_S
        shown = self._position(times.now_ns)
        if self._offset.observe(shown, max(heard, feed.first_frame), self._sample_rate):
            self._clock.restart(first, times.device_ns)

    # --- for the device manager -------------------------------------------------------------------------------------

    def check(self, now_ns: int) -> bool:
        """See `DeviceUser`."""
        stream = self._stream
        patience_ns = NEXT_CALLBACK_NS if self._has_begun else FIRST_CALLBACK_NS
        if stream is not None and stream.is_running and now_ns - self._last_block_ns < patience_ns:
            return False
        if stream is not None:
            self.disconnect()
            self.note_absent(AudioError("lost-loudspeaker", "the loudspeaker was lost; check its plug and its power"))
        return True

    def connect(self) -> None:
        """See `DeviceUser`."""
        feed: DeviceFeed | None = None
        stream, device, rate = self._devices.open_stream(
            "output", self._device_name, lambda block, times: self._on_block(feed, block, times)
        )
        if self._status is SpeakerStatus.ABSENT:
            self._count_without_device(self._now_ns())
        with self._rate_lock:
            if rate != self._sample_rate and self._queue.end_frame <= self._queue.next_frame:
                self._sample_rate = rate
                self._clock = StreamClock(rate)
                self._clock.restart(self._queue.next_frame, self._now_ns())
            feed = self._feed = DeviceFeed(self._queue, self._sample_rate, rate)
        self._last_block_ns = self._now_ns()
        self._stream = stream
        try:
            stream.start()
        except AudioError:
            self.disconnect()
            raise
        self._set_status(SpeakerStatus.OK, f'loudspeaker "{device.name}" at {rate} Hz')

    def disconnect(self) -> None:
        """See `DeviceUser`."""
        stream, self._stream, self._feed = self._stream, None, None
        if stream is not None:
            stream.close()
            self._has_begun = False
            self._offset.restart()
            self._clock.restart(self._queue.next_frame, self._now_ns())

    def note_absent(self, error: AudioError) -> None:
        """See `DeviceUser`."""
        self._set_status(SpeakerStatus.ABSENT, error.message)

    @property
    def may_pause(self) -> bool:
        """See `DeviceUser`."""
        return self.is_idle

    @property
    def wants_refresh(self) -> bool:
        """See `DeviceUser`."""
        return self._status is SpeakerStatus.ABSENT

    def _count_without_device(self, now_ns: int) -> None:
        target = self._clock.frame_at(now_ns)
        if target is not None and target > self._queue.next_frame:
            self._queue.skip_to(target)

    def _set_status(self, status: SpeakerStatus, message: str) -> None:
        is_new, self._status = status is not self._status, status
        is_news, self._message = message != self._message, message
        if is_new or is_news:
            log.log(logging.WARNING if status is SpeakerStatus.ABSENT else logging.INFO, "%s", message)
        if is_new and self.on_status is not None:
            self.on_status(status)
