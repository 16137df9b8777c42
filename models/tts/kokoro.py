"""Kokoro-82M on ONNX Runtime: Chinese, English and both in one sentence, with phoneme times from the network."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from models.errors import CheckpointError, ModelError
from models.tts.base import SynthesisedSpeech
from models.tts.g2p import GraphemeToPhoneme, is_english
from models.tts.joining import NOTHING, join_unless_stopped, speak_in_pieces
from models.tts.loudness import apply_gain, voice_gain
from models.tts.parts import COLUMNS_PER_S, CONTEXT_COLUMNS, plan_parts
from models.tts.prepare import PART_VOCODER_FILE, PROSODY_FILE, VOCODER_FILE, is_prepared
from models.tts.statistics import SILENT_BELOW, NormStatistics
from models.tts.timing import SAMPLE_RATE, phoneme_times, speech_bounds, window_times
from models.tts.voice_files import load_style, open_session
from models.types import FloatArray, Language, PhonemeTime, ShouldStop, never_stop

if TYPE_CHECKING:
    import onnxruntime

PAD_TOKEN = 0
COLUMN_SAMPLES = SAMPLE_RATE // COLUMNS_PER_S  # 300
SOURCE_COLUMNS = 60
"""Columns of the harmonics for one column of the features; one more stands at the end."""
EDGE_COLUMNS = 6
"""Columns kept around what the network's energy calls speech (75 ms); the sound itself decides the rest."""
WARM_UP_TEXT: dict[Language, str] = {"zh": "您好，欢迎光临！", "en": "Welcome, how may I help you?"}
FIRST_RATE = 0.5
"""Seconds of computing for a second of sound that are assumed before anything was measured."""
RATE_MEMORY = 0.7
"""Weight of the older measurements in the running average of that rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KokoroVoice:
    """One speaker."""

    style: FloatArray
    """Shape (510, 256); row n − 1 is for n phonemes."""
    gain: float
    """Factor that brings the voice to the common loudness."""
    statistics: NormStatistics | None
    """What is needed to speak a clause in parts; None: only whole clauses."""

    @classmethod
    def load(cls, path: Path) -> KokoroVoice:
        """Read a voice file and what lies beside it.

        Raises:
            CheckpointError: A file cannot be read or is of another kind.
        """
        return cls(style=load_style(path), gain=voice_gain(path.stem), statistics=NormStatistics.load(path))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prosody:
    """What the first network says about one piece."""

    style: FloatArray
    times: list[PhonemeTime]
    features: FloatArray
    harmonics: FloatArray
    pitch: FloatArray
    energy: FloatArray


class KokoroSynthesiser:
    """Speaks clauses, each language with its voice. All calls come from one thread."""

    sample_rate = SAMPLE_RATE

    def __init__(
        self,
        sessions: Mapping[str, onnxruntime.InferenceSession],
        voices: Mapping[Language, KokoroVoice],
        g2p: GraphemeToPhoneme,
        speed: float,
    ) -> None:
        self._sessions = dict(sessions)
        self._voices = voices
        self._speed = speed
        self._rate = FIRST_RATE
        self.g2p = g2p

    @classmethod
    def load(
        cls,
        folder: Path,
        voices: Mapping[Language, Path],
        vocab: Path,
        *,
        g2p: GraphemeToPhoneme | None = None,
        device: Literal["cpu", "cuda"] = "cpu",
        threads: int = 2,
        speed: float = 1.0,
    ) -> KokoroSynthesiser:
        """Load the prepared graphs.

        Args:
            folder: Holds the graphs that `models.tts.prepare.prepare` made.
            voices: Voice file for Chinese and mixed sentences, and for English ones unless these go elsewhere.
            vocab: JSON file with the token id of each phoneme.
            g2p: Shared reader of text; by default a new one with the lists beside `vocab`.
            device: cuda falls back to the CPU, with a warning, where ONNX Runtime has no CUDA provider.
            threads: CPU threads of each network; they never run at the same time.
            speed: Speaking rate, 0.5..2.

        Raises:
            CheckpointError: A file is missing, damaged or of the wrong kind.
        """
        if not is_prepared(folder):
            raise CheckpointError(folder, "the voice network is not prepared")
        loaded = {language: KokoroVoice.load(path) for language, path in voices.items()}
        names = [PROSODY_FILE, VOCODER_FILE]
        if device == "cpu" and any(voice.statistics for voice in loaded.values()):
            names.append(PART_VOCODER_FILE)
        sessions = {name: open_session(folder / name, device=device, threads=threads) for name in names}
        return cls(sessions, loaded, g2p or GraphemeToPhoneme.load(vocab), speed)

    def warm_up(self) -> None:
        """Load the dictionaries and run one clause for each voice, as a whole and in parts."""
        self.g2p.warm_up()
        for language in self._voices:
            self.synthesise(WARM_UP_TEXT[language], language)
            for _ in self.stream(WARM_UP_TEXT[language], language):
                pass

    def synthesise(self, text: str, language: Language, should_stop: ShouldStop = never_stop) -> SynthesisedSpeech:
        """Speak one clause; see `Synthesiser`."""
        voice, phonemes = self._read(text, language)
        parts = speak_in_pieces(phonemes, lambda piece: self._whole(piece, voice), should_stop)
        return join_unless_stopped(parts, should_stop)

    def stream(
        self, text: str, language: Language, should_stop: ShouldStop = never_stop
    ) -> Iterator[SynthesisedSpeech]:
        """Speak one clause in parts; see `Synthesiser`."""
        voice, phonemes = self._read(text, language)
        speak = self._in_parts if voice.statistics and PART_VOCODER_FILE in self._sessions else self._whole
        return speak_in_pieces(phonemes, lambda piece: speak(piece, voice), should_stop)

    def close(self) -> None:
        """Free the networks."""
        self._sessions.clear()

    def _read(self, text: str, language: Language) -> tuple[KokoroVoice, str]:
        """The voice that fits the clause and its phonemes."""
        if "en" in self._voices and is_english(text, language):
            return self._voices["en"], self.g2p.english(text)
        return self._voices["zh"], self.g2p.mixed(text)

    def _whole(self, phonemes: str, voice: KokoroVoice) -> Iterator[SynthesisedSpeech]:
        """One piece at once, with its own statistics: the best quality."""
        yield self._decode_whole(self._prosody(phonemes, voice), voice)

    def _in_parts(self, phonemes: str, voice: KokoroVoice) -> Iterator[SynthesisedSpeech]:
        """One piece in parts that fit together sample by sample, without its silence at both ends."""
        prosody = self._prosody(phonemes, voice)
        spoken = np.flatnonzero(prosody.energy >= SILENT_BELOW)
        if voice.statistics is None or len(spoken) == 0:
            yield NOTHING
            return
        means, variances = voice.statistics.predict(prosody.pitch, prosody.energy)
        start = max(0, int(spoken[0]) - EDGE_COLUMNS)
        end = min(len(prosody.energy), int(spoken[-1]) + 1 + EDGE_COLUMNS)
        parts = plan_parts(start, end, self._rate)
        if len(parts) == 1:
            yield self._decode_whole(prosody, voice)
            return
        for number, (a, b) in enumerate(parts):
            began = time.perf_counter()
            first, last = max(0, a - CONTEXT_COLUMNS), min(len(prosody.energy), b + CONTEXT_COLUMNS)
            samples = self._decode(PART_VOCODER_FILE, prosody, first, last, {"means": means, "variances": variances})
            samples = samples[(a - first) * COLUMN_SAMPLES : (b - first) * COLUMN_SAMPLES]
            self._note_rate(time.perf_counter() - began, (last - first) / COLUMNS_PER_S)
            head, tail = speech_bounds(samples)
            head = head if number == 0 else 0
            tail = tail if number == len(parts) - 1 else len(samples)
            yield _speech(apply_gain(samples[head:tail], voice.gain), prosody.times, a * COLUMN_SAMPLES + head)

    def _prosody(self, phonemes: str, voice: KokoroVoice) -> _Prosody:
        style = voice.style[len(phonemes) - 1][None]
        feed = {
            "tokens": np.array([[PAD_TOKEN, *self.g2p.tokens(phonemes), PAD_TOKEN]], np.int64),
            "style": style,
            "speed": np.array([self._speed], np.float32),
        }
        outputs = ["durations", "pitch", "energy", "features", "harmonics"]
        durations, pitch, energy, features, harmonics = self._session(PROSODY_FILE).run(outputs, feed)
        return _Prosody(
            style=style,
            times=phoneme_times(phonemes, durations.reshape(-1)),
            features=features,
            harmonics=harmonics,
            pitch=pitch.reshape(-1),
            energy=energy.reshape(-1),
        )

    def _decode_whole(self, prosody: _Prosody, voice: KokoroVoice) -> SynthesisedSpeech:
        began = time.perf_counter()
        samples = self._decode(VOCODER_FILE, prosody, 0, len(prosody.energy), {})
        self._note_rate(time.perf_counter() - began, len(samples) / SAMPLE_RATE)
        start, end = speech_bounds(samples)
        return _speech(apply_gain(samples[start:end], voice.gain), prosody.times, start)

    def _decode(
        self, name: str, prosody: _Prosody, first: int, last: int, statistics: Mapping[str, FloatArray]
    ) -> FloatArray:
        """Sound of the columns [first, last), shape ((last − first) × 300,)."""
        source = slice(first * SOURCE_COLUMNS, last * SOURCE_COLUMNS + 1)
        feed = {
            "features": np.ascontiguousarray(prosody.features[:, :, first:last]),
            "harmonics": np.ascontiguousarray(prosody.harmonics[:, :, source]),
            "style": prosody.style,
            **statistics,
        }
        samples: FloatArray = self._session(name).run(["audio"], feed)[0]
        return samples

    def _session(self, name: str) -> onnxruntime.InferenceSession:
        try:
            return self._sessions[name]
        except KeyError as error:
            raise ModelError("the voice is closed; start the program again") from error

    def _note_rate(self, computing_s: float, sound_s: float) -> None:
        self._rate = RATE_MEMORY * self._rate + (1 - RATE_MEMORY) * computing_s / sound_s


def _speech(samples: FloatArray, times: list[PhonemeTime], start: int) -> SynthesisedSpeech:
    """Sound that began `start` samples into its piece, with its share of the piece's phoneme times."""
    start_s = start / SAMPLE_RATE
    inside = window_times(times, start_s, start_s + len(samples) / SAMPLE_RATE)
    return SynthesisedSpeech(samples=samples, sample_rate=SAMPLE_RATE, phonemes=tuple(inside))
