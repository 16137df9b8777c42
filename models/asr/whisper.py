"""Whisper by faster-whisper (CTranslate2): int8 on a CPU, half precision on CUDA.

The encoder runs once per utterance; language detection and every decoding share its output. Nothing is downloaded.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

import ctranslate2
import numpy as np
from faster_whisper import WhisperModel
from faster_whisper.tokenizer import Tokenizer

from models.asr.cleaning import Hypothesis
from models.asr.recogniser import WhisperRecogniser
from models.asr.windows import HOP_LENGTH, window_frames
from models.errors import CheckpointError, ModelError
from models.types import LANGUAGES, FloatArray, Language

BEAM_SIZE = 3
"""Hypotheses kept while decoding. Against 1: Chinese character errors 14.9 → 13.2 % for 20 ms; 5 brings no more."""
MAX_PROMPT_TOKENS = 200
"""A prompt may fill at most this much of the decoder's 448 tokens; the rest belongs to the words."""
SLOW_ENCODER_S = 0.3
"""For the smallest window. The steps of the decoder are too small to be shared: where eight-bit products are fast,
two threads take 0.18 s and one takes 0.07 s, as each step waits until the other thread has been woken, and the face
needs a core meanwhile. An encoder slower than this (no VNNI) says that the steps are long, too, and worth sharing: on
such a machine one thread takes 1.07 s for a question and two take 0.65 s."""
FILES = ("model.bin", "config.json", "tokenizer.json")
"""What a folder must hold; without its tokenizer the library would ask the network for one."""


class FasterWhisperRecogniser(WhisperRecogniser):
    """Whisper weights in CTranslate2's format."""

    @classmethod
    def load(
        cls,
        folder: Path,
        *,
        device: Literal["auto", "cpu", "cuda"] = "auto",
        compute_type: str = "auto",
        threads: int = 0,
        languages: Sequence[Language] = LANGUAGES,
        prompt_words: Mapping[Language, str] | None = None,
        beam_size: int = BEAM_SIZE,
    ) -> Self:
        """Read the weights.

        Args:
            folder: With model.bin, config.json, tokenizer.json and a vocabulary.
            device: auto takes CUDA where there is a GPU.
            compute_type: Of CTranslate2; auto: int8 on a CPU, float16 on CUDA.
            threads: CPU threads at most: all of them on a slow processor, half of them on another; 0 leaves it to the
                library.
            languages: See `WhisperRecogniser`.
            prompt_words: See `WhisperRecogniser`.
            beam_size: Hypotheses kept while decoding, from 1.

        Raises:
            CheckpointError: A file is absent or damaged, or the weights know no other language than English.
            ModelError: There is no CUDA device to use.
        """
        for name in FILES:
            if not (folder / name).is_file():
                raise CheckpointError(folder / name, "is missing")
        if device == "auto":
            device = "cuda" if ctranslate2.get_cuda_device_count() else "cpu"
        if device == "cuda" and not ctranslate2.get_cuda_device_count():
            raise ModelError('speech recognition: there is no CUDA device; set compute.device to "cpu"')
        if compute_type == "auto":
            compute_type = "int8" if device == "cpu" else "float16"

        def open_model(num_threads: int) -> WhisperModel:
            try:
                return WhisperModel(
                    str(folder),
                    device=device,
                    compute_type=compute_type,
                    cpu_threads=num_threads,
                    local_files_only=True,
                    files=_read_files(folder),
                )
            except (RuntimeError, ValueError) as error:
                raise CheckpointError(
                    folder, f"is no Whisper in CTranslate2's format or does not fit here ({error})"
                ) from error

        model = open_model((threads + 1) // 2)
        if not model.model.is_multilingual and tuple(languages) != ("en",):
            raise CheckpointError(
                folder, "knows English only", 'choose another model or set hearing.languages to ["en"]'
            )
        backend = _CTranslate2Backend(model, beam_size)
        if device == "cpu" and threads > 1 and _encoder_s(backend) > SLOW_ENCODER_S:
            backend = _CTranslate2Backend(open_model(threads), beam_size)
        return cls(backend, languages, prompt_words)


class _CTranslate2Backend:
    """`WhisperBackend` on a faster-whisper model."""

    def __init__(self, model: WhisperModel, beam_size: int) -> None:
        self._model = model
        self._beam_size = beam_size
        self._tokenizers: dict[Language, Tokenizer] = {}

    def encode(self, samples: FloatArray, num_frames: int) -> Any:
        window = np.zeros(num_frames * HOP_LENGTH, np.float32)
        window[: len(samples)] = samples
        features = self._model.feature_extractor(window)[:, :num_frames]
        batch = np.ascontiguousarray(features[np.newaxis], np.float32)
        return self._model.model.encode(ctranslate2.StorageView.from_array(batch))

    def language_probabilities(self, encoded: Any) -> Mapping[str, float]:
        if not self._model.model.is_multilingual:
            return {"en": 1.0}
        return {token[2:-2]: probability for token, probability in self._model.model.detect_language(encoded)[0]}

    def decode(self, encoded: Any, language: Language, prompt: str, max_tokens: int) -> Hypothesis:
        tokenizer = self._tokenizer(language)
        primed = tokenizer.encode(" " + prompt)[:MAX_PROMPT_TOKENS] if prompt else []
        start = [*([tokenizer.sot_prev, *primed] if primed else []), *tokenizer.sot_sequence, tokenizer.no_timestamps]
        result = self._model.model.generate(
            encoded,
            [start],
            beam_size=self._beam_size,
            max_length=min(self._model.max_length, len(start) + max_tokens),
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        tokens = result.sequences_ids[0]
        return Hypothesis(
            text=tokenizer.decode(tokens).strip(),
            # The score is the mean over the tokens; the end mark, which it leaves out, counts as one more.
            average_log_probability=float(result.scores[0]) * len(tokens) / (len(tokens) + 1),
            no_speech_probability=float(result.no_speech_prob),
        )

    def _tokenizer(self, language: Language) -> Tokenizer:
        if language not in self._tokenizers:
            multilingual = self._model.model.is_multilingual
            self._tokenizers[language] = Tokenizer(self._model.hf_tokenizer, multilingual, "transcribe", language)
        return self._tokenizers[language]


def _encoder_s(backend: _CTranslate2Backend) -> float:
    """Seconds for the smallest window, the shorter of two."""
    times = []
    for _ in range(2):
        began = time.perf_counter()
        backend.encode(np.zeros(0, np.float32), window_frames(0))
        times.append(time.perf_counter() - began)
    return min(times)


def _read_files(folder: Path) -> dict[str, bytes] | None:
    """The folder's contents where C++ may not be able to open its path (Chinese names on Windows), else None."""
    if str(folder).isascii():
        return None
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
