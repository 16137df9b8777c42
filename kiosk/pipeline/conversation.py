"""What happens next: the state machine of a visit. Pure: no Qt, no threads, no clock of its own.

attract → greeting → listening → thinking → speaking → listening → … → idle warning → farewell → attract

Inputs are method calls with the time; outputs go through `Effects`; what the screen shows is read from attributes.
"""

from __future__ import annotations

import logging
from enum import Enum
from typing import Protocol

from kiosk.config import SessionConfig
from kiosk.events import EndOfReply, Question, ReplyClause, StageError
from kiosk.profile import Profile
from models.types import LANGUAGES, Language

log = logging.getLogger("conversation")


class Phase(Enum):
    """Where in a visit we are."""

    ATTRACT = "attract"
    GREETING = "greeting"
    LISTENING = "listening"
    THINKING = "thinking"
    SPEAKING = "speaking"
    IDLE_WARNING = "idle_warning"
    FAREWELL = "farewell"


class Effects(Protocol):
    """What a conversation can cause."""

    def new_turn(self) -> int:
        """End the running turn everywhere and return the number of the next."""
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

    def listen(self, is_open: bool) -> None:
        """Open or shut the ear."""
        ...

    def forget(self) -> None:
        """Forget everything said in this visit."""
        ...


class Conversation:
    """One visit after the other."""

    def __init__(self, profile: Profile, config: SessionConfig, language: Language, effects: Effects) -> None:
        self._profile = profile
        self._config = config
        self._home_language = language
        self._effects = effects
        self._last_activity_s = 0.0
        self._turn_began_s = 0.0
        self.turn_id = 0
        self._is_reply_complete = False
        self._last_reply = ""
        self._last_reply_language: Language = language
        self.phase = Phase.ATTRACT
        self.language: Language = language
        self.is_visit = False
        self.visitor_caption = ""
        self.reply_caption = ""
        self.notice = ""

    @property
    def can_replay(self) -> bool:
        """Whether there is an answer to say again."""
        return bool(self._last_reply)

    def idle_seconds_left(self, now_s: float) -> float | None:
        """Seconds until the visit is forgotten, while the screen warns; else None."""
        if self.phase is not Phase.IDLE_WARNING:
            return None
        return max(0.0, self._last_activity_s + self._config.idle_s + self._config.farewell_s - now_s)

    # What the visitor does

    def touched(self, now_s: float) -> None:
        """The screen was touched or a key pressed."""
        self._last_activity_s = now_s
        if self.phase is Phase.ATTRACT:
            self._begin_visit()
            self._say(self._profile.text(self.language).greeting, Phase.GREETING, now_s)
        elif self.phase is Phase.IDLE_WARNING:
            self._enter(Phase.LISTENING)
        elif self.phase is Phase.FAREWELL:
            self._cut_short()
            self._enter(Phase.LISTENING)

    def speech_began(self, now_s: float) -> None:
        """The microphone hears somebody."""
        self._last_activity_s = now_s
        if self.phase in (Phase.ATTRACT, Phase.IDLE_WARNING):
            self._enter(Phase.LISTENING)

    def utterance_ended(self, turn_id: int, now_s: float) -> None:
        """The visitor has finished; the recogniser is at work."""
        self._begin_turn(turn_id, now_s)
        self._enter(Phase.THINKING)

    def nothing_heard(self, turn_id: int, now_s: float) -> None:
        """It was noise: go on as if nothing had been."""
        if turn_id == self.turn_id and self.phase is Phase.THINKING:
            self._last_activity_s = now_s
            self._enter(Phase.LISTENING if self.is_visit else Phase.ATTRACT)

    def question_heard(self, question: Question, now_s: float) -> None:
        """The recogniser understood; the question is already on its way to the language model."""
        if question.turn_id == self.turn_id:
            self._show_question(question, now_s)

    def question_typed(self, text: str, now_s: float) -> None:
        """A question came by keyboard or from the suggestions."""
        text = text.strip()
        if not text:
            return
        self._cut_short()
        turn_id = self._effects.new_turn()
        question = Question(turn_id=turn_id, text=text, language=guess_language(text, self.language))
        self._begin_turn(turn_id, now_s)
        self._show_question(question, now_s)
        self._enter(Phase.THINKING)
        self._effects.ask(question)

    def stopped(self, now_s: float) -> None:
        """The visitor wants silence."""
        self._last_activity_s = now_s
        if self.phase in (Phase.GREETING, Phase.THINKING, Phase.SPEAKING, Phase.FAREWELL):
            self._cut_short()
            self._enter(Phase.LISTENING if self.is_visit else Phase.ATTRACT)

    def replay(self, now_s: float) -> None:
        """Say the last answer again."""
        if self._last_reply:
            self._say(self._last_reply, Phase.SPEAKING, now_s, self._last_reply_language)

    def staff_called(self, now_s: float) -> None:
        """The visitor wants a person."""
        self._begin_visit()
        line = self._profile.text(self.language).call_staff
        self._say(line, Phase.SPEAKING, now_s)
        self.notice = line

    def goodbye(self, now_s: float) -> None:
        """The visitor ends the visit."""
        if self.phase is not Phase.FAREWELL:
            self._say(self._profile.text(self.language).farewell, Phase.FAREWELL, now_s)

    def language_chosen(self, language: Language, now_s: float) -> None:
        """The buttons change their language; so does the greeting to come."""
        if language not in LANGUAGES:
            raise ValueError(f"language must be one of {LANGUAGES}, not {language!r}")
        self._last_activity_s = now_s
        self.language = language

    # What the stages report

    def clause_made(self, clause: ReplyClause, now_s: float) -> None:
        """A clause of the answer is known: show it."""
        if clause.turn_id != self.turn_id:
            return
        self._last_activity_s = now_s
        joint = "" if clause.language == "zh" or not self.reply_caption else " "
        self.reply_caption += joint + clause.written

    def sound_began(self, turn_id: int, now_s: float) -> None:
        """The first clip of the turn was queued."""
        if turn_id == self.turn_id:
            self._last_activity_s = now_s
            if self.phase is Phase.THINKING:
                self._enter(Phase.SPEAKING)

    def reply_complete(self, end: EndOfReply) -> None:
        """All clips of the turn are queued."""
        if end.turn_id == self.turn_id:
            self._is_reply_complete = True

    def stage_failed(self, error: StageError, now_s: float) -> None:
        """A stage could not do its part of this turn: apologise and go on."""
        if error.turn_id == self.turn_id and self.phase in (Phase.THINKING, Phase.SPEAKING):
            self._apologise(now_s)

    def tick(self, now_s: float, is_audible: bool) -> None:
        """Let time pass; call about ten times a second."""
        if self._is_reply_complete and not is_audible:
            self._reply_ended(now_s)
        if self.phase is Phase.THINKING and now_s - self._turn_began_s > self._config.answer_deadline_s:
            log.warning("turn %d: no answer within %.0f s", self.turn_id, self._config.answer_deadline_s)
            self._apologise(now_s)
        idle_s = now_s - self._last_activity_s
        if self.phase is Phase.LISTENING and self.is_visit and idle_s > self._config.idle_s:
            self._enter(Phase.IDLE_WARNING)
        elif self.phase is Phase.LISTENING and not self.is_visit and idle_s > self._config.farewell_s:
            self._enter(Phase.ATTRACT)
        elif self.phase is Phase.IDLE_WARNING and idle_s > self._config.idle_s + self._config.farewell_s:
            self.goodbye(now_s)

    # Inside

    def _begin_visit(self) -> None:
        self.is_visit = True
        self.notice = ""

    def _begin_turn(self, turn_id: int, now_s: float) -> None:
        self.turn_id = turn_id
        self._turn_began_s = self._last_activity_s = now_s
        self._is_reply_complete = False

    def _show_question(self, question: Question, now_s: float) -> None:
        self._begin_visit()
        self._last_activity_s = now_s
        self.visitor_caption = question.text
        self.reply_caption = ""
        self.language = self._last_reply_language = question.language

    def _say(self, text: str, phase: Phase, now_s: float, language: Language | None = None) -> None:
        self._cut_short()
        self._begin_turn(self._effects.new_turn(), now_s)
        self.reply_caption = ""
        self._enter(phase)
        self._effects.say(self.turn_id, text, language or self.language)

    def _apologise(self, now_s: float) -> None:
        self._say(self._profile.text(self.language).apology, Phase.SPEAKING, now_s)

    def _cut_short(self) -> None:
        """End the running turn and its sound."""
        self.turn_id = self._effects.new_turn()
        self._is_reply_complete = False
        self._effects.silence()

    def _reply_ended(self, now_s: float) -> None:
        self._is_reply_complete = False
        self._last_activity_s = now_s
        if self.phase is Phase.THINKING and not self.reply_caption:
            self._apologise(now_s)
        elif self.phase is Phase.FAREWELL:
            self._forget()
            self._enter(Phase.ATTRACT)
        elif self.phase in (Phase.GREETING, Phase.THINKING, Phase.SPEAKING):
            if self.phase is not Phase.GREETING and self.reply_caption:
                self._last_reply = self.reply_caption
            self._enter(Phase.LISTENING)

    def _forget(self) -> None:
        """Nothing of this visit reaches the next visitor."""
        self._effects.new_turn()
        self._effects.forget()
        self.is_visit = False
        self.visitor_caption = self.reply_caption = self._last_reply = self.notice = ""
        self.language = self._last_reply_language = self._home_language

    def _enter(self, phase: Phase) -> None:
        log.info("%s -> %s", self.phase.value, phase.value)
        self.phase = phase
        self._effects.listen(phase in (Phase.ATTRACT, Phase.LISTENING, Phase.IDLE_WARNING))


def guess_language(text: str, default: Language) -> Language:
    """Chinese if any Han character is in the text, English if there are letters but none, else the default."""
    if any("\u4e00" <= c <= "\u9fff" for c in text):
        return "zh"
    return "en" if any(c.isalpha() for c in text) else default
