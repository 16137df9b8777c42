from __future__ import annotations

import re
from pathlib import Path

import pytest

from kiosk.errors import ConfigError
from kiosk.profile import PROFILES, load_profile
from models.types import LANGUAGES

NAMES = ("bank", "classroom", "booth")


@pytest.mark.parametrize("name", NAMES)
def test_shipped_profiles_are_complete_and_in_step(name: str) -> None:
    profile = load_profile(name)
    assert profile.name == name
    assert len(profile.zh.facts) == len(profile.en.facts) >= 12
    assert len(profile.zh.suggested_questions) == len(profile.en.suggested_questions)
    assert len(profile.zh.examples) == len(profile.en.examples)
    for language in LANGUAGES:
        text = profile.text(language)
        answers = [example.answer for example in text.examples]
        assert 2 <= answers.count(text.unknown) < len(answers)  # of both kinds
        assert all(
            len(fact) <= (50 if language == "zh" else 110) for fact in text.facts
        )  # each can be said in a breath


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_state_the_same_figures(name: str) -> None:
    profile = load_profile(name)
    for zh, en in zip(profile.zh.facts, profile.en.facts, strict=True):
        exact = re.compile(r"\d+\.\d+%|\d[\d-]{4,}|\d{3,}")
        assert exact.findall(zh) == exact.findall(en), (zh, en)


def write(folder: Path, change: tuple[str, str]) -> None:
    text = (PROFILES / "bank.toml").read_text(encoding="utf-8")
    assert change[0] in text
    (folder / "mine.toml").write_text(text.replace(*change, 1), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("greeting =", "greetings ="), r"unknown key zh\.greetings; did you mean zh\.greeting\?"),
        (('farewell = "感谢光临，再见。"', ""), r"zh\.farewell is missing"),
        (('title = "晨光银行"', 'title = ""'), r"zh\.title must not be empty"),
        (('title = "晨光银行"', "title = 3"), r"zh\.title must be text, not 3"),
        (("facts = [", 'facts = "one"\nfact = ['), "unknown key zh.fact; did you mean zh.facts"),
        (("facts = [", "facts = [ 9, "), r"zh\.facts must be text, not 9"),
        (("facts = [", 'facts = [ " ", '), r"zh\.facts must not be empty"),
        (('["停车要钱吗？",', '["a", '), None),
        (('["停车要钱吗？",', "["), r"zh\.examples must hold pairs \[question, answer\]"),
        (("[en]", "[de]"), "unknown key de; known here: zh, en"),
        (("[en]", "[en"), "is no valid TOML"),
        (("suggested_questions = [", "suggested_questions = []\nrecogniser_word = ["), "unknown key"),
    ],
)
def test_mistakes_are_told_with_their_place(tmp_path: Path, change: tuple[str, str], message: str | None) -> None:
    write(tmp_path, change)
    if message is None:
        assert load_profile("mine", tmp_path).zh.examples[0].question == "a"
        return
    with pytest.raises(ConfigError, match=message) as caught:
        load_profile("mine", tmp_path)
    assert "mine.toml" in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.is_permanent


def test_number_of_suggested_questions(tmp_path: Path) -> None:
    write(tmp_path, ("suggested_questions = [", 'suggested_questions = ["一", "二", "三", '))
    with pytest.raises(ConfigError, match=r"zh\.suggested_questions must hold 4 to 6 questions, not 9"):
        load_profile("mine", tmp_path)


def test_unknown_profile_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="known: bank, booth, classroom"):
        load_profile("bnak")


def test_wrong_encoding_is_told(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes((PROFILES / "bank.toml").read_text(encoding="utf-8").encode("gbk"))
    with pytest.raises(ConfigError, match="save it as UTF-8"):
        load_profile("mine", tmp_path)


def test_a_byte_order_mark_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(b"\xef\xbb\xbf" + (PROFILES / "bank.toml").read_bytes())
    assert load_profile("mine", tmp_path).en.title == "Sunrise Bank"
