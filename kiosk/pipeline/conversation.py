"""What happens next: the state machine of a visit. Pure: no Qt, no threads, no clock of its own.

attract → greeting → listening → thinking → speaking → listening → … → idle warning → farewell → attract

Speech over an answer holds the sound at once. Then its words decide: a sign of listening, a cough or the kiosk's own
voice lets the answer go on, a wish for silence ends it, anything else is the next question.

Inputs are method calls with the time; outputs go through `Effects`; what the screen shows is read from attributes.
"""

from __future__ import annotations

import logging

from kiosk.config import SessionConfig
from kiosk.dialogue.backchannel import Remark, kind_of_remark
from kiosk.dialogue.language_guess import guess_language
from kiosk.dialogue.over_answer import asks_nothing
from kiosk.dialogue.secrets import without_secrets
from kiosk.events import EndOfReply, NothingHeard, Question, ReplyClause, StageError, Utterance
from kiosk.pipeline.bridge import Bridge
from kiosk.pipeline.effects import Effects
from kiosk.pipeline.held_answer import MAX_HELD_S, HeldAnswer
from kiosk.pipeline.interruption import InterruptedBy, Interruption
from kiosk.pipeline.pace import AnswerPace
from kiosk.pipeline.phase import Phase
from kiosk.profile import Profile
from models.types import LANGUAGES, Language

log = logging.getLogger("conversation")


class Conversation:
    """One visit after the other."""

    def __init__(
        self,
        profile: Profile,
        config: SessionConfig,
        language: Language,
        effects: Effects,
        *,
        is_interruptible: bool = True,
    ) -> None:
        """Wait for the first visitor.

        Args:
            profile: Fixed texts.
            config: Times.
            language: Of the first greeting.
            effects: What can be caused.
            is_interruptible: The ear stays open while the kiosk thinks and speaks.
        """
        self._profile = profile
        self._config = config
        self._is_interruptible = is_interruptible
        self._home_language = language
        self._effects = effects
        self._last_activity_s = 0.0
        self._pace = AnswerPace(config.answer_deadline_s)
        self.turn_id = 0
        self._is_reply_complete, self._last_reply = False, ""
        self._last_reply_language: Language = language
        self.phase = Phase.ATTRACT
        self.language: Language = language
        self.is_visit = False
        self.visitor_caption = self.reply_caption = self.notice = ""
        self.is_acknowledged = False
        """The visitor has paused or finished: a sign that the words arrived."""
        self.interruption: Interruption | None = None
        """The newest one of this visit."""
        self._held = HeldAnswer()
        self._bridge = Bridge(config.filler_after_s)

    @property
    def is_answering(self) -> bool:
        """Thinking or speaking."""
        return self.phase in (Phase.GREETING, Phase.THINKING, Phase.SPEAKING, Phase.FAREWELL)

    @property
    def is_held(self) -> bool:
        """The answer waits because somebody speaks."""
        return self._held.is_held

    @property
    def can_replay(self) -> bool:
        """There is an answer to say again."""
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
            self._cut_short(InterruptedBy.TOUCH)
            self._enter(Phase.LISTENING)

    def speech_began(self, now_s: float) -> None:
        """The microphone hears somebody."""
        self._held.voice_began(now_s)
        self._voice_goes_on(now_s)

    def speech_paused(self, now_s: float) -> None:
        """The visitor has paused: it may be the end."""
        self._last_activity_s = now_s
        self._held.voice_paused(now_s)
        self.is_acknowledged = True

    def speech_resumed(self, now_s: float) -> None:
        """The visitor went on after a pause."""
        self._held.voice_resumed()
        self._voice_goes_on(now_s)

    def speech_dropped(self, now_s: float) -> None:
        """What began was no speech."""
        self.is_acknowledged = False
        self._go_on(now_s)

    def utterance_ended(self, utterance: Utterance, now_s: float) -> None:
        """The visitor has finished; the recogniser is at work."""
        if utterance.is_interruption:
            self._last_activity_s = now_s
            self.is_acknowledged = True
            return
        self._begin_turn(utterance.turn_id, now_s)
        self.is_acknowledged = True
        self._enter(Phase.THINKING)

    def nothing_heard(self, event: NothingHeard, now_s: float) -> None:
        """It was noise: go on as if nothing had been."""
        if event.is_interruption:
            if not event.is_trial:
                self._effects.dismiss(event.turn_id)
            self._go_on(now_s)
        elif not event.is_trial and event.turn_id == self.turn_id and self.phase is Phase.THINKING:
            self._last_activity_s = now_s
            self._enter(Phase.LISTENING if self.is_visit else Phase.ATTRACT)

    def question_heard(self, question: Question, now_s: float) -> None:
        """The recogniser understood; unless it is an interruption, the language model has the question already."""
        if question.is_interruption:
            self._interrupted_by(question, now_s)
        elif not question.is_trial and question.turn_id == self.turn_id:
            self._show_question(question, now_s)

    def question_typed(self, text: str, now_s: float) -> None:
        """A question came by keyboard or from the suggestions."""
        text = text.strip()
        if not text:
            return
        self._cut_short(InterruptedBy.TOUCH)
        question = Question(turn_id=self.turn_id, text=text, language=guess_language(text, self.language))
        self._begin_turn(self.turn_id, now_s)
        self._show_question(question, now_s)
        self._enter(Phase.THINKING)
        self._effects.ask(question)

    def stopped(self, now_s: float, by: InterruptedBy = InterruptedBy.STOP) -> None:
        """The visitor wants silence: the stop button, or a finger on the face that speaks."""
        self._last_activity_s = now_s
        if self.is_answering:
            self._cut_short(by)
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
        self._pace.worded(now_s)
        self._bridge.cancel()
        joint = "" if clause.language == "zh" or not self.reply_caption else " "
        self.reply_caption += joint + clause.written
        if clause.source == "refusal":
            self.notice = self.reply_caption

    def sound_began(self, turn_id: int, now_s: float) -> None:
        """A clip of the turn's answer was queued."""
        if turn_id == self.turn_id:
            self._last_activity_s = now_s
            if self.phase is Phase.THINKING:
                self._enter(Phase.SPEAKING)

    def reply_complete(self, end: EndOfReply) -> None:
        """All clips of the turn are queued."""
        if end.turn_id == self.turn_id:
            self._is_reply_complete = True

    def stage_failed(self, error: StageError, now_s: float) -> None:
        """A stage could not do its part of this turn; what is queued of its answer is heard first."""
        if error.turn_id == self.turn_id and self.phase is Phase.SPEAKING:
            self._pace.nothing_more_comes()
        elif error.turn_id == self.turn_id and self.phase is Phase.THINKING:
            self._give_up(now_s)

    def tick(self, now_s: float, is_audible: bool, is_voice_busy: bool = False) -> None:
        """Let time pass; call about ten times a second. The voice is busy while more sound is being made."""
        if self._is_reply_complete and not is_audible and not self.is_held:
            self._reply_ended(now_s)
        if self.is_held:
            self._last_activity_s = now_s
            if self._held.was_brief(now_s):
                self._held.awaits_words = True
                self._go_on(now_s)
            elif self._held.is_overdue(now_s):
                log.warning("turn %d: held for %.0f s without a word; going on", self.turn_id, MAX_HELD_S)
                self._go_on(now_s)
        elif self.phase is Phase.THINKING:
            words = self._bridge.due(now_s, self._profile.text(self.language).fillers)
            if words:
                self._effects.fill(self.turn_id, words, self.language)
        is_more_to_come = self.phase in (Phase.THINKING, Phase.SPEAKING) and not self._is_reply_complete
        if is_more_to_come and not self.is_held and self._pace.is_overdue(now_s, is_audible, is_voice_busy):
            log.warning("turn %d: the answer does not come or go on", self.turn_id)
            self._give_up(now_s)
        idle_s = now_s - self._last_activity_s
        if self.phase is Phase.LISTENING and self.is_visit and idle_s > self._config.idle_s:
            self._enter(Phase.IDLE_WARNING)
        elif self.phase is Phase.LISTENING and not self.is_visit and idle_s > self._config.farewell_s:
            self._enter(Phase.ATTRACT)
        elif self.phase is Phase.IDLE_WARNING and idle_s > self._config.idle_s + self._config.farewell_s:
            self.goodbye(now_s)

    # Inside

    def _voice_goes_on(self, now_s: float) -> None:
        self._last_activity_s = now_s
        self.is_acknowledged = False
        if self.phase is Phase.ATTRACT:
            self._effects.new_turn()  # what is being prepared makes way at once, not when the question is known
            self._enter(Phase.LISTENING)
        elif self.phase is Phase.IDLE_WARNING:
            self._enter(Phase.LISTENING)
        elif self.is_answering and self._is_interruptible:
            if self._held.hold(now_s):
                self._effects.hold()

    def _go_on(self, now_s: float) -> None:
        """Nobody wanted to interrupt."""
        if self._held.let_go():
            self._last_activity_s = now_s
            self._pace.went_on(now_s)
            self._effects.resume()

    def _interrupted_by(self, question: Question, now_s: float) -> None:
        """Words were said over the answer."""
        self._last_activity_s = now_s
        remark = kind_of_remark(question.text)
        heard = self._effects.heard(self.turn_id)
        if (self.is_answering or self._held.awaits_words) and asks_nothing(
            question, heard=heard, reply=self.reply_caption, filler=self._bridge.words
        ):
            if not question.is_trial:
                self._effects.dismiss(question.turn_id)
            self._go_on(now_s)
            return
        if question.is_trial:
            return
        self._note_interruption(InterruptedBy.VOICE)
        self._effects.begin_turn(question.turn_id)
        self._begin_turn(question.turn_id, now_s)
        if remark is Remark.STOP:
            self._enter(Phase.LISTENING)
            return
        self._show_question(question, now_s)
        self._enter(Phase.THINKING)
        self._effects.ask(question)

    def _note_interruption(self, by: InterruptedBy) -> None:
        """The answer ends before its end: keep what was heard of it."""
        if self.phase not in (Phase.THINKING, Phase.SPEAKING):
            return
        heard = self._effects.heard(self.turn_id)
        self.interruption = Interruption(turn_id=self.turn_id, by=by, heard=heard)
        self._effects.remember_only(self.turn_id, heard)

    def _begin_visit(self) -> None:
        self.is_visit = True
        self.notice = ""

    def _begin_turn(self, turn_id: int, now_s: float) -> None:
        self.turn_id = turn_id
        self._last_activity_s = now_s
        self._pace.began(now_s)
        self._is_reply_complete = False
        self.is_acknowledged = False
        self._held.end()
        self._bridge.begin()

    def _show_question(self, question: Question, now_s: float) -> None:
        self._begin_visit()
        self._last_activity_s = now_s
        self._pace.asked(now_s)
        waited_s = 0.0 if question.speech_end_ns is None else (question.created_ns - question.speech_end_ns) / 1e9
        self._bridge.plan(now_s, waited_s)
        self.visitor_caption = without_secrets(question.text)
        self.reply_caption = ""
        self.language = self._last_reply_language = question.language

    def _say(
        self,
        text: str,
        phase: Phase,
        now_s: float,
        language: Language | None = None,
        *,
        by: InterruptedBy = InterruptedBy.TOUCH,
    ) -> None:
        self._cut_short(by)
        self._begin_turn(self.turn_id, now_s)
        self.reply_caption = ""
        self._enter(phase)
        self._effects.say(self.turn_id, text, language or self.language)

    def _give_up(self, now_s: float) -> None:
        """There will be no answer: a person is called, or the visitor asked to try again if there was no question."""
        lines = self._profile.text(self.language)
        line, self.notice = (lines.unknown, lines.unknown) if self._pace.is_asked else (lines.apology, "")
        self._say(line, Phase.SPEAKING, now_s, by=InterruptedBy.FAILURE)

    def _cut_short(self, by: InterruptedBy) -> None:
        """End the running turn and its sound, and begin another."""
        self._note_interruption(by)
        self.turn_id = self._effects.new_turn()
        self._is_reply_complete = False
        self.is_acknowledged = False
        self._held.let_go()
        self._bridge.cancel()
        self._effects.silence()

    def _reply_ended(self, now_s: float) -> None:
        self._is_reply_complete = False
        self._last_activity_s = now_s
        if self.phase is Phase.THINKING and not self.reply_caption:
            self._give_up(now_s)
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
        self.interruption = None
        self.language = self._last_reply_language = self._home_language

    def _enter(self, phase: Phase) -> None:
        log.info("%s -> %s", self.phase.value, phase.value)
        self.phase = phase
        if phase is not Phase.THINKING:
            self.is_acknowledged = False
        self._effects.listen(self._is_interruptible or not self.is_answering, self.is_answering)
