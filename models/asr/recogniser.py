"""Whisper as a `Recogniser`, whatever computes it: which language, window and hypothesis, and whether to believe it.

Runs in the thread of the caller. The computing itself is a `WhisperBackend`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from models.asr.base import SAMPLE_RATE, Recognition
from models.asr.cleaning import Hypothesis, clean
from models.asr.prompts import Prompt, make_prompts
from models.asr.windows import split_at_pauses, window_frames
from models.errors import ModelInputError
from models.types import LANGUAGES, FloatArray, Language, ShouldStop, never_stop

MAX_SECONDS = 120.0
"""Longer sound is refused: it is no utterance."""
MIN_SAMPLES = SAMPLE_RATE // 20
"""50 ms; anything shorter is no word in any language."""
SILENCE_PEAK = 1e-3
"""-60 dBFS: below this there is nothing to hear, and the decoder would invent something."""
MAX_PEAK = 4.0
"""Floats beyond are integer samples that somebody forgot to scale."""
SURE_LANGUAGE = 0.8
"""Share of one language among the configured ones from which the others are not tried."""
TOKENS_PER_SECOND = 12
"""Fast Mandarin is about 7 characters a second, some of two or three tokens; a loop is stopped soon after."""
MIN_TOKENS = 24
"""Token limit of the shortest utterance."""

SHORT_SECONDS = 1.5
"""With pre-roll and tail this is 0.9 s of voice: one or two words, primed with short answers instead of sentences."""
SURE_LANGUAGE_PROBABILITY = 0.5
"""Probability among all languages of the world from which one is believed; a single syllable rarely reaches it."""


class WhisperBackend(Protocol):
    """One set of Whisper weights on one device."""

    def encode(self, samples: FloatArray, num_frames: int) -> Any:
        """The encoder's output for a window of so many columns; passed on to the other two and not looked at."""
        ...

    def language_probabilities(self, encoded: Any) -> Mapping[str, float]:
        """Probability, 0..1, of each language code."""
        ...

    def decode(self, encoded: Any, language: Language, prompt: str, max_tokens: int) -> Hypothesis:
        """The likeliest words."""
        ...


class WhisperRecogniser:
    """Speech to text with Whisper. Knows no microphone, no utterance boundaries, no conversation."""

    max_seconds = MAX_SECONDS

    def __init__(
        self,
        backend: WhisperBackend,
        languages: Sequence[Language] = LANGUAGES,
        prompt_words: Mapping[Language, str] | None = None,
    ) -> None:
        """Wrap a backend.

        Args:
            backend: Computes.
            languages: The only ones that are recognised; the first wins where nothing else decides.
            prompt_words: Per language, terms to expect, separated by commas or 、.
        """
        self._backend: WhisperBackend | None = backend
        self._languages = tuple(languages)
        words = prompt_words or {}
        self._prompts = {lang: make_prompts(lang, words.get(lang, "")) for lang in self._languages}

    def warm_up(self) -> None:
        """See `Recogniser.warm_up`."""
        backend = self._open_backend()
        noise = np.random.default_rng(0).normal(0, 0.01, 29 * SAMPLE_RATE).astype(np.float32)
        for num_samples in (2 * SAMPLE_RATE, len(noise)):  # the smallest and the largest window
            encoded = backend.encode(noise[:num_samples], window_frames(num_samples))
            backend.language_probabilities(encoded)
        for language, prompts in self._prompts.items():
            backend.decode(encoded, language, prompts.for_sentences.text, MIN_TOKENS)
        clean(Hypothesis(text="", average_log_probability=0.0, no_speech_probability=0.0), "zh", Prompt())

    def transcribe(
        self, samples: FloatArray, language: Language | None = None, should_stop: ShouldStop = never_stop
    ) -> Recognition:
        """See `Recogniser.transcribe`. Sound over 29 s is cut at its pauses and recognised piece by piece.

        Raises:
            ModelInputError: The sound is not float32 mono in [-1, 1], is too long, or the recogniser is closed.
        """
        check_samples(samples)
        if language is not None and language not in self._languages:
            raise ModelInputError(f"language {language!r} is not one of {self._languages}; change hearing.languages")
        self._open_backend()
        texts: list[str] = []
        log_probabilities: list[float] = []
        no_speech = 1.0
        for piece in split_at_pauses(samples):
            if should_stop():
                return self._nothing(language, no_speech)
            if len(piece) < MIN_SAMPLES or float(np.abs(piece).max()) < SILENCE_PEAK:
                continue
            heard = self._recognise(piece, language, should_stop)
            if heard is None:
                return self._nothing(language, no_speech)
            spoken, hypothesis = heard
            no_speech = min(no_speech, hypothesis.no_speech_probability)
            if hypothesis.text:
                # A visitor speaks one language per utterance; the first words decide.
                language = language or spoken
                texts.append(hypothesis.text)
                log_probabilities.append(hypothesis.average_log_probability)
        if not texts:
            return self._nothing(language, no_speech)
        return Recognition(
            text=("" if language == "zh" else " ").join(texts),
            language=language or self._languages[0],
            average_log_probability=float(np.mean(log_probabilities)),
            no_speech_probability=no_speech,
        )

    def close(self) -> None:
        """See `Recogniser.close`."""
        self._backend = None

    def _recognise(
        self, samples: FloatArray, language: Language | None, should_stop: ShouldStop
    ) -> tuple[Language, Hypothesis] | None:
        """The language and the cleaned text of one piece; None when told to stop."""
        backend = self._open_backend()
        encoded = backend.encode(samples, window_frames(len(samples)))
        candidates = (language,) if language else self._candidates(backend.language_probabilities(encoded))
        is_short = len(samples) <= SHORT_SECONDS * SAMPLE_RATE
        max_tokens = MIN_TOKENS + int(TOKENS_PER_SECOND * len(samples) / SAMPLE_RATE)
        best: tuple[Language, Hypothesis] | None = None
        for candidate in candidates:
            if should_stop():
                return None
            prompts = self._prompts[candidate]
            prompt = prompts.for_short_answers if is_short else prompts.for_sentences
            raw = backend.decode(encoded, candidate, prompt.text, max_tokens)
            hypothesis = Hypothesis(
                text=clean(raw, candidate, prompt, is_short=is_short),
                average_log_probability=raw.average_log_probability,
                no_speech_probability=raw.no_speech_probability,
            )
            if best is None or _rank(hypothesis) > _rank(best[1]):
                best = (candidate, hypothesis)
        return best

    def _candidates(self, probabilities: Mapping[str, float]) -> tuple[Language, ...]:
        """The configured languages worth decoding, likeliest first."""
        shares = {lang: probabilities.get(lang, 0.0) for lang in self._languages}
        ranked = sorted(self._languages, key=lambda lang: -shares[lang])
        best = shares[ranked[0]]
        if best >= SURE_LANGUAGE_PROBABILITY and best >= SURE_LANGUAGE * sum(shares.values()):
            return (ranked[0],)
        return tuple(ranked)

    def _nothing(self, language: Language | None, no_speech: float) -> Recognition:
        return Recognition(
            text="",
            language=language or self._languages[0],
            average_log_probability=0.0,
            no_speech_probability=no_speech,
        )

    def _open_backend(self) -> WhisperBackend:
        if self._backend is None:
            raise ModelInputError("the recogniser is closed; load it again")
        return self._backend


def check_samples(samples: FloatArray) -> None:
    """Refuse sound in a form that would be heard as gibberish.

    Raises:
        ModelInputError: See the text.
    """
    if samples.ndim != 1:
        raise ModelInputError(f"speech must be mono with shape (n,), not {samples.shape}; mix the channels first")
    if samples.dtype != np.float32:
        raise ModelInputError(f"speech must be float32 in [-1, 1], not {samples.dtype}; scale it first")
    if len(samples) > MAX_SECONDS * SAMPLE_RATE:
        raise ModelInputError(
            f"{len(samples) / SAMPLE_RATE:.0f} s of speech are too long; cut it to {MAX_SECONDS:.0f} s"
        )
    peak = float(np.abs(samples).max()) if len(samples) else 0.0
    if not peak <= MAX_PEAK:  # also true for NaN
        raise ModelInputError(f"speech must be float32 in [-1, 1], found {peak}; scale it first")


def _rank(hypothesis: Hypothesis) -> tuple[bool, float]:
    return bool(hypothesis.text), hypothesis.average_log_probability
