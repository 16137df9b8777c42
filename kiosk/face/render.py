"""Portrait + speech → a talking film. One thread, faster than real time where the machine allows."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import soxr

from kiosk.errors import RenderError
from kiosk.face.animator import FaceAnimator
from kiosk.face.badge import AiBadge
from kiosk.face.motion import plan_motion
from kiosk.face.offscreen import OffscreenRenderer
from kiosk.face.portrait import Portrait
from kiosk.face.sound_motion import plan_motion_from_sound
from kiosk.face.types import Mood, MotionTrack
from kiosk.face.video import AAC_RATES, VideoWriter, ai_metadata
from models.types import FloatArray, PhonemeTime

DEFAULT_SIZE = (720, 720)
DEFAULT_FPS = 25
MIN_SIDE, MAX_SIDE = 64, 4096  # px
_COMMON_RATE = 48_000  # Hz: for clips of different or odd rates
_SEED = 1

Progress = Callable[[float], None]
"""Called with the finished share, 0..1."""


class SpokenClip(Protocol):
    """Sound with the times of its phonemes, such as `kiosk.events.SpeechClip`; without phonemes the sound decides."""

    @property
    def samples(self) -> FloatArray:
        """float32 mono in [-1, 1]."""
        ...

    @property
    def sample_rate(self) -> int:
        """Hz."""
        ...

    @property
    def phonemes(self) -> tuple[PhonemeTime, ...]:
        """On the clip's own clock; may be empty."""
        ...


def check_output(path: Path) -> None:
    """Find out before the work whether a file can be written there.

    Raises:
        RenderError: The folder is absent or may not be written, or the path is a folder.
    """
    folder = path.resolve().parent
    if not folder.is_dir():
        raise RenderError("cannot-write", f"{path}: there is no folder {folder}; make it first")
    if path.is_dir() or not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise RenderError("cannot-write", f"{path}: may not be written; choose another file")


def render_video(
    portrait: Portrait,
    clips: Sequence[SpokenClip],
    out: Path,
    *,
    size: tuple[int, int] = DEFAULT_SIZE,
    fps: int = DEFAULT_FPS,
    title: str = "",
    progress: Progress | None = None,
) -> None:
    """Make a film in which the portrait says the clips one after the other.

    The film has ceil(seconds of sound x fps) frames.

    Args:
        portrait: Who speaks.
        clips: What is said.
        out: Ends in .mp4.
        size: Width and height in pixels; odd ones are rounded up.
        fps: Frames per second.
        title: For the file's metadata; by default the portrait's name.
        progress: Told how far the work is.

    Raises:
        RenderError: No sound, a bad size, no OpenGL, or the film cannot be written.
        AvatarError: The portrait is damaged.
    """
    width, height = (side + side % 2 for side in size)
    if not (MIN_SIDE <= width <= MAX_SIDE and MIN_SIDE <= height <= MAX_SIDE):
        raise RenderError("bad-size", f"{size[0]}x{size[1]}: a film's sides must be {MIN_SIDE} to {MAX_SIDE} pixels")
    if not 1 <= fps <= 60:
        raise RenderError("bad-fps", f"{fps} frames per second: must be 1 to 60")
    spoken = [clip for clip in clips if len(clip.samples)]
    if not spoken:
        raise RenderError("no-sound", "there is nothing to say: the speech is empty")
    check_output(out)
    rate = common_rate([clip.sample_rate for clip in spoken])
    tracks = [plan_clip(clip) for clip in spoken]
    sounds = [_resampled(clip, rate) for clip in spoken]
    starts = np.concatenate([[0], np.cumsum([len(sound) for sound in sounds])]) / rate
    sound = np.concatenate(sounds)
    num_frames = math.ceil(round(len(sound) / rate * fps, 6))

    badge, animator = AiBadge(width, height), FaceAnimator(_SEED)
    animator.set_mood(Mood.SPEAKING)
    metadata = ai_metadata(title or portrait.name)
    with (
        OffscreenRenderer(portrait, width, height) as renderer,
        VideoWriter(out, width, height, fps, rate, metadata) as writer,
    ):
        for number in range(num_frames):
            now_s = number / fps
            which = int(np.searchsorted(starts, now_s, side="right")) - 1
            picture = renderer.frame(animator.pose(now_s, tracks[which], now_s - float(starts[which]))).copy()
            badge.put_on(picture)
            writer.write_frame(picture)
            writer.write_sound(sound[number * rate // fps : (number + 1) * rate // fps])
            if progress is not None:
                progress((number + 1) / num_frames)


def plan_clip(clip: SpokenClip) -> MotionTrack:
    """The mouth of one clip: by its phonemes, or by its sound when they are not known."""
    if clip.phonemes:
        return plan_motion(clip.samples, clip.sample_rate, clip.phonemes)
    return plan_motion_from_sound(clip.samples, clip.sample_rate)


def common_rate(rates: Sequence[int]) -> int:
    """The film's sample rate: that of the clips if they agree and AAC has it."""
    return rates[0] if len(set(rates)) == 1 and rates[0] in AAC_RATES else _COMMON_RATE


def _resampled(clip: SpokenClip, rate: int) -> FloatArray:
    samples = np.asarray(clip.samples, np.float32)
    if clip.sample_rate == rate:
        return samples
    return np.asarray(soxr.resample(samples, clip.sample_rate, rate), np.float32)
