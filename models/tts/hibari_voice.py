"""hibari on ONNX Runtime: a small English voice for the CPU, a hundred times faster than real time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from models.errors import CheckpointError, ModelError
from models.tts.base import SynthesisedSpeech
from models.tts.g2p import GraphemeToPhoneme
from models.tts.joining import join_unless_stopped, speak_in_pieces
from models.tts.loudness import apply_gain, voice_gain
from models.tts.timing import SAMPLE_RATE, phoneme_times, speech_bounds, window_times
from models.tts.voice_files import open_session
from models.types import FloatArray, Language, ShouldStop, never_stop

if TYPE_CHECKING:
    import onnxruntime

TEACHER_VOICE = "af_heart"
"""The Kokoro voice that hibari was distilled from: it sounds nearly the same."""
VOICE_NAME = "hibari"
DURATIONS = "/Clip_output_0"
"""Tensor inside the graph with the frames (25 ms) of each token; the graph itself does not give it out."""
SPECTRA = ("lh", "theta", "ln", "lr", "phi", "f0")
"""Outputs of the network, in the order that hibari's signal processing takes them."""
NOISE_SEED = 0
"""The breathy part of the voice is noise; a fixed seed gives the same sound for the same text."""
PAD_TOKEN = 0


class HibariSynthesiser:
    """Speaks English clauses. All calls come from one thread."""

    sample_rate = SAMPLE_RATE

    def __init__(self, session: onnxruntime.InferenceSession, g2p: GraphemeToPhoneme, speed: float) -> None:
        from hibari import dsp

        self._dsp = dsp
        self._session: onnxruntime.InferenceSession | None = session
        self._gain = voice_gain(VOICE_NAME)
        self._speed = speed
        self.g2p = g2p

    @classmethod
    def load(
        cls, vocab: Path, *, g2p: GraphemeToPhoneme | None = None, threads: int = 1, speed: float = 1.0
    ) -> HibariSynthesiser:
        """Load the network that lies inside the `hibari-tts` package.

        Args:
            vocab: JSON file with Kokoro's token id of each phoneme; hibari uses the same alphabet.
            g2p: Shared reader of text; by default a new one with the lists beside `vocab`.
            threads: CPU threads of the network.
            speed: Speaking rate, 0.5..2.

        Raises:
            CheckpointError: The package's network is missing, damaged or of another version.
        """
        if g2p is None:
            g2p = GraphemeToPhoneme.load(vocab)
        return cls(open_session(_network_path(), device="cpu", threads=threads, extra_output=DURATIONS), g2p, speed)

    def warm_up(self) -> None:
        """Load the dictionaries and run one clause."""
        self.synthesise("Welcome, how may I help you?", "en")

    def synthesise(self, text: str, language: Language, should_stop: ShouldStop = never_stop) -> SynthesisedSpeech:
        """Speak one English clause; see `Synthesiser`. Chinese in it is counted as lost."""
        return join_unless_stopped(self.stream(text, language, should_stop), should_stop)

    def stream(
        self, text: str, language: Language, should_stop: ShouldStop = never_stop
    ) -> Iterator[SynthesisedSpeech]:
        """Speak one English clause; see `Synthesiser`. It is one part unless the clause is long."""
        return speak_in_pieces(self.g2p.english(text), self._speak, should_stop)

    def close(self) -> None:
        """Free the network."""
        self._session = None

    def _speak(self, phonemes: str) -> Iterator[SynthesisedSpeech]:
        if self._session is None:
            raise ModelError("the voice is closed; start the program again")
        ids = np.array([[PAD_TOKEN, *self.g2p.tokens(phonemes), PAD_TOKEN]], np.int64)
        feed = {"ids": ids, "speed": np.array([self._speed], np.float32)}
        *spectra, durations = self._session.run([*SPECTRA, DURATIONS], feed)
        noise = np.random.default_rng(NOISE_SEED)
        samples: FloatArray = self._dsp.synth(*(spectrum[0] for spectrum in spectra), noise)
        start, end = speech_bounds(samples)
        times = phoneme_times(phonemes, durations.reshape(-1))
        yield SynthesisedSpeech(
            samples=apply_gain(samples[start:end], self._gain),
            sample_rate=SAMPLE_RATE,
            phonemes=tuple(window_times(times, start / SAMPLE_RATE, end / SAMPLE_RATE)),
        )


def _network_path() -> Path:
    """Where the package keeps its network; its own loader is not used because it may download other voices."""
    from importlib.util import find_spec

    spec = find_spec("hibari")
    if spec is None or spec.origin is None:
        raise CheckpointError(
            Path("hibari"), "the Python package hibari-tts is not installed", "run installer/run.sh"
        )
    return Path(spec.origin).parent / "assets" / "hibari.onnx"
