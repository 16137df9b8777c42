"""The state machine of a visit, with time injected and effects recorded."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from kiosk.config import SessionConfig
from kiosk.events import EndOfReply, Question, ReplyClause, StageError
from kiosk.pipeline.conversation import Conversation, Phase, guess_language
from kiosk.profile import load_profile
from models.types import Language


@dataclass
class Recorder:
    """Effects that only note what was caused."""

    turn: int = 0
    said: list[str] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)
    silenced: int = 0
    forgotten: int = 0
    is_open: bool = False

    def new_turn(self) -> int:
        self.turn += 1
        return self.turn

    def ask(self, question: Question) -> None:
        self.asked.append(question)

    def say(self, turn_id: int, text: str, language: Language) -> None:
        self.said.append(text)

    def silence(self) -> None:
        self.silenced += 1

    def listen(self, is_open: bool) -> None:
        self.is_open = is_open

    def forget(self) -> None:
        self.forgotten += 1


SESSION = SessionConfig(idle_s=45, farewell_s=10, answer_deadline_s=30)
BANK = load_profile("bank")


@pytest.fixture
def effects() -> Recorder:
    return Recorder()


@pytest.fixture
def visit(effects: Recorder) -> Conversation:
    return Conversation(BANK, SESSION, "zh", effects)


def answer(visit: Conversation, text: str, now_s: float, language: Language = "zh") -> None:
    """Let a turn run to its end."""
    clause = ReplyClause(turn_id=visit.turn_id, index=0, written=text, spoken=text, language=language)
    visit.clause_made(clause, now_s)
    visit.sound_began(visit.turn_id, now_s)
    visit.reply_complete(EndOfReply(turn_id=visit.turn_id))
    visit.tick(now_s, True)
    assert visit.phase in (Phase.SPEAKING, Phase.GREETING, Phase.FAREWELL)
    visit.tick(now_s, False)


def ask(visit: Conversation, effects: Recorder, text: str, now_s: float) -> None:
    """A spoken question, understood."""
    visit.speech_began(now_s)
    turn_id = effects.new_turn()
    visit.utterance_ended(turn_id, now_s)
    visit.question_heard(Question(turn_id=turn_id, text=text, language=guess_language(text, "zh")), now_s)


def test_a_spoken_question_goes_through_all_phases(visit: Conversation, effects: Recorder) -> None:
    ask(visit, effects, "几点开门？", 1)
    assert (visit.phase, effects.is_open) == (Phase.THINKING, False)
    answer(visit, "九点开门。", 2)
    assert (visit.phase, effects.is_open) == (Phase.LISTENING, True)
    assert (visit.visitor_caption, visit.reply_caption) == ("几点开门？", "九点开门。")


def test_touching_the_screen_greets(visit: Conversation, effects: Recorder) -> None:
    visit.touched(0)
    assert visit.phase is Phase.GREETING
    assert effects.said == [BANK.text("zh").greeting]


def test_noise_leads_back_to_where_it_began(visit: Conversation, effects: Recorder) -> None:
    visit.speech_began(1)
    turn_id = effects.new_turn()
    visit.utterance_ended(turn_id, 1.5)
    visit.nothing_heard(turn_id, 2)
    assert (visit.phase, visit.is_visit, effects.said) == (Phase.ATTRACT, False, [])


def test_a_passing_voice_does_not_leave_the_screen_listening(visit: Conversation) -> None:
    visit.speech_began(1)
    visit.tick(12, False)
    assert visit.phase is Phase.ATTRACT


def test_an_idle_visit_is_warned_then_forgotten(visit: Conversation, effects: Recorder) -> None:
    ask(visit, effects, "我叫王明", 0)
    answer(visit, "您好。", 1)
    visit.tick(46.5, False)
    assert visit.phase is Phase.IDLE_WARNING
    assert visit.idle_seconds_left(46.5) == pytest.approx(9.5)
    visit.tick(57, False)
    assert visit.phase is Phase.FAREWELL
    answer(visit, "再见。", 58)
    assert (visit.phase, effects.forgotten) == (Phase.ATTRACT, 1)
    assert (visit.visitor_caption, visit.reply_caption, visit.can_replay, visit.language) == ("", "", False, "zh")


def test_the_visitor_who_comes_back_is_not_forgotten(visit: Conversation, effects: Recorder) -> None:
    ask(visit, effects, "几点开门？", 0)
    answer(visit, "九点。", 1)
    visit.tick(47, False)
    visit.speech_began(50)
    assert (visit.phase, effects.forgotten) == (Phase.LISTENING, 0)
    visit.tick(51, False)
    assert visit.phase is Phase.LISTENING


def test_stop_silences_and_listens(visit: Conversation, effects: Recorder) -> None:
    ask(visit, effects, "几点开门？", 0)
    old = visit.turn_id
    visit.stopped(1)
    assert (visit.phase, effects.silenced, effects.is_open) == (Phase.LISTENING, 1, True)
    late = ReplyClause(turn_id=old, index=0, written="九点", spoken="九点", language="zh")
    visit.clause_made(late, 2)
    visit.sound_began(old, 2)
    assert (visit.reply_caption, visit.phase) == ("", Phase.LISTENING)


def test_a_typed_question_interrupts_and_sets_the_language(visit: Conversation, effects: Recorder) -> None:
    visit.touched(0)
    visit.question_typed(" Where is the toilet? ", 1)
    assert (visit.phase, visit.language, effects.silenced) == (Phase.THINKING, "en", 2)
    assert [q.text for q in effects.asked] == ["Where is the toilet?"]
    visit.question_typed("   ", 2)
    assert len(effects.asked) == 1


def test_replay_says_the_last_answer_again(visit: Conversation, effects: Recorder) -> None:
    visit.replay(0)
    assert effects.said == []
    ask(visit, effects, "Are you open?", 1)
    answer(visit, "Yes.", 2, "en")
    visit.replay(3)
    assert (effects.said, visit.phase) == (["Yes."], Phase.SPEAKING)


def test_no_answer_in_time_is_apologised_for(visit: Conversation, effects: Recorder) -> None:
    ask(visit, effects, "几点开门？", 0)
    visit.tick(31, False)
    assert (visit.phase, effects.said) == (Phase.SPEAKING, [BANK.text("zh").apology])


def test_an_empty_answer_is_apologised_for(visit: Conversation, effects: Recorder) -> None:
    ask(visit, effects, "几点开门？", 0)
    visit.reply_complete(EndOfReply(turn_id=visit.turn_id))
    visit.tick(1, False)
    assert effects.said == [BANK.text("zh").apology]


def test_a_failed_stage_is_apologised_for_once(visit: Conversation, effects: Recorder) -> None:
    ask(visit, effects, "几点开门？", 0)
    error = StageError(turn_id=visit.turn_id, stage="language model", message="x", is_permanent=False)
    visit.stage_failed(error, 1)
    visit.stage_failed(error, 1)
    assert effects.said == [BANK.text("zh").apology]


def test_staff_can_be_called(visit: Conversation, effects: Recorder) -> None:
    visit.staff_called(0)
    assert effects.said == [BANK.text("zh").call_staff]
    assert visit.notice == BANK.text("zh").call_staff
