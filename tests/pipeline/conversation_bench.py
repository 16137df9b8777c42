"""A conversation with time injected and its effects recorded."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kiosk.config import SessionConfig
from kiosk.dialogue.language_guess import guess_language
from kiosk.events import EndOfReply, NothingHeard, Question, ReplyClause, Utterance
from kiosk.pipeline.conversation import Conversation
from kiosk.pipeline.phase import Phase
from kiosk.profile import load_profile
from models.types import Language

SESSION = SessionConfig(idle_s=45, farewell_s=10, answer_deadline_s=30)
BANK = load_profile("bank")


@dataclass
class Recorder:
    """Effects that only note what was caused."""

    turn: int = 0
    said: list[str] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)
    silenced: int = 0
    forgotten: int = 0
    is_open: bool = False
    is_answering: bool = False
    fillers: list[str] = field(default_factory=list)
    held: int = 0
    resumed: int = 0
    dismissed: list[int] = field(default_factory=list)
    was_heard: str = ""
    remembered: dict[int, str] = field(default_factory=dict)

    def new_turn(self) -> int:
        self.turn += 1
        return self.turn

    def begin_turn(self, turn_id: int) -> None:
        self.turn = max(self.turn, turn_id)
        self.silenced += 1

    def dismiss(self, turn_id: int) -> None:
        self.dismissed.append(turn_id)

    def ask(self, question: Question) -> None:
        self.asked.append(question)

    def fill(self, turn_id: int, text: str, language: Language) -> None:
        self.fillers.append(text)

    def hold(self) -> bool:
        self.held += 1
        return True

    def resume(self) -> None:
        self.resumed += 1

    def heard(self, turn_id: int) -> str:
        return self.was_heard

    def remember_only(self, turn_id: int, said: str) -> None:
        self.remembered[turn_id] = said

    def say(self, turn_id: int, text: str, language: Language) -> None:
        self.said.append(text)

    def silence(self) -> None:
        self.silenced += 1

    def listen(self, is_open: bool, is_answering: bool) -> None:
        self.is_open, self.is_answering = is_open, is_answering

    def forget(self) -> None:
        self.forgotten += 1


def clause(visit: Conversation, text: str, language: Language = "zh") -> ReplyClause:
    """Of the running turn."""
    return ReplyClause(turn_id=visit.turn_id, index=0, written=text, spoken=text, language=language)


def answer(visit: Conversation, text: str, now_s: float, language: Language = "zh") -> None:
    """Let a turn run to its end."""
    visit.clause_made(clause(visit, text, language), now_s)
    visit.sound_began(visit.turn_id, now_s)
    visit.reply_complete(EndOfReply(turn_id=visit.turn_id))
    visit.tick(now_s, True)
    assert visit.phase in (Phase.SPEAKING, Phase.GREETING, Phase.FAREWELL)
    visit.tick(now_s, False)


def utterance(turn_id: int, *, is_interruption: bool = False) -> Utterance:
    return Utterance(
        turn_id=turn_id,
        samples=np.zeros(0, np.float32),
        speech_end_ns=0,
        ended_by="model",
        is_interruption=is_interruption,
    )


def say_over(visit: Conversation, effects: Recorder, text: str, now_s: float) -> int:
    """Speech over the answer, recognised on trial at its pause and for good at its end; the number of its turn."""
    turn_id = visit.turn_id + 1
    visit.speech_began(now_s)
    visit.speech_paused(now_s + 0.5)
    for is_trial in (True, False):
        if not is_trial:
            visit.utterance_ended(utterance(turn_id, is_interruption=True), now_s + 0.8)
        if text:
            question = Question(
                turn_id=turn_id,
                text=text,
                language=guess_language(text, "zh"),
                is_trial=is_trial,
                is_interruption=True,
            )
            visit.question_heard(question, now_s + 0.9)
        else:
            nothing = NothingHeard(turn_id=turn_id, is_trial=is_trial, is_interruption=True)
            visit.nothing_heard(nothing, now_s + 0.9)
    return turn_id


def speaking(visit: Conversation, effects: Recorder) -> int:
    """In the middle of an answer; the number of its turn."""
    ask(visit, effects, "几点开门？", 1)
    visit.clause_made(clause(visit, "九点开门，"), 2)
    visit.sound_began(visit.turn_id, 2)
    assert visit.phase is Phase.SPEAKING
    return visit.turn_id


def ask(visit: Conversation, effects: Recorder, text: str, now_s: float) -> None:
    """A spoken question, understood."""
    visit.speech_began(now_s)
    turn_id = effects.new_turn()
    visit.utterance_ended(utterance(turn_id), now_s)
    visit.question_heard(Question(turn_id=turn_id, text=text, language=guess_language(text, "zh")), now_s)
