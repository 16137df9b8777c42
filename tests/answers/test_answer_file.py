"""Files of approved answers: what an operator may write, and what he is told when it is wrong."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from kiosk.answers.answer_file import BETWEEN_QUESTIONS, answers_path, read_answers
from kiosk.dialogue.reply import clauses_of
from kiosk.errors import ConfigError
from kiosk.profile import PROFILES
from models.types import LANGUAGES

HEADER = "id,questions_zh,questions_en,answer_zh,answer_en,valid_from,valid_to"
ROW = 'hours,几点开门？ | 什么时候开门,"When do you open, please?",9点开门。,"We open at 9, daily.",,'
SHIPPED = sorted(path.stem for path in PROFILES.glob("*.toml"))


def written(folder: Path, *lines: str, encoding: str = "utf-8") -> Path:
    path = folder / "answers.csv"
    path.write_text("\n".join(lines) + "\n", encoding=encoding)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_row_is_read_whole(tmp_path: Path, encoding: str) -> None:
    (answer,) = read_answers(written(tmp_path, HEADER, ROW, "", ",,,,,,", encoding=encoding))
    assert answer.id == "hours"
    assert answer.questions["zh"] == ("几点开门？", "什么时候开门")
    assert answer.questions["en"] == ("When do you open, please?",)
    assert answer.answer == {"zh": "9点开门。", "en": "We open at 9, daily."}
    assert answer.holds_on(datetime.date(1999, 1, 1))


def test_days_without_columns_and_an_absent_file(tmp_path: Path) -> None:
    path = written(tmp_path, "answer_en,id,questions_zh,questions_en,answer_zh", "We open at 9.,hours,,When?,9点。")
    assert read_answers(path)[0].questions["zh"] == ()
    assert read_answers(tmp_path / "none.csv") == ()


def test_the_first_and_the_last_day_count(tmp_path: Path) -> None:
    row = ROW.removesuffix(",,") + ",2026-02-16,2026-02-22"
    (answer,) = read_answers(written(tmp_path, HEADER, row))
    held = [day for day in range(15, 24) if answer.holds_on(datetime.date(2026, 2, day))]
    assert held == list(range(16, 23))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["id,question_zh,questions_en,answer_zh,answer_en"], "line 1: unknown column 'question_zh'; did you mean"),
        (["id,questions_zh,answer_zh,answer_en"], "line 1: the column questions_en is missing"),
        ([HEADER, ROW, ROW.replace("几点开门？", "何时开门").replace("hours", "")], "line 3: id is empty"),
        ([HEADER, ROW.replace("9点开门。", "")], "line 2: answer_zh is empty"),
        ([HEADER, 'hours,,,9点。,"We open at 9.",,'], "line 2: hours has no question"),
        ([HEADER, ROW.replace('"', "")], "line 2: has more fields than the first line"),
        ([HEADER, ROW.removesuffix(",,") + ",1.5.2026,"], "line 2: '1.5.2026' is no date; write it like 2026-05-01"),
        ([HEADER, ROW.replace("9点开门。", "好" * 601)], "line 2: the answer has 601 characters; 600 at most"),
        ([HEADER, ROW, ROW], "the id hours is there twice"),
        ([HEADER, ROW, ROW.replace("hours", "times")], "hours and times share the question '几点开门？'; keep one"),
        ([HEADER, 'hours,"几点'], "unexpected end of data"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, lines: list[str], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_answers(written(tmp_path, *lines))
    assert said in caught.value.message
    assert str(tmp_path) in caught.value.message
    assert "\n" not in caught.value.message


def test_another_encoding_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="save it as CSV in UTF-8"):
        read_answers(written(tmp_path, HEADER, ROW, encoding="gb18030"))


def test_the_operators_file_comes_before_the_one_that_ships(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIOSK_DATA", str(tmp_path))
    shipped = answers_path("bank")
    assert shipped.is_file()
    own = tmp_path / "answers" / "bank.csv"
    own.parent.mkdir()
    own.write_text(HEADER + "\n" + ROW + "\n", encoding="utf-8")
    assert answers_path("bank") == own
    assert answers_path("booth") != own


@pytest.mark.parametrize("profile", SHIPPED)
def test_every_profile_ships_answers_that_can_be_spoken(profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIOSK_DATA", raising=False)
    answers = read_answers(answers_path(profile))
    assert len(answers) >= 40
    for answer in answers:
        for language in LANGUAGES:
            assert len(answer.questions[language]) >= 5, answer.id
            assert not any(BETWEEN_QUESTIONS in question for question in answer.questions[language])
            spoken = [clause.spoken for clause in clauses_of(answer.answer[language], language)]
            assert "".join(spoken), answer.id
            assert not any(character.isdigit() for line in spoken for character in line), spoken
