"""Films: H.264 and AAC in an MP4 that any player opens, written as one step, marked as made by AI."""

from __future__ import annotations

import errno
import json
import os
import uuid
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from kiosk import __version__
from kiosk.errors import RenderError
from models.types import FloatArray

SOFTWARE = f"lobby-kiosk {__version__}"
AAC_RATES = (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000)  # Hz
_ENCODERS = ("libx264", "libopenh264")
_QUALITY = {"crf": "20", "preset": "veryfast"}  # libx264: near the source, and faster than real time on two cores
_PIXEL_BITS = 0.12  # bits for a pixel of an encoder that wants a bit rate
_AUDIO_BITS = 128_000  # bits per second


def ai_metadata(title: str) -> dict[str, str]:
    """Marks in the file that say how it was made: for people, for players, and the AIGC field of GB 45438-2025."""
    return {
        "title": title,
        "comment": "AI-generated: synthetic speech and a synthetic face (AI 生成)",
        "description": f"AI-generated with {SOFTWARE}",
        "software": SOFTWARE,
        "AIGC": json.dumps({"Label": "1", "ContentProducer": SOFTWARE, "ProduceID": uuid.uuid4().hex}),
    }


class VideoWriter:
    """Writes one film. Use it in a `with` statement: the file appears at the end, or not at all."""

    def __init__(
        self, path: Path, width: int, height: int, fps: int, sample_rate: int, metadata: Mapping[str, str]
    ) -> None:
        """Open the film beside its final place.

        Args:
            path: Ends in .mp4; replaced if it is there.
            width: Pixels, even.
            height: Pixels, even.
            fps: Frames per second.
            sample_rate: Hz, one of `AAC_RATES`.
            metadata: See `ai_metadata`.

        Raises:
            RenderError: The folder cannot be written, or there is no encoder.
            ValueError: A size is odd or the sample rate is not one of AAC's.
        """
        if width % 2 or height % 2:
            raise ValueError(f"{width}x{height}: sizes of a film must be even")
        if sample_rate not in AAC_RATES:
            raise ValueError(f"{sample_rate} Hz: AAC has no such rate")
        self._path = path
        self._part = path.with_name(f".{path.stem}-{uuid.uuid4().hex[:8]}.part.mp4")
        self._fps, self._sample_rate = fps, sample_rate
        self._frames = self._samples = 0
        self._closed = False
        options = {"movflags": "faststart+use_metadata_tags"}
        try:
            self._container: Any = av.open(str(self._part), "w", format="mp4", options=options)
        except OSError as error:
            raise _cannot_write(path, error) from error
        self._container.metadata.update(metadata)
        self._video = self._add_video(width, height)
        self._audio: Any = self._container.add_stream("aac", rate=sample_rate, layout="mono")
        self._audio.bit_rate = _AUDIO_BITS
        self._left = np.zeros(0, np.float32)

    def write_frame(self, rgb: NDArray[np.uint8]) -> None:
        """Append one picture, shape (height, width, 3).

        Raises:
            RenderError: The disk is full.
        """
        frame = av.VideoFrame.from_ndarray(rgb, format="rgb24")
        frame.pts, frame.time_base = self._frames, Fraction(1, self._fps)
        self._frames += 1
        self._mux(self._video, frame)

    def write_sound(self, samples: FloatArray) -> None:
        """Append sound, float32 mono in [-1, 1], any length. Keep it near the pictures' time.

        Raises:
            RenderError: The disk is full.
        """
        self._left = np.concatenate([self._left, samples])
        whole = len(self._left) // 1024 * 1024
        self._encode_sound(self._left[:whole])
        self._left = self._left[whole:]

    def finish(self) -> None:
        """Write what is left and put the film in its place.

        Raises:
            RenderError: The disk is full.
        """
        self._encode_sound(self._left)
        self._mux(self._video, None)
        self._mux(self._audio, None)
        try:
            self._closed = True
            self._container.close()
            os.replace(self._part, self._path)
        except OSError as error:
            self._part.unlink(missing_ok=True)
            raise _cannot_write(self._path, error) from error

    def discard(self) -> None:
        """Leave nothing behind; does nothing after `finish`."""
        if not self._closed:
            self._closed = True
            try:
                self._container.close()
            except (OSError, ValueError):  # a film that cannot even be ended is deleted all the same
                pass
        self._part.unlink(missing_ok=True)

    def __enter__(self) -> VideoWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.finish()
        finally:
            self.discard()

    def _add_video(self, width: int, height: int) -> Any:
        for name in _ENCODERS:
            try:
                stream = self._container.add_stream(name, rate=self._fps)
            except (av.error.FFmpegError, ValueError):
                continue
            stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
            if name == "libx264":
                stream.options = dict(_QUALITY)
            else:
                stream.bit_rate = int(width * height * self._fps * _PIXEL_BITS)
            return stream
        self.discard()
        raise RenderError("no-encoder", "this PyAV has no H.264 encoder; install the `av` wheel from PyPI")

    def _encode_sound(self, samples: FloatArray) -> None:
        if not len(samples):
            return
        frame = av.AudioFrame.from_ndarray(
            np.ascontiguousarray(samples[None], np.float32), format="fltp", layout="mono"
        )
        frame.sample_rate, frame.pts, frame.time_base = (
            self._sample_rate,
            self._samples,
            Fraction(1, self._sample_rate),
        )
        self._samples += len(samples)
        self._mux(self._audio, frame)

    def _mux(self, stream: Any, frame: Any) -> None:
        try:
            self._container.mux(stream.encode(frame))
        except OSError as error:
            raise _cannot_write(self._path, error) from error


def _cannot_write(path: Path, error: OSError) -> RenderError:
    if error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
        return RenderError("disk-full", f"{path}: the disk is full; free some space")
    return RenderError(
        "cannot-write", f"{path}: cannot be written ({error.strerror or error}); choose another folder"
    )
