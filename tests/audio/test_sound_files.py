"""Sound files in, WAV out."""

from __future__ import annotations

import os
import wave
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile

from kiosk.audio.files import read_native, read_sound, write_clips, write_wav
from kiosk.errors import AudioError
from kiosk.events import ReplyClause, SpeechClip
from models.types import FloatArray


def tone(rate: int, seconds: float = 1.0) -> FloatArray:
    return (0.5 * np.sin(2 * np.pi * 440 * np.arange(round(rate * seconds)) / rate)).astype(np.float32)


def encode(path: Path, codec: str, rate: int, layout: str) -> None:
    """Write the tone with FFmpeg."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate, layout=layout)
        channels = 2 if layout == "stereo" else 1
        samples = np.repeat(tone(rate)[np.newaxis], channels, axis=0)
        frame = av.AudioFrame.from_ndarray(samples, format="fltp", layout=layout)
        frame.sample_rate = rate
        for part in av.AudioResampler(stream.format.name, layout, rate, frame_size=stream.frame_size).resample(frame):
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))


@pytest.mark.parametrize(
    ("subtype", "rate", "channels"),
    [("PCM_16", 44_100, 2), ("PCM_32", 48_000, 1), ("FLOAT", 16_000, 1), ("PCM_U8", 8_000, 1), ("PCM_24", 96_000, 2)],
)
def test_any_wav_becomes_16_khz_mono(tmp_path: Path, subtype: str, rate: int, channels: int) -> None:
    """AS-09."""
    path = tmp_path / "大堂 录音.wav"
    soundfile.write(path, np.repeat(tone(rate)[:, np.newaxis], channels, axis=1), rate, subtype)
    samples = read_sound(path)
    assert samples.dtype == np.float32
    assert samples.shape == (16_000,)
    np.testing.assert_allclose(samples[800:-800], tone(16_000)[800:-800], atol=0.01)


@pytest.mark.parametrize(("name", "codec"), [("a.flac", "flac"), ("a.m4a", "aac"), ("a.mp3", "mp3")])
def test_packed_formats(tmp_path: Path, name: str, codec: str) -> None:
    try:
        av.Codec(codec, "w")
    except av.codec.codec.UnknownCodecError:
        pytest.skip(f"this FFmpeg cannot write {codec}")
    encode(tmp_path / name, codec, 44_100, "stereo")
    samples, rate = read_native(tmp_path / name)
    assert rate == 44_100
    assert samples.size == pytest.approx(44_100, abs=4_000)
    spectrum = np.abs(np.fft.rfft(samples))
    assert np.argmax(spectrum) * rate / samples.size == pytest.approx(440, abs=2)


def test_bad_files_say_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "empty.wav").touch()
    (tmp_path / "text.wav").write_text("this is no sound\n" * 100, encoding="utf-8")
    soundfile.write(tmp_path / "none.wav", np.zeros(0, np.float32), 16_000)
    soundfile.write(tmp_path / "nan.wav", np.full(100, np.nan, np.float32), 16_000, "FLOAT")
    for name, message in (
        ("gone.wav", "check the name"),
        ("empty.wav", "is empty"),
        ("text.wav", "is no sound file"),
        ("none.wav", "no sound"),
        ("nan.wav", "no numbers"),
        ("", "is a folder"),
    ):
        with pytest.raises(AudioError, match=message) as caught:
            read_sound(tmp_path / name)
        assert "\n" not in caught.value.message


def test_a_picture_has_no_sound(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=25)
        stream.width = stream.height = 64
        stream.pix_fmt = "yuv420p"
        container.mux(stream.encode(av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), format="rgb24")))
        container.mux(stream.encode(None))
    with pytest.raises(AudioError, match="holds no sound"):
        read_sound(path)


def test_wav_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "回答.wav"
    path.write_bytes(b"old")
    write_wav(path, np.array([0.0, 0.5, -1.0, 3.0], np.float32), 24_000)
    with wave.open(str(path)) as wav:
        assert (wav.getframerate(), wav.getnchannels(), wav.getsampwidth()) == (24_000, 1, 2)
        np.testing.assert_array_equal(np.frombuffer(wav.readframes(9), "<i2"), [0, 16_384, -32_767, 32_767])
    assert os.listdir(tmp_path) == [path.name]


def test_clips_of_two_voices_become_one_file(tmp_path: Path) -> None:
    path = tmp_path / "answer.wav"
    clause = ReplyClause(turn_id=1, index=0, written="好", spoken="好", language="zh")
    clips = [
        SpeechClip(turn_id=1, clause=clause, samples=tone(rate, 0.5), sample_rate=rate, phonemes=())
        for rate in (24_000, 16_000)
    ]
    write_clips(path, clips)
    samples, rate = read_native(path)
    assert (samples.size, rate) == (24_000, 24_000)
    np.testing.assert_allclose(samples[13_000:23_000], tone(24_000, 0.5)[1_000:11_000], atol=0.01)


def test_a_missing_folder_is_no_traceback(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match="cannot be written"):
        write_wav(tmp_path / "no" / "a.wav", tone(16_000), 16_000)


def test_a_full_disk_leaves_nothing_and_keeps_the_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(b"old")

    def full(_fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(AudioError, match="No space left on device"):
        write_wav(path, tone(16_000), 16_000)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.wav"]
