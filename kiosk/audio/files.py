"""Sound files: any that FFmpeg knows comes in, WAV goes out. Called from any thread, one file at a time."""

from __future__ import annotations

import os
import tempfile
import wave
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kiosk.audio.resample import MODEL_RATE, check_rate, resample
from kiosk.errors import AudioError
from kiosk.events import SpeechClip
from models.types import FloatArray

LONGEST_FILE_S = 4 * 3600
"""A longer file does not fit into memory as float32."""
_PCM16 = 32_767


def read_sound(path: Path, sample_rate: int = MODEL_RATE) -> FloatArray:
    """Read a sound file, or the sound of a video.

    Args:
        path: WAV, FLAC, MP3, M4A, OGG …, any rate, any channels, whole or floating numbers.
        sample_rate: Wanted rate in Hz.

    Returns:
        float32 mono in about [-1, 1], shape (n,).

    Raises:
        AudioError: The file is missing, empty, damaged, has no sound or is far too long.
    """
    samples, own_rate = read_native(path)
    return resample(samples, own_rate, sample_rate)


def read_native(path: Path) -> tuple[FloatArray, int]:
    """Read a sound file as `read_sound` does, at its own rate; gives the rate in Hz too.

    Raises:
        AudioError: As for `read_sound`.
    """
    try:
        size = path.stat().st_size
    except OSError as error:
        raise AudioError("no-sound-file", f"{path}: cannot be read ({error.strerror}); check the name") from error
    if path.is_dir():
        raise AudioError("no-sound-file", f"{path}: is a folder; name a sound file")
    if size == 0:
        raise AudioError("empty-sound-file", f"{path}: is empty; record it again")
    samples, rate = _decode(path)
    if not samples.size:
        raise AudioError("empty-sound-file", f"{path}: holds no sound; record it again")
    if not np.isfinite(samples).all():
        raise AudioError("bad-sound-file", f"{path}: holds values that are no numbers; save it again as WAV")
    return samples, rate


def write_clips(path: Path, clips: Sequence[SpeechClip]) -> None:
    """Write the clips of an answer one after the other, as `write_wav` does; at least one.

    Raises:
        AudioError: As for `write_wav`.
    """
    rate = max(clip.sample_rate for clip in clips)
    write_wav(path, np.concatenate([resample(clip.samples, clip.sample_rate, rate) for clip in clips]), rate)


def write_wav(path: Path, samples: FloatArray, sample_rate: int) -> None:
    """Write a 16-bit mono WAV file, whole or not at all.

    Args:
        path: Overwritten if it exists; the folder must exist.
        samples: float32 mono in [-1, 1], shape (n,); louder parts are clipped.
        sample_rate: Hz.

    Raises:
        AudioError: The folder cannot be written to, or the disk is full.
    """
    check_rate(sample_rate)
    pcm = np.rint(np.clip(samples, -1.0, 1.0) * _PCM16).astype("<i2").tobytes()
    partial: Path | None = None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        partial = Path(name)
        with os.fdopen(handle, "wb") as file:
            with wave.open(file, "wb") as wav:
                wav.setnchannels(1)
                wav.setsampwidth(2)
                wav.setframerate(sample_rate)
                wav.writeframes(pcm)
            file.flush()
            os.fsync(file.fileno())
        partial.chmod(0o644)  # mkstemp makes private files
        partial.replace(path)
        partial = None
    except OSError as error:
        raise AudioError(
            "cannot-write", f"{path}: cannot be written ({error.strerror}); check the folder and the free space"
        ) from error
    finally:
        if partial is not None:
            partial.unlink(missing_ok=True)


def _decode(path: Path) -> tuple[FloatArray, int]:
    import av

    parts: list[FloatArray] = []
    rate = num_samples = 0
    try:
        with av.open(str(path)) as container:
            if not container.streams.audio:
                raise AudioError("bad-sound-file", f"{path}: holds no sound; name a sound file")
            stream = container.streams.audio[0]
            to_float: Any = None
            for frame in container.decode(stream):
                if to_float is None:
                    rate = int(frame.sample_rate)
                    to_float = av.AudioResampler(format="fltp", layout=frame.layout, rate=rate)
                for converted in to_float.resample(frame):
                    parts.append(converted.to_ndarray().mean(axis=0, dtype=np.float32))
                    num_samples += parts[-1].size
                if num_samples > LONGEST_FILE_S * rate:
                    raise AudioError("long-sound-file", f"{path}: is longer than {LONGEST_FILE_S // 3600} h; cut it")
    except (av.FFmpegError, OSError, ValueError) as error:
        if not num_samples:
            raise AudioError("bad-sound-file", f"{path}: is no sound file; use WAV, FLAC, MP3 or M4A") from error
        raise AudioError(
            "bad-sound-file", f"{path}: is damaged after {num_samples / rate:.1f} s; copy it again"
        ) from error
    return (np.concatenate(parts) if parts else np.zeros(0, np.float32)), rate
