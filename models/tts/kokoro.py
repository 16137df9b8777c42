"""Kokoro-82M on ONNX Runtime: Chinese, English and both in one sentence, with phoneme times from the network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from models.errors import CheckpointError, ModelError
from models.tts.base import SynthesisedSpeech
from models.tts.g2p import GraphemeToPhoneme, is_english
from models.tts.joining import speak_in_pieces
from models.tts.loudness import apply_gain, voice_gain
from models.tts.prepare import PROSODY_FILE, VOCODER_FILE, is_prepared
from models.tts.timing import SAMPLE_RATE, phoneme_times, speech_bounds, window_times
from models.tts.voice_files import load_style, open_session
from models.types import FloatArray, Language, PhonemeTime, ShouldStop, never_stop

if TYPE_CHECKING:
    import onnxruntime

PAD_TOKEN = 0
WARM_UP_TEXT: dict[Language, str] = {
    "zh": "您好，欢迎光临，请问您要办理什么业务？",
    "en": "Welcome, how may I help you?",
}


class KokoroSynthesiser:
    """Speaks clauses with one Chinese and one English voice. All calls come from one thread."""

    sample_rate = SAMPLE_RATE

    def __init__(
        self,
        prosody: onnxruntime.InferenceSession,
        vocoder: onnxruntime.InferenceSession,
        styles: Mapping[Language, FloatArray],
        gains: Mapping[Language, float],
        g2p: GraphemeToPhoneme,
        speed: float,
    ) -> None:
        self._prosody: onnxruntime.InferenceSession | None = prosody
        self._vocoder: onnxruntime.InferenceSession | None = vocoder
        self._styles = styles
        self._gains = gains
        self._speed = speed
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
            voices: Voice file for Chinese (and mixed) and for English sentences.
            vocab: JSON file with the token id of each phoneme.
            g2p: Shared reader of text; by default a new one with the lists beside `vocab`.
            device: cuda falls back to the CPU, with a warning, where ONNX Runtime has no CUDA provider.
            threads: CPU threads of the one pool that the networks use.
            speed: Speaking rate, 0.5..2.

        Raises:
            CheckpointError: A file is missing, damaged or of the wrong kind.
        """
        if not is_prepared(folder):
            raise CheckpointError(folder, "the voice network is not prepared")
        styles = {language: load_style(path) for language, path in voices.items()}
        gains = {language: voice_gain(path.stem) for language, path in voices.items()}
        sessions = [
            open_session(folder / name, device=device, threads=threads) for name in (PROSODY_FILE, VOCODER_FILE)
        ]
        if g2p is None:
            g2p = GraphemeToPhoneme.load(vocab)
        return cls(sessions[0], sessions[1], styles, gains, g2p, speed)

    def warm_up(self) -> None:
        """Load the dictionaries and run one clause for each language."""
        self.g2p.warm_up()
        for language in self._styles:
            self.synthesise(WARM_UP_TEXT[language], language)

    def synthesise(self, text: str, language: Language, should_stop: ShouldStop = never_stop) -> SynthesisedSpeech:
        """Speak one clause; see `Synthesiser`."""
        voice, phonemes = self._read(text, language)
        return speak_in_pieces(phonemes, lambda piece: self._speak(piece, voice), should_stop)

    def close(self) -> None:
        """Free the networks."""
        self._prosody = self._vocoder = None

    def _read(self, text: str, language: Language) -> tuple[Language, str]:
        """The voice that fits the clause and its phonemes."""
        if is_english(text, language):
            return "en", self.g2p.english(text)
        return "zh", self.g2p.mixed(text)

    def _speak(self, phonemes: str, voice: Language) -> tuple[FloatArray, list[PhonemeTime]]:
        """One piece through both networks, trimmed."""
        if self._prosody is None or self._vocoder is None:
            raise ModelError("the voice is closed; start the program again")
        style = self._styles[voice][len(phonemes) - 1][None]
        tokens = np.array([[PAD_TOKEN, *self.g2p.tokens(phonemes), PAD_TOKEN]], np.int64)
        feed = {"tokens": tokens, "style": style, "speed": np.array([self._speed], np.float32)}
        durations, features, harmonics = self._prosody.run(["durations", "features", "harmonics"], feed)
        feed = {"features": features, "harmonics": harmonics, "style": style}
        (samples,) = self._vocoder.run(["audio"], feed)
        start, end = speech_bounds(samples)
        times = phoneme_times(phonemes, durations.reshape(-1))
        return apply_gain(samples[start:end], self._gains[voice]), window_times(
            times, start / SAMPLE_RATE, end / SAMPLE_RATE
        )
