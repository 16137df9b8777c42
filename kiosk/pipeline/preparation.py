"""What is worth having ready, one thing after the other while nobody is here. In the window's thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from kiosk.dialogue.reply import clauses_of
from kiosk.events import PrepareAnswer, PrepareSpeech
from kiosk.pipeline.inbox import Inbox
from kiosk.pipeline.scope import TurnScope
from models.types import Language


class Preparation:
    """Hands out words that bridge a wait and questions that are often asked; a visitor who comes cuts in at any time.

    What a visitor interrupted is asked for again the next time that nobody is here.
    """

    def __init__(self, scope: TurnScope, questions: Inbox, clauses: Inbox) -> None:
        """Nothing is to be prepared yet.

        Args:
            scope: All that is prepared belongs to the running turn and ends with it.
            questions: Of the stage that answers.
            clauses: Of the voice.
        """
        self._scope = scope
        self._questions = questions
        self._clauses = clauses
        self._waiting: deque[PrepareAnswer | PrepareSpeech] = deque()
        self._begun: tuple[int, int] | None = None  # turn, and number of things left when the last was handed out

    def add(self, fillers: Sequence[tuple[str, Language]], questions: Sequence[tuple[str, Language]]) -> None:
        """Say what is worth having ready: words that bridge a wait, and questions that are often asked."""
        for text, language in fillers:
            self._waiting.extend(
                PrepareSpeech(turn_id=0, spoken=clause.spoken, language=language, completes=clause.spoken)
                for clause in clauses_of(text, language)
            )
        self._waiting.extend(PrepareAnswer(turn_id=0, text=text, language=language) for text, language in questions)

    def next(self) -> None:
        """Hand out the next thing unless one is in the making; call while nobody is here."""
        turn_id = self._scope.current
        if not self._waiting or self._begun == (turn_id, len(self._waiting)):
            return
        event = replace(self._waiting[0], turn_id=turn_id)
        inbox = self._clauses if isinstance(event, PrepareSpeech) else self._questions
        if inbox.offer(event):
            self._begun = (turn_id, len(self._waiting))

    def done(self, event: PrepareSpeech) -> None:
        """The voice has made this sound."""
        if self._waiting and event.completes == _name(self._waiting[0]):
            self._waiting.popleft()


def _name(event: PrepareAnswer | PrepareSpeech) -> str:
    return event.completes if isinstance(event, PrepareSpeech) else event.text
