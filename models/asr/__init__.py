"""Speech recognition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from models.asr.base import Recogniser
from models.types import LANGUAGES, Language

Engine = Literal["auto", "faster-whisper", "openai-whisper"]


def load_recogniser(
    engine: Engine,
    model_path: Path,
    *,
    device: Literal["auto", "cpu", "cuda"] = "auto",
    threads: int = 0,
    languages: Sequence[Language] = LANGUAGES,
    prompt_words: Mapping[Language, str] | None = None,
) -> Recogniser:
    """Load the recogniser of an engine; only that engine's library is imported.

    Args:
        engine: auto: openai-whisper for a .pt file, else faster-whisper.
        model_path: A folder in CTranslate2's format, or a .pt file for openai-whisper.
        device: auto takes CUDA where there is a GPU.
        threads: CPU threads at most; 0 leaves it to the library.
        languages: The only ones that are recognised.
        prompt_words: Per language, terms to expect, separated by commas or 、.

    Raises:
        CheckpointError: The weights are absent, damaged or of another kind.
        ModelError: The engine is not installed or the device is not there.
    """
    if engine == "auto":
        engine = "openai-whisper" if model_path.suffix == ".pt" else "faster-whisper"
    if engine == "openai-whisper":
        from models.asr.openai_whisper import OpenAIWhisperRecogniser

        half = (threads + 1) // 2  # it sets torch's threads for the whole program
        return OpenAIWhisperRecogniser.load(
            model_path, device=device, threads=half, languages=languages, prompt_words=prompt_words
        )
    from models.asr.whisper import FasterWhisperRecogniser

    return FasterWhisperRecogniser.load(
        model_path, device=device, threads=threads, languages=languages, prompt_words=prompt_words
    )
