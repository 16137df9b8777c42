from __future__ import annotations

import pytest

from kiosk.config import HearingConfig
from kiosk.hearing.patience import SURE, UNSURE_MS, Patience

CONFIG = HearingConfig()


@pytest.fixture
def patience() -> Patience:
    return Patience(CONFIG)


def test_a_voice_that_falls_for_certain_needs_no_words(patience: Patience) -> None:
    verdict = patience.verdict(SURE, None, is_fluent=True)
    assert (verdict.silence_ms, verdict.ended_by) == (0, "model")


def test_after_a_few_words_or_a_pause_the_voice_alone_ends_no_turn(patience: Patience) -> None:
    assert patience.verdict(SURE, None, is_fluent=False).silence_ms == UNSURE_MS


def test_a_voice_that_falls_waits_for_the_words(patience: Patience) -> None:
    assert patience.verdict(0.95, None, is_fluent=True).silence_ms == UNSURE_MS
    assert patience.verdict(0.95, "你们周六开门吗？", is_fluent=True).silence_ms == 0


def test_a_level_voice_waits_longer_for_the_words(patience: Patience) -> None:
    assert patience.verdict(0.1, None, is_fluent=True).silence_ms == CONFIG.max_silence_ms


def test_complete_words_and_an_unfinished_voice_take_a_moment(patience: Patience) -> None:
    silence_ms = patience.verdict(0.1, "Where is the toilet?", is_fluent=True).silence_ms
    assert 0 < silence_ms < UNSURE_MS


@pytest.mark.parametrize(
    ("text", "silence_ms"),
    [("我叫王芳。", UNSURE_MS), ("你们周六。", CONFIG.max_silence_ms), ("我想", CONFIG.unfinished_silence_ms)],
)
def test_the_less_finished_the_words_the_longer_the_wait(patience: Patience, text: str, silence_ms: int) -> None:
    assert patience.verdict(SURE, text, is_fluent=True).silence_ms == silence_ms


def test_a_slow_speaker_gets_more_time_until_another_comes(patience: Patience) -> None:
    before = patience.verdict(0.9, "我叫王芳。", is_fluent=True).silence_ms
    patience.learn(800)
    assert patience.verdict(0.9, "我叫王芳。", is_fluent=True).silence_ms == pytest.approx(960)
    patience.forget()
    assert patience.verdict(0.9, "我叫王芳。", is_fluent=True).silence_ms == before


def test_a_very_slow_speaker_does_not_make_the_kiosk_wait_for_ever(patience: Patience) -> None:
    patience.learn(1900)
    assert patience.verdict(0.9, "我叫王芳。", is_fluent=True).silence_ms == CONFIG.max_silence_ms


def test_after_a_cut_in_the_voice_alone_ends_no_turn(patience: Patience) -> None:
    patience.learn(600, was_closed=True)
    assert patience.verdict(SURE, None, is_fluent=True).silence_ms > 0
    patience.forget()
    assert patience.verdict(SURE, None, is_fluent=True).silence_ms == 0


def test_a_new_question_long_after_the_last_is_no_cut_in(patience: Patience) -> None:
    patience.learn(4000, was_closed=True)
    assert patience.verdict(SURE, None, is_fluent=True).silence_ms == 0
    assert patience.verdict(0.9, "我叫王芳。", is_fluent=True).silence_ms == UNSURE_MS


def test_no_wait_is_longer_than_the_operators_limits() -> None:
    patience = Patience(HearingConfig(max_silence_ms=400, unfinished_silence_ms=400))
    patience.learn(1000)
    for completeness in (0.0, 0.9):
        for text in (None, "", "我想", "我叫王芳。", "你们周六开门吗？"):
            assert patience.verdict(completeness, text, is_fluent=True).silence_ms <= 400
