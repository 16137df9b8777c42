"""Words that the house has fixed: greetings, farewells, calls for a person, and what bridges a wait.

Sound that is ready goes straight to the loudspeaker: the voice may be busy with a sentence that nobody waits for any
more, and it cannot be cut short in the middle of a computation.
"""

from __future__ import annotations

from collections.abc import Callable

from kiosk.dialogue.reply import clauses_of as reply_clauses
from kiosk.events import EndOfReply, Event, ReplyClause, SpeechClip
from kiosk.pipeline.inbox import Inbox
from kiosk.pipeline.prepared_speech import PreparedSpeech
from kiosk.pipeline.replies import clauses_of, clips_of
from models.types import Language


class FixedWords:
    """Says them. In the window's thread."""

    def __init__(
        self,
        prepared: PreparedSpeech,
        clauses: Inbox,
        play: Callable[[SpeechClip], None],
        report: Callable[[Event], None],
    ) -> None:
        """Nothing is said yet.

        Args:
            prepared: Sound that is ready.
            clauses: Of the voice, for what is not ready.
            play: Puts a clip on the loudspeaker.
            report: Told of each clause, and of the end when the voice will not tell of it.
        """
        self._prepared = prepared
        self._clauses = clauses
        self._play = play
        self._report = report

    def say(self, turn_id: int, text: str, language: Language) -> None:
        """Say a text, clause by clause and in order: from the first clause that is not ready on, the voice speaks."""
        is_ready = True
        for event in clauses_of(iter([text]), turn_id, language, "approved"):
            if isinstance(event, ReplyClause):
                self._report(event)
                is_ready = is_ready and self._play_ready(event)
            if isinstance(event, ReplyClause | EndOfReply) and not is_ready:
                self._clauses.put(event)
            elif isinstance(event, EndOfReply):
                self._report(event)

    def fill(self, turn_id: int, text: str, language: Language) -> None:
        """Say a few words that bridge a wait, unless the answer is already at the voice or they are not ready."""
        for clause in reply_clauses(text, language):
            self._clauses.offer(
                ReplyClause(
                    turn_id=turn_id,
                    index=-1,
                    written="",
                    spoken=clause.spoken,
                    language=language,
                    source="approved",
                    is_filler=True,
                )
            )

    def _play_ready(self, clause: ReplyClause) -> bool:
        """Whether all of the clause's sound lies on the loudspeaker's queue."""
        parts = self._prepared.get(clause.spoken, clause.language) if clause.spoken else ()
        if parts is None:
            return False
        for clip in clips_of(clause, parts):
            self._play(clip)
        return True
