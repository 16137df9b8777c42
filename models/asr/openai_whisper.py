"""Whisper by the openai-whisper package, for its own `.pt` checkpoints. An optional extra, imported on load."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from models.asr.base import SAMPLE_RATE
from models.asr.cleaning import Hypothesis
from models.asr.recogniser import WhisperRecogniser
from models.asr.whisper import BEAM_SIZE
from models.errors import CheckpointError, ModelError
from models.types import LANGUAGES, FloatArray, Language

WINDOW_S = 30
"""This implementation takes no other window."""


class OpenAIWhisperRecogniser(WhisperRecogniser):
    """Whisper weights in OpenAI's format."""

    @classmethod
    def load(
        cls,
        path: Path,
        *,
        device: Literal["auto", "cpu", "cuda"] = "auto",
        threads: int = 0,
        languages: Sequence[Language] = LANGUAGES,
        prompt_words: Mapping[Language, str] | None = None,
        beam_size: int = BEAM_SIZE,
    ) -> Self:
        """Read the weights; half precision on CUDA.

        Args:
            path: A `.pt` file with dims and model_state_dict.
            device: auto takes CUDA where there is a GPU.
            threads: CPU threads of torch in the whole program; 0 leaves them as they are.
            languages: See `WhisperRecogniser`.
            prompt_words: See `WhisperRecogniser`.
            beam_size: Hypotheses kept while decoding, from 1.

        Raises:
            CheckpointError: The file is absent, damaged, unsafe or English only.
            ModelError: The package is not installed or there is no CUDA device to use.
        """
        try:
            import torch
            import whisper
        except ImportError as error:
            raise ModelError(
                f"speech recognition: {error.name} is not installed; run `pip install openai-whisper` "
                'or set recogniser.engine to "faster-whisper"'
            ) from error
        if not path.is_file():
            raise CheckpointError(path, "is missing")
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        if device == "cuda" and not torch.cuda.is_available():
            raise ModelError('speech recognition: there is no CUDA device; set compute.device to "cpu"')
        if threads:
            torch.set_num_threads(threads)
        try:
            # The package's own load_model reads pickles without weights_only when its torch is old.
            checkpoint = torch.load(path, map_location="cpu", weights_only=True)
            model = whisper.model.Whisper(whisper.model.ModelDimensions(**checkpoint["dims"]))
            model.load_state_dict(checkpoint["model_state_dict"])
        except (pickle.UnpicklingError, EOFError, KeyError, TypeError, RuntimeError) as error:
            raise CheckpointError(path, "is no Whisper checkpoint of OpenAI's format, or is damaged") from error
        if not model.is_multilingual and tuple(languages) != ("en",):
            raise CheckpointError(path, "knows English only", 'choose another or set hearing.languages to ["en"]')
        return cls(_TorchBackend(model.eval().to(device), beam_size), languages, prompt_words)


class _TorchBackend:
    """`WhisperBackend` on an openai-whisper model."""

    def __init__(self, model: Any, beam_size: int) -> None:
        self._model = model
        self._beam_size = beam_size
        self._is_half = model.device.type == "cuda"
        if self._is_half:
            self._model = model.half()

    def encode(self, samples: FloatArray, num_frames: int) -> Any:
        import torch
        import whisper

        window = np.zeros(WINDOW_S * SAMPLE_RATE, np.float32)
        window[: len(samples)] = samples[: len(window)]
        mel = whisper.log_mel_spectrogram(window, n_mels=self._model.dims.n_mels, device=self._model.device)
        with torch.inference_mode():
            return self._model.embed_audio(mel.half()[None] if self._is_half else mel[None])

    def language_probabilities(self, encoded: Any) -> Mapping[str, float]:
        import torch
        import whisper

        if not self._model.is_multilingual:
            return {"en": 1.0}
        with torch.inference_mode():
            probabilities: Mapping[str, float] = whisper.detect_language(self._model, encoded)[1][0]
        return probabilities

    def decode(self, encoded: Any, language: Language, prompt: str, max_tokens: int) -> Hypothesis:
        import torch
        import whisper

        options = whisper.DecodingOptions(
            task="transcribe",
            language=language,
            temperature=0.0,
            beam_size=self._beam_size if self._beam_size > 1 else None,
            sample_len=min(max_tokens, self._model.dims.n_text_ctx // 2),
            prompt=prompt or None,
            without_timestamps=True,
            fp16=self._is_half,
        )
        with torch.inference_mode():
            result = whisper.decode(self._model, encoded[0], options)
        return Hypothesis(
            text=result.text.strip(),
            average_log_probability=float(result.avg_logprob),
            no_speech_probability=float(result.no_speech_prob),
        )
