"""Thinking ahead, interruptions and continuations through all threads and queues."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from kiosk.pipeline.phase import Phase
from tests.pipeline.scripted_hall import Hall


@pytest.fixture
def hall(qtbot: QtBot) -> Iterator[Hall]:
    made = Hall(qtbot)
    yield made
    assert made.close() == []


def answering(hall: Hall, question: str = "你们几点开门？") -> None:
    """In the middle of an answer of about 2 and 0.8 s."""
    hall.say(question)
    hall.until(lambda: hall.visit.phase is Phase.SPEAKING and len(hall.sounds) >= 2)


def test_a_question_is_thought_about_at_the_pause_and_answered_only_at_its_end(hall: Hall) -> None:
    hall.begin()
    samples = hall.pause("你们几点开门？")
    hall.until(lambda: hall.mind.asked)
    hall.settle()
    assert (hall.sounds, hall.visit.reply_caption, hall.visit.visitor_caption) == ([], "", "")
    hall.end(samples)
    hall.until(lambda: hall.visit.phase is Phase.SPEAKING and hall.visit.reply_caption)
    assert hall.mind.asked == ["你们几点开门？"]
    assert hall.visit.visitor_caption == "你们几点开门？"
    assert hall.visit.reply_caption.startswith("您问的是这个问题：你们几点开门，")


def test_what_was_thought_at_a_pause_that_was_none_leaves_no_trace(hall: Hall) -> None:
    hall.begin()
    hall.pause("你们周六开门吗？")
    hall.until(lambda: hall.mind.asked)
    hall.go_on()
    hall.end(hall.pause("你们周六开门吗？周日呢？"))
    hall.until(lambda: len(hall.sounds) >= 2)
    assert hall.mind.asked == ["你们周六开门吗？", "你们周六开门吗？周日呢？"]
    assert {sound.clip.turn_id for sound in hall.sounds} == {hall.visit.turn_id}
    hall.until(lambda: "周日" in hall.visit.reply_caption)
    hall.until(lambda: hall.remembered)
    assert [question for question, _ in hall.remembered] == ["你们周六开门吗？周日呢？"]


def test_unfinished_words_are_not_thought_about(hall: Hall) -> None:
    hall.begin()
    hall.pause("我想问一下，")
    hall.until(lambda: hall.segmenter.texts)
    hall.settle()
    assert hall.mind.asked == []


def test_a_question_over_the_answer_ends_it_and_only_what_was_heard_is_remembered(hall: Hall) -> None:
    answering(hall)
    hall.play(0.85)
    old = hall.visit.turn_id
    hall.say("厕所在哪里？")
    hall.until(lambda: hall.visit.visitor_caption == "厕所在哪里？")
    hall.until(lambda: hall.sounds[-1].clip.turn_id == hall.visit.turn_id)
    assert hall.visit.turn_id > old
    assert hall.performer.heard(old) == ""
    hall.until(lambda: len(hall.remembered) == 2)
    assert hall.remembered[0] == ("你们几点开门？", "您问的是这个问题")


@pytest.mark.parametrize("remark", ["嗯", "好的", ""])
def test_a_sign_of_listening_holds_the_answer_for_a_moment_only(hall: Hall, remark: str) -> None:
    answering(hall)
    hall.play(0.5)
    queued = len(hall.sounds)
    hall.begin()
    hall.until(lambda: hall.performer.is_held)
    hall.end(hall.pause(remark))
    hall.until(lambda: not hall.performer.is_held)
    assert hall.visit.phase is Phase.SPEAKING
    assert [sound.clip.clause.index for sound in hall.sounds[queued:]] == [0, 1]
    assert hall.mind.asked == ["你们几点开门？"]


def test_TT_03_interrupted_before_the_first_sound_nothing_of_the_answer_is_played(hall: Hall) -> None:
    hall.mind.begins.clear()
    hall.say("你们几点开门？")
    hall.until(lambda: hall.visit.phase is Phase.THINKING)
    hall.begin()
    hall.until(lambda: hall.performer.is_held)
    hall.end(hall.pause("厕所在哪里？"))
    hall.until(lambda: hall.visit.visitor_caption == "厕所在哪里？")
    hall.mind.begins.set()
    hall.until(lambda: "厕所" in hall.visit.reply_caption and hall.sounds)
    hall.settle()
    assert {sound.clip.turn_id for sound in hall.sounds} == {hall.visit.turn_id}
    assert "几点" not in hall.visit.reply_caption


def test_who_only_paused_is_understood_as_a_whole(hall: Hall) -> None:
    hall.mind.begins.clear()
    hall.say("你们周六")
    hall.until(lambda: hall.visit.phase is Phase.THINKING)
    hall.say("开门吗？")
    hall.until(lambda: hall.visit.visitor_caption == "你们周六开门吗？")
    hall.mind.begins.set()
    hall.until(lambda: hall.mind.asked[-1] == "你们周六开门吗？")
    hall.until(lambda: len(hall.sounds) >= 2)
    hall.until(lambda: "开门吗" in hall.visit.reply_caption)


def test_a_typed_question_overtakes_one_that_is_being_spoken(hall: Hall) -> None:
    hall.begin()
    samples = hall.pause("你们几点开门？")
    hall.until(lambda: hall.mind.asked)
    hall.visit.question_typed("厕所在哪里？", 1.0)
    hall.until(lambda: hall.visit.phase is Phase.SPEAKING and "厕所" in hall.visit.reply_caption)
    hall.end(samples)
    hall.settle()
    assert (hall.visit.visitor_caption, hall.visit.phase) == ("厕所在哪里？", Phase.SPEAKING)


def test_stop_drops_everything_and_the_next_question_is_answered(hall: Hall) -> None:
    answering(hall)
    hall.visit.stopped(1.0)
    assert hall.loudspeaker.end == hall.loudspeaker.now
    hall.say("厕所在哪里？")
    hall.until(lambda: hall.visit.phase is Phase.SPEAKING and "厕所" in hall.visit.reply_caption)


def test_a_prepared_answer_is_given_without_the_model(hall: Hall) -> None:
    hall.pipeline.preparation.add([], [("你们几点开门？", "zh")])
    hall.pipeline.preparation.next()
    hall.until(lambda: hall.mind.asked)
    hall.settle()
    hall.mind.begins.clear()  # the model would never come to an end now
    hall.say("请问你们几点开门")
    hall.until(lambda: len(hall.sounds) >= 2)
    assert hall.mind.asked == ["你们几点开门？"]
    hall.until(lambda: hall.visit.reply_caption.endswith("这就是我的回答。"))


def test_TT_10_all_of_a_long_answer_is_heard_though_nobody_says_a_word(hall: Hall) -> None:
    sentences = [f"这是第{number}句话，请您慢慢听。" for number in "一二三四五六"]
    turn_id = hall.pipeline.new_turn()
    hall.pipeline.say(turn_id, "".join(sentences), "zh")
    hall.until(lambda: hall.loudspeaker.end >= sum(map(len, sentences)) * 0.09 * hall.loudspeaker.sample_rate)
    hall.settle()
    while hall.performer.is_audible:
        hall.loudspeaker.now += hall.loudspeaker.sample_rate // 2
    assert "".join(sentences) == hall.performer.heard(turn_id)
    assert hall.loudspeaker.gaps == 0
