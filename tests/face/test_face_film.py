"""Films: right length, right marks, all or nothing."""

import json
import math
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field

import av
import cv2
import numpy as np
import pytest

from kiosk.errors import RenderError
from kiosk.face.badge import AiBadge
from kiosk.face.offscreen import describe_opengl
from kiosk.face.portrait import load_portrait, shipped_avatars_dir
from kiosk.face.render import check_output, common_rate, render_video
from kiosk.face.video import VideoWriter, ai_metadata
from models.types import FloatArray, PhonemeTime
from tests.face.mouth_meter import film

SMALL = (96, 96)


@dataclass
class Clip:
    samples: FloatArray
    sample_rate: int = 24_000
    phonemes: tuple[PhonemeTime, ...] = field(default_factory=tuple)


def hum(seconds, sample_rate=24_000):
    t = np.arange(round(seconds * sample_rate)) / sample_rate
    samples = (0.3 * np.sin(2 * np.pi * 200 * t)).astype(np.float32)
    return Clip(samples, sample_rate, (PhonemeTime(symbol="a", start_s=0, end_s=seconds),))


@pytest.fixture(scope="module")
def mei():
    try:
        describe_opengl()
    except RenderError as error:
        pytest.skip(error.message)
    return load_portrait(shipped_avatars_dir() / "mei")


def streams(path):
    with av.open(str(path)) as container:
        frames = sum(1 for _ in container.decode(video=0))
        container.seek(0)
        sound = sum(f.samples for f in container.decode(audio=0))
        return frames, sound, container.streams.audio[0].rate, dict(container.metadata)


@pytest.mark.parametrize("seconds", [0.10, 0.19, 0.20, 1.00, 6.00, 6.7025])
def test_a_film_has_a_frame_for_every_begun_part_of_the_sound(tmp_path, mei, seconds):
    out = tmp_path / "out.mp4"
    render_video(mei, [hum(seconds)], out, size=SMALL)
    frames, sound, rate, _ = streams(out)
    assert frames == math.ceil(seconds * 25)
    assert sound / rate == pytest.approx(seconds, abs=0.09)  # AAC comes in blocks of 43 ms


@pytest.mark.parametrize("sample_rate", [16_000, 22_050, 24_000, 44_100, 11_110])
def test_the_sample_rate_does_not_change_the_film(tmp_path, mei, sample_rate):
    render_video(mei, [hum(0.6, sample_rate)], tmp_path / "out.mp4", size=SMALL)
    frames, sound, rate, _ = streams(tmp_path / "out.mp4")
    assert frames == 15
    assert sound / rate == pytest.approx(0.6, abs=0.12)


def test_many_clips_do_not_drift(tmp_path, mei):
    render_video(mei, [hum(0.1033) for _ in range(100)], tmp_path / "out.mp4", size=SMALL)
    assert abs(streams(tmp_path / "out.mp4")[0] - 10.33 * 25) <= 1


def test_the_mouth_moves_and_sound_is_heard_when_it_does(tmp_path, mei):
    out = tmp_path / "说话 视频.mp4"
    silence = Clip(np.zeros(24_000, np.float32), 24_000, (PhonemeTime(symbol=".", start_s=0, end_s=1.0),))
    render_video(mei, [silence, hum(1.0)], out, size=(240, 240))
    frames, times = film(out)
    x, y = (slice(95, 145), slice(130, 170))
    mouth = np.array([f[y, x].mean() for f in frames])
    quiet, spoken = mouth[times < 0.95], mouth[(times > 1.2) & (times < 1.8)]
    assert quiet.mean() - spoken.mean() > 3 * max(quiet.std(), 0.35)  # darker when open
    with av.open(str(out)) as container:
        sound = np.concatenate([f.to_ndarray()[0] for f in container.decode(audio=0)])
    loud = np.flatnonzero(np.abs(sound) > 0.05)[0] / 24_000
    assert loud == pytest.approx(1.0, abs=0.05)


def test_a_film_is_marked_as_made_by_ai_for_people_and_machines(tmp_path, mei):
    out = tmp_path / "out.mp4"
    render_video(mei, [hum(0.2)], out, size=(320, 240))
    frames, _ = film(out)
    corner, plain = frames[0][6:40, 6:60], frames[0][6:40, 260:314]
    assert corner.std() > 4 * plain.std()
    metadata = streams(out)[3]
    assert "AI-generated" in metadata["comment"]
    assert "lobby-kiosk" in metadata["software"]
    assert json.loads(metadata["AIGC"])["Label"] == "1"
    head = out.read_bytes()
    assert head.index(b"moov") < head.index(b"mdat")  # plays while it loads


@pytest.mark.parametrize("size", [(720, 720), (1280, 720), (1080, 1920)])
def test_letters_of_the_mark_have_a_twentieth_of_the_shorter_side(size):
    picture = np.zeros((size[1], size[0], 3), np.uint8)
    AiBadge(*size).put_on(picture)
    bright = np.flatnonzero((picture.min(2) > 150).any(1))
    first_line = bright[: np.argmax(np.diff(bright) > 1) + 1]  # the Chinese letters stand above the English ones
    assert len(first_line) >= 0.05 * min(size) - 1


def test_odd_sizes_are_rounded_up_and_any_player_can_open_the_film(tmp_path, mei):
    out = tmp_path / "out.mp4"
    render_video(mei, [hum(0.1)], out, size=(101, 99))
    with av.open(str(out)) as container:
        video = container.streams.video[0]
        assert (video.width, video.height) == (102, 100)
        assert video.codec_context.name == "h264"
        assert video.codec_context.pix_fmt == "yuv420p"
        assert container.streams.audio[0].codec_context.name == "aac"


def test_an_older_film_is_replaced_only_by_a_whole_one(tmp_path, mei):
    out = tmp_path / "out.mp4"
    out.write_bytes(b"older")

    def begin_and_break():
        with VideoWriter(out, 64, 64, 25, 24_000, ai_metadata("x")) as writer:
            writer.write_frame(np.zeros((64, 64, 3), np.uint8))
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        begin_and_break()
    assert out.read_bytes() == b"older"
    assert os.listdir(tmp_path) == ["out.mp4"]
    render_video(mei, [hum(0.1)], out, size=SMALL)
    assert os.listdir(tmp_path) == ["out.mp4"]
    assert out.stat().st_size > 1000


@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files through POSIX")
def test_a_full_disk_is_said_and_leaves_nothing(tmp_path):
    program = textwrap.dedent(
        """
        import resource, sys
        import numpy as np
        from pathlib import Path
        from kiosk.errors import RenderError
        from kiosk.face.video import VideoWriter, ai_metadata
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
        noise = np.random.default_rng(0)
        try:
            with VideoWriter(Path(sys.argv[1]), 256, 256, 25, 24_000, ai_metadata("x")) as writer:
                for _ in range(60):
                    writer.write_frame(noise.integers(0, 255, (256, 256, 3), np.uint8))
                    writer.write_sound(np.zeros(960, np.float32))
        except RenderError as error:
            print(error.code, error.message)
        """
    )
    out = tmp_path / "out.mp4"
    done = subprocess.run([sys.executable, "-c", program, str(out)], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("disk-full"), done.stdout + done.stderr
    assert os.listdir(tmp_path) == []


def test_bad_wishes_are_refused_before_the_work(tmp_path, mei):
    out = tmp_path / "out.mp4"
    with pytest.raises(RenderError, match="nothing to say"):
        render_video(mei, [Clip(np.zeros(0, np.float32))], out)
    with pytest.raises(RenderError, match="64 to 4096"):
        render_video(mei, [hum(0.1)], out, size=(10_000, 100))
    with pytest.raises(RenderError, match="make it first"):
        check_output(tmp_path / "nowhere" / "out.mp4")
    with pytest.raises(RenderError, match="may not be written"):
        check_output(tmp_path)
    assert os.listdir(tmp_path) == []


def test_rates_of_different_clips_are_brought_together():
    assert common_rate([24_000, 24_000]) == 24_000
    assert common_rate([24_000, 16_000]) == 48_000
    assert common_rate([11_111]) == 48_000


def test_the_badge_fits_where_the_picture_is_tiny():
    picture = np.zeros((20, 30, 3), np.uint8)
    AiBadge(30, 20).put_on(picture)
    assert cv2.countNonZero(picture[..., 0]) > 0
