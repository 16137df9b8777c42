"""Speech synthesis: Kokoro for Chinese, English and mixed sentences, hibari for quick English on a CPU."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from models.tts.base import SynthesisedSpeech, Synthesiser
from models.tts.prepare import is_prepared, prepare
from models.types import Language

__all__ = ["SynthesisedSpeech", "Synthesiser", "is_prepared", "load_synthesiser", "prepare"]

VOCABULARY_FILE = "kokoro_vocab.json"


def load_synthesiser(
    engine: Literal["auto", "kokoro", "hibari"],
    folder: Path,
    voices_folder: Path,
    *,
    voice_zh: str,
    voice_en: str,
    device: Literal["cpu", "cuda"] = "cpu",
    threads: int = 2,
    speed: float = 1.0,
    own_readings: Path | None = None,
) -> Synthesiser:
    """Load the voices that speak both languages.

    Args:
        engine: kokoro: both languages with Kokoro. hibari: English with hibari whatever `voice_en` is.
            auto: English with hibari if it sounds like `voice_en` and there is no GPU, else with Kokoro.
            Chinese is always Kokoro's.
        folder: Prepared graphs of Kokoro.
        voices_folder: Voice files, vocabulary and lists of readings.
        voice_zh: Name of the voice for Chinese and mixed sentences, such as zf_xiaoxiao.
        voice_en: Name of the voice for English sentences, such as af_heart.
        device: Where Kokoro runs.
        threads: CPU threads of each network; they never run at the same time.
        speed: Speaking rate, 0.5..2.
        own_readings: Folder that may hold lists of readings of the operator's own; they come before those of
            `voices_folder`.

    Raises:
        CheckpointError: A file is missing, damaged or of the wrong kind.
    """
    from models.tts.bilingual import BilingualSynthesiser
    from models.tts.g2p import GraphemeToPhoneme
    from models.tts.hibari_voice import TEACHER_VOICE, HibariSynthesiser
    from models.tts.kokoro import KokoroSynthesiser

    vocab = voices_folder / VOCABULARY_FILE
    g2p = GraphemeToPhoneme.load(vocab, own_readings)
    quick = engine == "hibari" or (engine == "auto" and device == "cpu" and voice_en == TEACHER_VOICE)
    voices: dict[Language, Path] = {"zh": voices_folder / f"{voice_zh}.bin"}
    if not quick:
        voices["en"] = voices_folder / f"{voice_en}.bin"
    kokoro = KokoroSynthesiser.load(folder, voices, vocab, g2p=g2p, device=device, threads=threads, speed=speed)
    if not quick:
        return kokoro
    return BilingualSynthesiser(kokoro, HibariSynthesiser.load(vocab, g2p=g2p, threads=threads, speed=speed))
