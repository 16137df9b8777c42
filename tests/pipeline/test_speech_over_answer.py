"""Speech over an answer: it waits at once, then the words decide."""

from __future__ import annotations

import pytest

from kiosk.events import EndOfReply, Question, ReplyClause
from kiosk.pipeline.conversation import Conversation
from kiosk.pipeline.held_answer import BRIEF_HELD_S, MAX_HELD_S
from kiosk.pipeline.interruption import InterruptedBy
from kiosk.pipeline.phase import Phase
from tests.pipeline.conversation_bench import BANK, SESSION, Recorder, answer, ask, say_over, speaking, utterance


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
