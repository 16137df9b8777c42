"""The state machine of a visit, with time injected and effects recorded."""

from __future__ import annotations

import pytest

from kiosk.events import EndOfReply, NothingHeard, Question, ReplyClause, StageError
from kiosk.pipeline.conversation import Conversation
from kiosk.pipeline.pace import ENOUGH, LEAST_GAP_S, UNKNOWN_S
from kiosk.pipeline.phase import Phase
from tests.pipeline.conversation_bench import BANK, Recorder, answer, ask, clause, speaking, utterance

UNKNOWN = BANK.text("zh").unknown


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


def test_when_no_answer_comes_a_person_is_called(visit: Conversation, effects: Recorder) -> None:
    ask(visit, effects, "几点开门？", 0)
    visit.tick(UNKNOWN_S - 0.1, False)
    assert effects.said == []
    visit.tick(UNKNOWN_S + 0.1, False)
    assert (visit.phase, effects.said, visit.notice) == (Phase.SPEAKING, [UNKNOWN], UNKNOWN)


def test_when_an_answer_stops_in_the_middle_a_person_is_called(visit: Conversation, effects: Recorder) -> None:
    for start in range(0, 10 * ENOUGH, 10):
        ask(visit, effects, "几点开门？", start)
        visit.clause_made(clause(visit, "我们"), start + 1)
        visit.sound_began(visit.turn_id, start + 1)
        for tenths in range(30):
            visit.tick(start + 2 + tenths / 10, is_audible=not 5 < tenths < 10)  # half a second between two clauses
        answer(visit, "9点", start + 6)
    ask(visit, effects, "几点开门？", 100)
    visit.clause_made(clause(visit, "我们"), 101)
    visit.sound_began(visit.turn_id, 101)
    visit.tick(102, is_audible=True)
    visit.tick(103, is_audible=False)
    visit.tick(103 + LEAST_GAP_S - 0.1, is_audible=False)
    assert effects.said == []
    visit.tick(103 + LEAST_GAP_S + 0.1, is_audible=False)
    assert (effects.said, visit.notice) == ([UNKNOWN], UNKNOWN)


def test_what_is_queued_is_heard_before_a_person_is_called(visit: Conversation, effects: Recorder) -> None:
    speaking(visit, effects)
    error = StageError(turn_id=visit.turn_id, stage="language model", message="x", is_permanent=False)
    visit.stage_failed(error, 3)
    visit.tick(3.1, is_audible=True)
    assert effects.said == []
    visit.tick(3.2, is_audible=False)
    assert effects.said == [UNKNOWN]


def test_words_over_an_answer_do_not_count_as_its_silence(visit: Conversation, effects: Recorder) -> None:
    ask(visit, effects, "几点开门？", 0)
    visit.clause_made(clause(visit, "我们"), 1)
    visit.sound_began(visit.turn_id, 1)
    visit.speech_began(2)
    for second in range(2, 20):
        visit.tick(second, is_audible=False)
    visit.speech_dropped(20)
    visit.tick(21, is_audible=False)
    assert effects.said == []


def test_without_a_question_the_visitor_is_asked_to_try_again(visit: Conversation, effects: Recorder) -> None:
    visit.utterance_ended(utterance(effects.new_turn()), 0)
    visit.tick(UNKNOWN_S + 1, False)
    assert effects.said == []
    visit.tick(31, False)
    assert (effects.said, visit.notice) == ([BANK.text("zh").apology], "")


def test_an_empty_answer_brings_a_person(visit: Conversation, effects: Recorder) -> None:
    ask(visit, effects, "几点开门？", 0)
    visit.reply_complete(EndOfReply(turn_id=visit.turn_id))
    visit.tick(1, False)
    assert effects.said == [UNKNOWN]


def test_a_failed_stage_brings_a_person_once(visit: Conversation, effects: Recorder) -> None:
    ask(visit, effects, "几点开门？", 0)
    error = StageError(turn_id=visit.turn_id, stage="language model", message="x", is_permanent=False)
    visit.stage_failed(error, 1)
    visit.stage_failed(error, 1)
    assert effects.said == [UNKNOWN]


def test_staff_can_be_called(visit: Conversation, effects: Recorder) -> None:
    visit.staff_called(0)
    assert effects.said == [BANK.text("zh").call_staff]
    assert visit.notice == BANK.text("zh").call_staff


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
