"""The approved answers as they are now: an operator's change, in whatever process, counts from the next question."""

from __future__ import annotations

import datetime
import logging
from pathlib import Path

from kiosk.answers.approved import ApprovedAnswer
from kiosk.answers.matching import AnswerIndex
from kiosk.answers.store import AnswerStore
from models.embedding.base import SentenceEncoder
from models.types import Language, ShouldStop, never_stop

log = logging.getLogger("llm")


class LiveAnswers:
    """Finds answers in the newest state of the database. All calls come from one thread."""

    def __init__(
        self,
        profile: str,
        encoder: SentenceEncoder,
        kept_in: Path | None = None,
        should_stop: ShouldStop = never_stop,
    ) -> None:
        """Open the database and read the answers.

        Args:
            profile: Whose answers.
            encoder: This object closes it.
            kept_in: As for `AnswerIndex`.
            should_stop: As for `AnswerIndex`.

        Raises:
            ConfigError: The database cannot be used.
        """
        self._profile = profile
        self._encoder = encoder
        self._kept_in = kept_in
        self._store = AnswerStore()
        self._revision = self._store.revision(profile)
        self._index = AnswerIndex(self._store.answers(profile), encoder, should_stop, kept_in)

    def find(self, question: str, language: Language, day: datetime.date) -> ApprovedAnswer | None:
        """The answer to a question on a day; None where there is none for sure."""
        revision = self._store.revision(self._profile)
        if revision != self._revision:
            self._revision = revision
            self._index = AnswerIndex(self._store.answers(self._profile), self._encoder, kept_in=self._kept_in)
            log.info("the approved answers have changed and were read again")
        return self._index.find(question, language, day)

    def close(self) -> None:
        """Free the encoder and close the database."""
        self._encoder.close()
        self._store.close()
