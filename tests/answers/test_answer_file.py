"""Files of approved answers: what an operator may write, and what he is told when it is wrong."""

from __future__ import annotations

import datetime
from pathlib import Path

import openpyxl
import pytest

from kiosk.answers.answer_file import BETWEEN_QUESTIONS, read_answers, shipped_path, write_answers
from kiosk.answers.approved import Action
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


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_what_is_written_is_read_again(tmp_path: Path, ending: str) -> None:
    row = 'map,"=1+1 | ""厕所""在哪里？",Where?,"左边，\n请看地图。",On the left.,2026-01-01,,map:floor.png'
    answers = read_answers(written(tmp_path, HEADER + ",action", ROW + ",", row))
    assert answers[1].action == Action(kind="map", value="floor.png")
    assert answers[1].questions["zh"][0] == "=1+1"
    path = tmp_path / f"out.{ending}"
    write_answers(path, answers)
    assert read_answers(path) == answers
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


@pytest.mark.parametrize("profile", SHIPPED)
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_the_shipped_answers_survive_a_round_trip(tmp_path: Path, profile: str, ending: str) -> None:
    answers = read_answers(shipped_path(profile))
    path = tmp_path / f"{profile}.{ending}"
    write_answers(path, answers)
    assert read_answers(path) == answers


def test_a_date_cell_of_a_spreadsheet_is_a_date(tmp_path: Path) -> None:
    path = tmp_path / "dates.xlsx"
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(HEADER.split(","))
    sheet.append(
        ["hours", "几点开门？", None, "9点。", "At 9.", datetime.datetime(2026, 5, 1), datetime.date(2026, 6, 1)]
    )
    sheet.append([None, None])
    book.save(path)
    (answer,) = read_answers(path)
    assert (answer.valid_from, answer.valid_to) == (datetime.date(2026, 5, 1), datetime.date(2026, 6, 1))


def test_a_wrong_spreadsheet_is_named(tmp_path: Path) -> None:
    path = tmp_path / "no.xlsx"
    path.write_bytes(b"PK nothing of the kind")
    with pytest.raises(ConfigError, match="is no readable XLSX file"):
        read_answers(path)
    with pytest.raises(ConfigError, match=r"ends in \.csv or \.xlsx"):
        write_answers(tmp_path / "answers.ods", ())
    with pytest.raises(ConfigError, match="cannot be written"):
        write_answers(tmp_path / "none" / "answers.csv", ())


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("dance", "unknown action 'dance'; use one of picture"),
        ("qr", "the action qr needs a value"),
        ("picture:../secret.png", "is no file name"),
    ],
)
def test_a_wrong_action_is_said_in_one_line(tmp_path: Path, action: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_answers(written(tmp_path, HEADER + ",action", f"{ROW},{action}"))
    assert said in caught.value.message


@pytest.mark.parametrize("profile", SHIPPED)
def test_every_profile_ships_answers_that_can_be_spoken(profile: str) -> None:
    answers = read_answers(shipped_path(profile))
    assert len(answers) >= 40
    for answer in answers:
        for language in LANGUAGES:
            assert len(answer.questions[language]) >= 5, answer.id
            assert not any(BETWEEN_QUESTIONS in question for question in answer.questions[language])
            spoken = [clause.spoken for clause in clauses_of(answer.answer[language], language)]
            assert "".join(spoken), answer.id
            assert not any(character.isdigit() for line in spoken for character in line), spoken
