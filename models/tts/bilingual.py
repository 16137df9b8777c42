"""Two synthesisers behind one interface: English to one, Chinese and mixed sentences to the other."""

from __future__ import annotations

from collections.abc import Iterator

from models.tts.base import SynthesisedSpeech, Synthesiser
from models.tts.g2p import is_english
from models.types import Language, ShouldStop, never_stop


class BilingualSynthesiser:
    """Routes each clause by what it holds. Both voices must have the same sample rate."""

    def __init__(self, chinese: Synthesiser, english: Synthesiser) -> None:
        """Join the two; the first also speaks mixed sentences.

        Raises:
            ValueError: Their sample rates differ.
        """
        if chinese.sample_rate != english.sample_rate:
            raise ValueError(f"voices of {chinese.sample_rate} and {english.sample_rate} Hz cannot be joined")
        self.sample_rate = chinese.sample_rate
        self._chinese = chinese
        self._english = english

    def warm_up(self) -> None:
        """Run both once."""
        self._chinese.warm_up()
        self._english.warm_up()

    def synthesise(self, text: str, language: Language, should_stop: ShouldStop = never_stop) -> SynthesisedSpeech:
        """Speak one clause; see `Synthesiser`."""
        return self._voice(text, language).synthesise(text, language, should_stop)

    def stream(
        self, text: str, language: Language, should_stop: ShouldStop = never_stop
    ) -> Iterator[SynthesisedSpeech]:
        """Speak one clause in parts; see `Synthesiser`."""
        return self._voice(text, language).stream(text, language, should_stop)

    def close(self) -> None:
        """Free both."""
        self._chinese.close()
        self._english.close()

    def _voice(self, text: str, language: Language) -> Synthesiser:
        return self._english if is_english(text, language) else self._chinese
