"""What a conversation can cause; the pipeline does it."""

from __future__ import annotations

from typing import Protocol

from kiosk.events import Question
from models.types import Language


class Effects(Protocol):
    """What a conversation can cause."""

    def new_turn(self) -> int:
        """End the running turn everywhere and return the number of the next."""
        ...

    def begin_turn(self, turn_id: int) -> None:
        """Let the turn of an interruption run and end the interrupted one, its sound too."""
        ...

    def dismiss(self, turn_id: int) -> None:
        """The turn of an interruption never begins."""
        ...

    def ask(self, question: Question) -> None:
        """Have a question answered by clauses and an end of reply."""
        ...

    def say(self, turn_id: int, text: str, language: Language) -> None:
        """Have a fixed text spoken: it too comes back as clauses and an end of reply."""
        ...

    def silence(self) -> None:
        """Drop all queued sound."""
        ...

    def fill(self, turn_id: int, text: str, language: Language) -> None:
        """Have a few words spoken that bridge the wait, if they are prepared."""
        ...

    def hold(self) -> bool:
        """Be silent and keep what was not heard yet; whether there was anything."""
        ...

    def resume(self) -> None:
        """Go on where the sound was held."""
        ...

    def heard(self, turn_id: int) -> str:
        """What was heard of a turn's answer so far, as written."""
        ...

    def remember_only(self, turn_id: int, said: str) -> None:
        """Keep only these words of a turn's answer in the history; empty: the whole turn goes."""
        ...

    def listen(self, is_open: bool, is_answering: bool) -> None:
        """Open or shut the ear; what is said while answering is an interruption."""
        ...

    def forget(self) -> None:
        """Forget everything said in this visit."""
        ...
