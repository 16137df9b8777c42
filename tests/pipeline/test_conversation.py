"""The state machine of a visit, with time injected and effects recorded."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from kiosk.config import SessionConfig
from kiosk.events import EndOfReply, NothingHeard, Question, ReplyClause, StageError, Utterance
from kiosk.pipeline.conversation import BRIEF_HELD_S, MAX_HELD_S, Conversation, Phase, guess_language
from kiosk.pipeline.interruption import InterruptedBy
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
    clause = ReplyClause(turn_id=visit.turn_id, index=0, written="九点开门，", spoken="九点开门，", language="zh")
    visit.clause_made(clause, 2)
    visit.sound_began(visit.turn_id, 2)
    assert visit.phase is Phase.SPEAKING
    return visit.turn_id


def ask(visit: Conversation, effects: Recorder, text: str, now_s: float) -> None:
    """A spoken question, understood."""
    visit.speech_began(now_s)
    turn_id = effects.new_turn()
    visit.utterance_ended(utterance(turn_id), now_s)
    visit.question_heard(Question(turn_id=turn_id, text=text, language=guess_language(text, "zh")), now_s)


def test_a_spoken_question_goes_through_all_phases(visit: Conversation, effects: Recorder) -> None:
    ask(visit, effects, "几点开门？", 1)
    assert (visit.phase, effects.is_open, effects.is_answering) == (Phase.THINKING, True, True)
    answer(visit, "九点开门。", 2)
    assert (visit.phase, effects.is_open, effects.is_answering) == (Phase.LISTENING, True, False)
    assert (visit.visitor_caption, visit.reply_caption) == ("几点开门？", "九点开门。")


def test_touching_the_screen_greets(visit: Conversation, effects: Recorder) -> None:
    visit.touched(0)
    assert visit.phase is Phase.GREETING
    assert effects.said == [BANK.text("zh").greeting]


def test_noise_leads_back_to_where_it_began(visit: Conversation, effects: Recorder) -> None:
    visit.speech_began(1)
    turn_id = effects.new_turn()
    visit.utterance_ended(utterance(turn_id), 1.5)
    visit.nothing_heard(NothingHeard(turn_id=turn_id, is_trial=True), 1.8)
    assert visit.phase is Phase.THINKING
    visit.nothing_heard(NothingHeard(turn_id=turn_id), 2)
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


def test_speech_over_the_answer_holds_the_sound_at_once(visit: Conversation, effects: Recorder) -> None:
    speaking(visit, effects)
    visit.speech_began(3)
    assert (effects.held, visit.is_held, visit.phase) == (1, True, Phase.SPEAKING)
    visit.tick(3.1, False)
    assert visit.phase is Phase.SPEAKING


@pytest.mark.parametrize("remark", ["嗯", "好的。", "哦哦", "Uh-huh.", "Okay.", "哈哈哈", "嗯，好的", ""])
def test_TT_07_a_sign_of_listening_lets_the_answer_go_on(visit: Conversation, effects: Recorder, remark: str) -> None:
    old = speaking(visit, effects)
    turn_id = say_over(visit, effects, remark, 3)
    assert (visit.phase, visit.turn_id, visit.is_held) == (Phase.SPEAKING, old, False)
    assert (effects.resumed, effects.dismissed, effects.asked) == (1, [turn_id], [])


@pytest.mark.parametrize(
    ("words", "answer", "heard"),
    [
        ("A transfer? Okay.", "A transfer to another bank costs 2 yuan.", "A transfer"),
        ("开户请带，嗯。", "开户请带身份证。", "开户请带"),
        ("Yes, sir.", "Yes, we are open on Saturday.", "Yes"),
    ],
)
def test_a_sign_of_listening_may_be_recognised_with_the_kiosks_own_words(
    visit: Conversation, effects: Recorder, words: str, answer: str, heard: str
) -> None:
    old = speaking(visit, effects)
    visit.reply_caption, effects.was_heard = answer, heard
    say_over(visit, effects, words, 3)
    assert (visit.phase, visit.turn_id, effects.asked) == (Phase.SPEAKING, old, [])


def test_a_filler_that_is_heard_again_interrupts_nothing(visit: Conversation, effects: Recorder) -> None:
    visit.question_typed("Are you open on Saturday?", 1)
    visit.tick(1 + SESSION.filler_after_s + 0.1, False)
    say_over(visit, effects, effects.fillers[-1], 3)
    assert (visit.phase, len(effects.asked)) == (Phase.THINKING, 1)


def test_a_question_over_the_answer_is_the_next_turn(visit: Conversation, effects: Recorder) -> None:
    old = speaking(visit, effects)
    effects.was_heard = "九点"
    turn_id = say_over(visit, effects, "周六开门吗？", 3)
    assert [q.text for q in effects.asked] == ["周六开门吗？"]
    assert (visit.phase, visit.turn_id, effects.turn) == (Phase.THINKING, turn_id, turn_id)
    assert (visit.visitor_caption, visit.reply_caption) == ("周六开门吗？", "")
    assert effects.remembered[old] == "九点"
    assert visit.interruption is not None
    assert (visit.interruption.by, visit.interruption.heard) == (InterruptedBy.VOICE, "九点")


@pytest.mark.parametrize("words", ["停", "别说了。", "等一下", "Stop!", "Wait a minute."])
def test_a_wish_for_silence_ends_the_answer(visit: Conversation, effects: Recorder, words: str) -> None:
    speaking(visit, effects)
    say_over(visit, effects, words, 3)
    assert (visit.phase, effects.asked, visit.is_held) == (Phase.LISTENING, [], False)


def test_TT_03_an_interruption_before_the_first_sound_leaves_nothing_of_the_answer(
    visit: Conversation, effects: Recorder
) -> None:
    ask(visit, effects, "几点开门？", 1)
    old = visit.turn_id
    say_over(visit, effects, "开户要带什么？", 1.1)
    late = ReplyClause(turn_id=old, index=0, written="九点", spoken="九点", language="zh")
    visit.clause_made(late, 2)
    visit.sound_began(old, 2)
    visit.reply_complete(EndOfReply(turn_id=old))
    visit.tick(2.1, False)
    assert (visit.phase, visit.reply_caption, effects.remembered[old]) == (Phase.THINKING, "", "")
    assert [q.text for q in effects.asked] == ["开户要带什么？"]


def test_the_kiosks_own_words_are_no_question(visit: Conversation, effects: Recorder) -> None:
    speaking(visit, effects)
    effects.was_heard = "我们周一到周五上午九点开门，下午五点关门，"
    say_over(visit, effects, "周一到周五上午九点开门", 3)
    assert (visit.phase, effects.asked, effects.resumed) == (Phase.SPEAKING, [], 1)


def test_an_answer_is_not_held_for_ever(visit: Conversation, effects: Recorder) -> None:
    speaking(visit, effects)
    visit.speech_began(3)
    visit.tick(3 + MAX_HELD_S + 0.1, False)
    assert (visit.is_held, effects.resumed) == (False, 1)


def brief_sound(visit: Conversation, length_s: float = 0.5) -> None:
    """A sound over the answer at 3 s, and a silence that is long enough for a brief one."""
    visit.speech_began(3)
    visit.speech_paused(3 + length_s)
    visit.utterance_ended(utterance(visit.turn_id + 1, is_interruption=True), 3 + length_s + 0.4)
    visit.tick(3 + length_s + BRIEF_HELD_S + 0.01, False)


def heard_late(visit: Conversation, text: str) -> None:
    question = Question(turn_id=visit.turn_id + 1, text=text, language="zh", is_interruption=True)
    visit.question_heard(question, 6)


def test_over_a_brief_sound_the_answer_goes_on_before_a_slow_recogniser_has_read_it(
    visit: Conversation, effects: Recorder
) -> None:
    old = speaking(visit, effects)
    brief_sound(visit)
    assert (visit.is_held, effects.resumed, visit.phase) == (False, 1, Phase.SPEAKING)
    heard_late(visit, "嗯。")
    assert (visit.turn_id, effects.dismissed, effects.asked) == (old, [old + 1], [])


def test_a_brief_wish_that_is_read_late_still_ends_the_answer(visit: Conversation, effects: Recorder) -> None:
    old = speaking(visit, effects)
    brief_sound(visit)
    heard_late(visit, "停。")
    assert (visit.phase, visit.turn_id, effects.asked) == (Phase.LISTENING, old + 1, [])
    assert effects.silenced > 0


def test_a_sign_of_listening_that_is_read_after_the_answer_is_no_question(
    visit: Conversation, effects: Recorder
) -> None:
    old = speaking(visit, effects)
    brief_sound(visit)
    visit.reply_complete(EndOfReply(turn_id=old))
    visit.tick(5, False)
    assert visit.phase is Phase.LISTENING
    heard_late(visit, "好的。")
    assert (visit.phase, effects.dismissed, effects.asked) == (Phase.LISTENING, [old + 1], [])


def test_whole_sentences_and_a_voice_that_goes_on_keep_it_silent(visit: Conversation, effects: Recorder) -> None:
    speaking(visit, effects)
    brief_sound(visit, length_s=1.6)
    assert (visit.is_held, effects.resumed) == (True, 0)
    visit.speech_resumed(5.5)
    visit.tick(9, False)
    assert (visit.is_held, effects.resumed) == (True, 0)


def test_a_dropped_beginning_lets_the_answer_go_on(visit: Conversation, effects: Recorder) -> None:
    speaking(visit, effects)
    visit.speech_began(3)
    visit.speech_dropped(3.5)
    assert (visit.is_held, effects.resumed) == (False, 1)


def test_where_interruptions_are_switched_off_the_ear_shuts_while_answering(effects: Recorder) -> None:
    visit = Conversation(BANK, SESSION, "zh", effects, is_interruptible=False)
    ask(visit, effects, "几点开门？", 1)
    assert (visit.phase, effects.is_open) == (Phase.THINKING, False)
    visit.speech_began(2)
    assert effects.held == 0
    answer(visit, "九点开门。", 3)
    assert effects.is_open


def test_a_wait_is_bridged_once_and_never_twice_with_the_same_words(visit: Conversation, effects: Recorder) -> None:
    for start in (0, 100):
        ask(visit, effects, "几点开门？", start)
        visit.tick(start + 1.0, False)
        assert len(effects.fillers) == start // 100
        visit.tick(start + 1.3, False)
        visit.tick(start + 2.5, False)
        answer(visit, "九点开门。", start + 3)
    assert len(effects.fillers) == 2
    assert effects.fillers[0] != effects.fillers[1]


def test_no_words_bridge_a_wait_that_is_over(visit: Conversation, effects: Recorder) -> None:
    speaking(visit, effects)
    visit.tick(10, True)
    assert effects.fillers == []


def test_the_sign_that_words_arrived_comes_with_the_pause(visit: Conversation, effects: Recorder) -> None:
    visit.speech_began(1)
    assert not visit.is_acknowledged
    visit.speech_paused(2)
    assert visit.is_acknowledged
    visit.speech_resumed(2.5)
    assert not visit.is_acknowledged


def test_a_question_on_trial_leaves_no_trace(visit: Conversation, effects: Recorder) -> None:
    visit.speech_began(1)
    visit.question_heard(Question(turn_id=7, text="几点", language="zh", is_trial=True), 2)
    assert (visit.phase, visit.visitor_caption, visit.is_visit) == (Phase.LISTENING, "", False)
