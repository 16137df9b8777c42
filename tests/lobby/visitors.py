"""Visitors: what they say, in voices that the kiosk does not use or from recordings, and the noise of a hall."""

from __future__ import annotations

import functools
import hashlib
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soxr

from kiosk.audio.files import read_sound
from kiosk.normalize import normalize
from kiosk.paths import RESOURCES, checkpoints_dir
from models.tts import Synthesiser, load_synthesiser
from models.types import Language
from models.weights import locate
from tests.lobby.stage_set import RATE
from tests.lobby.tape import Sound, save

VOICE_PAIRS = (("zm_yunxi", "af_bella"), ("zm_yunjian", "bm_george"))
"""Chinese and English; mei, the default face, has others. zf_xiaoni is left out: Whisper-base misreads a quarter of
her characters."""


@dataclass(frozen=True)
class Question:
    """What a visitor asks and what the answer must hold."""

    text: str
    language: Language
    heard: str
    """Regular expression over the transcript: the words that carry the question."""
    fact: str
    """Regular expression over the recognised answer."""
    snr_db: float | None = None
    """Lobby noise at this distance below the voice, or none."""


@dataclass(frozen=True)
class Visitor:
    """Somebody with a voice of their own."""

    voice_zh: str
    voice_en: str
    tempo: float = 1.0
    """Speed and pitch together, as a tape that runs faster: another throat."""


VISITORS = (
    Visitor(*VOICE_PAIRS[0]),
    Visitor(*VOICE_PAIRS[1]),
    Visitor("zf_xiaoni", "am_michael"),
    Visitor(*VOICE_PAIRS[0], tempo=1.12),
    Visitor(*VOICE_PAIRS[1], tempo=0.9),
    Visitor("zm_yunxi", "bm_george", tempo=1.06),
)
PAUSE_MARK = "|"


def say_as(visitor: Visitor, text: str, language: Language, pause_s: float = 0.7) -> Sound:
    """What a visitor says, float32 mono at 48 kHz; a pause of `pause_s` at each `PAUSE_MARK` in the text."""
    parts = [_made(visitor, part.strip(), language) for part in text.split(PAUSE_MARK)]
    out = [parts[0]]
    for part in parts[1:]:
        out += [np.zeros(round(pause_s * RATE), np.float32), part]
    return np.concatenate(out)


def _made(visitor: Visitor, text: str, language: Language) -> Sound:
    """Spoken once on this machine: the voices take as long as what they say."""
    voice = visitor.voice_zh if language == "zh" else visitor.voice_en
    folder = Path(tempfile.gettempdir()) / "lobby-visitors"
    folder.mkdir(exist_ok=True)
    path = folder / f"{hashlib.sha256(f'{voice} {text}'.encode()).hexdigest()[:20]}.wav"
    if not path.exists():
        speech = _synthesiser(visitor.voice_zh, visitor.voice_en).synthesise(normalize(text, language), language)
        whole = np.asarray(soxr.resample(speech.samples, speech.sample_rate, RATE), np.float32)
        new = path.with_suffix(".new")
        save(new, _without_edges(whole))
        new.replace(path)
    sound = read_sound(path, RATE)
    return sound if visitor.tempo == 1 else np.asarray(soxr.resample(sound, RATE * visitor.tempo, RATE), np.float32)


def _without_edges(sound: Sound) -> Sound:
    """Without the silence before and after, so that a pause in a sentence is as long as was asked."""
    loud = np.flatnonzero(np.abs(sound) > np.abs(sound).max() / 100)
    return sound[loud[0] : loud[-1] + 1]


def recordings(folder: Path) -> list[tuple[Path, Sound]]:
    """All WAV files of a folder, by name, as visitors' sounds at 48 kHz."""
    found = [(path, read_sound(path, RATE)) for path in sorted(folder.glob("*.wav"))]
    if not found:
        raise FileNotFoundError(f"{folder}: no WAV files")
    return found


@functools.cache
def _synthesiser(zh: str, en: str) -> Synthesiser:
    folder = locate("kokoro-82m", checkpoints_dir())
    return load_synthesiser("kokoro", folder, RESOURCES / "voices", voice_zh=zh, voice_en=en, threads=2)


@functools.cache
def _spoken(text: str, language: Language, pair: int) -> Sound:
    speech = _synthesiser(*VOICE_PAIRS[pair]).synthesise(normalize(text, language).rstrip("?？"), language)
    return np.asarray(soxr.resample(speech.samples, speech.sample_rate, RATE), np.float32)


def spoken(question: Question, voice: int = 0) -> Sound:
    """The question as a visitor says it, float32 mono at 48 kHz, without noise; made once."""
    return _spoken(question.text, question.language, voice % len(VOICE_PAIRS)).copy()


def lobby_noise(seconds: float, seed: int = 7) -> Sound:
    """The sound of a hall without words: pink noise with slow swells, steps and a hum, float32 at 48 kHz, RMS 1."""
    rng = np.random.default_rng(seed)
    count = int(seconds * RATE)
    spectrum = np.fft.rfft(rng.standard_normal(count))
    frequency = np.maximum(np.fft.rfftfreq(count, 1 / RATE), 20)
    pink = np.fft.irfft(spectrum / np.sqrt(frequency), count)
    pink /= pink.std()
    time = np.arange(count) / RATE
    swell = 1 + 0.4 * np.sin(2 * np.pi * 0.23 * time) + 0.3 * np.sin(2 * np.pi * 0.71 * time + 1)
    hum = 0.15 * np.sin(2 * np.pi * 100 * time)
    steps = np.zeros(count)
    for at in np.cumsum(rng.uniform(0.45, 0.7, max(1, int(seconds / 0.4)))):
        i = int(at * RATE)
        if i + 4000 < count:
            steps[i : i + 4000] += rng.standard_normal(4000) * np.exp(-np.arange(4000) / 600) * 1.5
    noise = pink * swell + hum + steps
    return np.asarray(noise / noise.std(), np.float32)


def add_noise(voice: Sound, snr_db: float, lead_s: float = 1.0) -> Sound:
    """The voice in a hall: noise before, under and after it, `snr_db` below the voice's RMS."""
    lead = int(lead_s * RATE)
    padded = np.pad(voice, (lead, lead * 2))
    level = float(np.sqrt(np.mean(voice**2))) * 10 ** (-snr_db / 20)
    return padded + lobby_noise(len(padded) / RATE)[: len(padded)] * np.float32(level)


def holds(pattern: str, text: str, language: Language) -> bool:
    """Whether the spoken form of the text holds the pattern, without regard to case, spaces and punctuation."""
    plain = re.sub(r"[\s,.;:!?，。；：！？、'’\-]+", " ", normalize(text, language).lower())
    return re.search(pattern, plain) is not None or re.search(pattern, plain.replace(" ", "")) is not None
