from __future__ import annotations

import pytest

from kiosk.config import HearingConfig
from kiosk.hearing.patience import (
    DOUBTFUL_VOICE_MS,
    ENDED_MS,
    FLUENT_NUMBER_MS,
    HUM_MS,
    LEVEL_QUESTION_MS,
    UNSURE_MS,
    Patience,
)

CONFIG = HearingConfig()
SURE = 0.99
SHORT, LONG = 600, FLUENT_NUMBER_MS


@pytest.fixture
def patience() -> Patience:
    return Patience(CONFIG)


def test_a_voice_that_falls_waits_for_the_words(patience: Patience) -> None:
    assert patience.verdict(0.95, None, fluent_ms=SHORT).silence_ms == UNSURE_MS
    assert patience.verdict(0.95, "你们周六开门吗？", fluent_ms=SHORT).silence_ms == 0


def test_a_level_voice_waits_longer_for_the_words(patience: Patience) -> None:
    assert patience.verdict(0.1, None, fluent_ms=SHORT).silence_ms == CONFIG.max_silence_ms


def test_complete_words_and_an_unfinished_voice_take_a_moment(patience: Patience) -> None:
    silence_ms = patience.verdict(0.1, "Where is the toilet?", fluent_ms=SHORT).silence_ms
    assert 0 < silence_ms < UNSURE_MS


@pytest.mark.parametrize(
    ("text", "silence_ms"),
    [("我叫王芳。", ENDED_MS), ("你们周六。", CONFIG.max_silence_ms), ("我想", CONFIG.unfinished_silence_ms)],
)
def test_the_less_finished_the_words_the_longer_the_wait(patience: Patience, text: str, silence_ms: int) -> None:
    assert patience.verdict(SURE, text, fluent_ms=SHORT).silence_ms == silence_ms


def test_a_slow_speaker_gets_more_time_until_another_comes(patience: Patience) -> None:
    before = patience.verdict(0.9, "我叫王芳。", fluent_ms=SHORT).silence_ms
    patience.learn(800)
    assert patience.verdict(0.9, "我叫王芳。", fluent_ms=SHORT).silence_ms == pytest.approx(920)
    patience.forget()
    assert patience.verdict(0.9, "我叫王芳。", fluent_ms=SHORT).silence_ms == before


def test_a_very_slow_speaker_does_not_make_the_kiosk_wait_for_ever(patience: Patience) -> None:
    patience.learn(1900)
    assert patience.verdict(0.9, "我叫王芳。", fluent_ms=SHORT).silence_ms == CONFIG.max_silence_ms


def test_a_new_question_long_after_the_last_is_no_habit(patience: Patience) -> None:
    patience.learn(4000, was_closed=True)
    assert patience.verdict(0.9, "我叫王芳。", fluent_ms=SHORT).silence_ms == UNSURE_MS


def test_a_question_whose_voice_stays_up_is_answered_sooner_than_a_statement(patience: Patience) -> None:
    assert patience.verdict(0.02, "Where is the toilet?", fluent_ms=SHORT).silence_ms == LEVEL_QUESTION_MS
    assert patience.verdict(0.02, "I lost my card.", fluent_ms=SHORT).silence_ms == CONFIG.max_silence_ms


def test_a_statement_whose_voice_is_nearly_level_is_doubted_more_than_a_question(patience: Patience) -> None:
    assert patience.verdict(0.2, "Where is the toilet?", fluent_ms=SHORT).silence_ms == DOUBTFUL_VOICE_MS
    assert patience.verdict(0.2, "I lost my card.", fluent_ms=SHORT).silence_ms == LEVEL_QUESTION_MS


def test_thanks_need_no_falling_voice(patience: Patience) -> None:
    assert patience.verdict(0.02, "Thank you very much.", fluent_ms=SHORT).silence_ms == LEVEL_QUESTION_MS


def test_a_word_recognised_in_a_hum_ends_nothing_yet(patience: Patience) -> None:
    assert patience.verdict(SURE, "No.", fluent_ms=HUM_MS - 32).silence_ms == CONFIG.max_silence_ms
    assert patience.verdict(SURE, "No.", fluent_ms=HUM_MS).silence_ms == 0
    assert patience.verdict(SURE, "谢谢。", fluent_ms=HUM_MS - 32).silence_ms == 0


def test_a_number_in_groups_is_waited_for_and_one_in_one_breath_is_not(patience: Patience) -> None:
    for pause_ms in (900, 900):
        patience.learn(pause_ms)
    assert patience.verdict(SURE, "一三八零零一三八", fluent_ms=SHORT).silence_ms > 1000
    assert patience.verdict(SURE, "一三八零零一三八", fluent_ms=LONG).silence_ms == ENDED_MS


def test_what_goes_on_after_a_cut_in_is_the_end_of_its_sentence(patience: Patience) -> None:
    text = "My brother in London."
    assert patience.verdict(SURE, text, fluent_ms=SHORT).silence_ms == CONFIG.max_silence_ms
    assert patience.verdict(SURE, text, fluent_ms=SHORT, goes_on=True).silence_ms == ENDED_MS


def test_no_wait_is_longer_than_the_operators_limits() -> None:
    patience = Patience(HearingConfig(max_silence_ms=400, unfinished_silence_ms=400))
    patience.learn(1000)
    for completeness in (0.0, 0.9):
        for text in (None, "", "我想", "我叫王芳。", "你们周六开门吗？"):
            assert patience.verdict(completeness, text, fluent_ms=SHORT).silence_ms <= 400
