from __future__ import annotations

import pytest

from models.asr.cleaning import Hypothesis, clean, cut_loops, is_echo, tidy
from models.asr.prompts import Prompt, make_prompts, split_terms
from models.types import Language

TERMS = "开户、办卡、身份证件、跨行转账手续费、定期存款利率"


def hypothesis(text: str, log_probability: float = -0.2, no_speech: float = 0.05) -> Hypothesis:
    return Hypothesis(text=text, average_log_probability=log_probability, no_speech_probability=no_speech)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is the one-year deposit rate?", "en"),
        ("我想办理信用卡。", "zh"),
        ("我要开一个 savings account。", "zh"),
        ("开户", "zh"),
        ("跨行转账手续费", "zh"),
        ("谢谢。", "zh"),
        ("Thank you.", "en"),
        ("No, no, no.", "en"),
        ("13800138000", "zh"),
        ("1 0 0 0 0 0 0 0 0 0", "zh"),
    ],
)
def test_what_visitors_say_passes(text: str, language: Language) -> None:
    assert clean(hypothesis(text), language, make_prompts(language, TERMS).for_sentences) == text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("字幕由Amara.org社区提供", "zh"),
        ("請不吝點贊 訂閱 轉發 打賞支持明鏡與點點欄目", "zh"),
        ("谢谢观看", "zh"),
        ("Thanks for watching!", "en"),
        ("Thank you so much for watching.", "en"),
        ("Please subscribe to my channel", "en"),
        ("ご視聴ありがとうございました", "zh"),
        ("시청해주셔서 감사합니다", "en"),
        ("Продолжение следует", "en"),
        ("。", "zh"),
        (" ", "en"),
        ("", "zh"),
    ],
)
def test_credits_foreign_scripts_and_nothing_are_refused(text: str, language: Language) -> None:
    assert clean(hypothesis(text), language, Prompt()) == ""


def test_a_credit_after_real_words_is_cut_off() -> None:
    text = "Where is the toilet? Thanks for watching."
    assert clean(hypothesis(text), "en", Prompt()) == "Where is the toilet?"


@pytest.mark.parametrize(("log_probability", "kept"), [(-0.2, True), (-0.7, False)])
def test_stock_phrases_need_confidence(log_probability: float, kept: bool) -> None:
    assert bool(clean(hypothesis("Thank you.", log_probability), "en", Prompt())) is kept


@pytest.mark.parametrize(
    ("log_probability", "no_speech", "kept"),
    [(-0.21, 0.71, True), (-0.96, 0.75, False), (-0.46, 0.88, False), (-0.9, 0.5, True), (-1.4, 0.1, False)],
)
def test_the_networks_doubt_is_weighed_against_its_confidence(
    log_probability: float, no_speech: float, kept: bool
) -> None:
    assert bool(clean(hypothesis("费用是多少", log_probability, no_speech), "zh", Prompt())) is kept


def test_a_word_or_two_must_be_surer() -> None:
    unsure = hypothesis("贷款。", -0.6)
    assert clean(unsure, "zh", Prompt()) == "贷款。"
    assert clean(unsure, "zh", Prompt(), is_short=True) == ""


@pytest.mark.parametrize("terms", ["", TERMS])
def test_the_prompt_itself_is_no_question(terms: str) -> None:
    prompts = make_prompts("zh", terms)
    for prompt in (prompts.for_sentences, prompts.for_short_answers):
        assert clean(hypothesis(prompt.text), "zh", prompt) == ""
        assert clean(hypothesis(prompt.text[:-3]), "zh", prompt) == ""


def test_a_question_that_begins_with_two_neighbouring_terms_is_no_echo() -> None:
    prompt = make_prompts("zh", "定期存款、跨行转账、手续费、贷款").for_sentences
    assert not is_echo("跨行转账手续费是多少？", prompt, "zh")


@pytest.mark.parametrize(
    ("text", "log_probability", "no_speech", "kept"),
    [
        ("River Bank.", -0.46, 0.8, False),  # room noise, read on two kinds of processors
        ("River Bank.", -0.2, 0.7, True),
        ("River Bank.", -0.46, 0.3, True),
        ("Where is the River Bank?", -0.46, 0.7, True),
    ],
)
def test_a_doubted_term_of_the_prompt_must_be_sure(
    text: str, log_probability: float, no_speech: float, kept: bool
) -> None:
    prompt = make_prompts("en", "River Bank, fees").for_sentences
    assert bool(clean(hypothesis(text, log_probability, no_speech), "en", prompt)) is kept


def test_a_stretch_over_several_terms_is_an_echo() -> None:
    prompt = make_prompts("zh", TERMS).for_sentences
    assert clean(hypothesis("身份证件、跨行转账手续费、定期"), "zh", prompt) == ""


def test_simplified_characters_and_chinese_marks() -> None:
    assert tidy("我想辦理信用卡,開戶需要帶什麼證件?", "zh") == "我想办理信用卡，开户需要带什么证件？"
    assert tidy("费\ufffd用Ｇ４<|notimestamps|>", "zh") == "费用G4"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes. Yes. Yes. Yes. Yes. Yes. Yes. Yes.", "Yes."),
        ("費" + "费" * 20, "費费"),
        ("are you open " * 5 + "today", "are you open today"),
        ("Are you open on Saturday? " * 4, "Are you open on Saturday? "),
        ("谢谢 谢谢", "谢谢 谢谢"),
        ("1 1 1 1 1 1 1 1 1", "1 1 1 1 1 1 1 1 1"),
    ],
)
def test_loops_are_cut(text: str, expected: str) -> None:
    assert cut_loops(text) == expected


def test_terms_are_split_at_any_comma() -> None:
    assert split_terms("开户、办卡，外币, ATM") == ("开户", "办卡", "外币", "ATM")
    assert split_terms("") == ()
