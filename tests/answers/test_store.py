"""The answers' database: changes that can be undone, files that are taken over once, and crashes."""

from __future__ import annotations

import datetime
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kiosk.answers.answer_file import read_answers, shipped_path
from kiosk.answers.approved import Action, ApprovedAnswer
from kiosk.answers.store import MAX_CHANGES, AnswerStore
from kiosk.errors import ConfigError

BANK = read_answers(shipped_path("bank"))


def answer(name: str, question: str = "", said: str = "好。") -> ApprovedAnswer:
    return ApprovedAnswer(
        id=name, questions={"zh": (question or f"{name}？",), "en": ()}, answer={"zh": said, "en": "Yes."}
    )


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AnswerStore:
    monkeypatch.setenv("KIOSK_DATA", str(tmp_path))
    return AnswerStore()


def test_the_shipped_answers_are_taken_over_once(store: AnswerStore) -> None:
    assert store.answers("bank") == ()
    store.bring_in("bank")
    assert store.answers("bank") == BANK
    assert store.changes("bank") == ()
    store.remove("bank", BANK[0].id)
    store.bring_in("bank")
    assert store.answers("bank") == BANK[1:]


def test_the_operators_file_is_taken_over_whenever_it_changes(store: AnswerStore, tmp_path: Path) -> None:
    store.bring_in("bank")
    own = tmp_path / "answers" / "bank.csv"
    own.parent.mkdir()
    header = "id,questions_zh,questions_en,answer_zh,answer_en\n"
    own.write_text(header + "hours,几点开门？,,9点。,At 9.\n", encoding="utf-8")
    store.bring_in("bank")
    assert [a.id for a in store.answers("bank")] == ["hours"]
    store.put("bank", answer("mine"))
    store.bring_in("bank")
    assert [a.id for a in store.answers("bank")] == ["hours", "mine"]
    own.write_text(header + "hours,几点开门？,,10点。,At 10.\n", encoding="utf-8")
    store.bring_in("bank")
    assert [a.answer["zh"] for a in store.answers("bank")] == ["10点。"]
    assert [c.what for c in store.changes("bank")] == ["import bank.csv", "edit mine", "import bank.csv"]


def test_a_wrong_file_changes_nothing_and_is_tried_again(store: AnswerStore, tmp_path: Path) -> None:
    store.bring_in("bank")
    own = tmp_path / "answers" / "bank.csv"
    own.parent.mkdir()
    own.write_text("id,what\n", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(ConfigError, match="unknown column 'what'"):
            store.bring_in("bank")
    assert store.answers("bank") == BANK


def test_an_answer_keeps_all_it_has(store: AnswerStore) -> None:
    whole = ApprovedAnswer(
        id="map",
        questions={"zh": ("厕所在哪里？", "洗手间呢"), "en": ("Where is the toilet?",)},
        answer={"zh": "左边。", "en": 'On the left, "there".'},
        valid_from=datetime.date(2026, 1, 1),
        valid_to=datetime.date(2026, 12, 31),
        action=Action(kind="map", value="ground-floor.png"),
    )
    store.put("bank", whole)
    assert store.answers("bank") == (whole,)
    assert store.answers("booth") == ()


def test_each_change_is_undone_and_the_order_stays(store: AnswerStore) -> None:
    for name in ("a", "b", "c"):
        store.put("bank", answer(name))
    before = store.answers("bank")
    store.put("bank", answer("b", said="不。"))
    assert [a.id for a in store.answers("bank")] == ["a", "b", "c"]
    store.remove("bank", "a")
    store.merge("bank", [answer("c", said="也许。"), answer("d")], "import more.csv")
    assert [(a.id, a.answer["zh"]) for a in store.answers("bank")] == [("b", "不。"), ("c", "也许。"), ("d", "好。")]
    undone = [store.undo("bank") for _ in range(3)]
    assert [change.what for change in undone if change is not None] == ["import more.csv", "remove a", "edit b"]
    assert store.answers("bank") == before
    for _ in range(3):
        assert store.undo("bank") is not None
    assert store.undo("bank") is None
    assert store.answers("bank") == ()


def test_a_shared_question_is_refused_and_changes_nothing(store: AnswerStore) -> None:
    store.put("bank", answer("a", "几点开门？"))
    revision = store.revision("bank")
    with pytest.raises(ConfigError, match="a and b share the question"):
        store.put("bank", answer("b", "几点开门？"))
    with pytest.raises(ConfigError, match="there is no answer b in bank"):
        store.remove("bank", "b")
    assert [a.id for a in store.answers("bank")] == ["a"]
    assert store.revision("bank") == revision


def test_another_connection_sees_a_change_by_the_revision(store: AnswerStore) -> None:
    with AnswerStore() as other:
        seen = other.revision("bank")
        store.put("bank", answer("a"))
        assert other.revision("bank") > seen
        assert other.revision("booth") == 0
        assert [a.id for a in other.answers("bank")] == ["a"]


def test_old_changes_are_forgotten(store: AnswerStore) -> None:
    for number in range(MAX_CHANGES + 20):
        store.put("bank", answer("a", said=f"{number}。"))
    changes = store.changes("bank")
    assert len(changes) == MAX_CHANGES
    assert changes[0].number == MAX_CHANGES + 20


def test_a_damaged_or_newer_database_is_named(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"no database at all, but long enough to be read as one" * 100)
    with pytest.raises(ConfigError, match=r"damaged\.db: cannot be used"):
        AnswerStore(damaged)
    newer = tmp_path / "newer.db"
    AnswerStore(newer).close()
    with sqlite3.connect(newer) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(ConfigError, match="newer version"):
        AnswerStore(newer)


WRITER = """
import sys
from pathlib import Path
from kiosk.answers.approved import ApprovedAnswer
from kiosk.answers.store import AnswerStore
store = AnswerStore(Path(sys.argv[1]))
def made(number, said):
    questions = {"zh": (f"问题{number}？",), "en": ()}
    return ApprovedAnswer(id=f"a{number}", questions=questions, answer={"zh": said, "en": said})
print("ready", flush=True)
turn = 0
while True:
    turn += 1
    store.replace_all("bank", [made(number, f"第{turn}版。") for number in range(300)], f"import {turn}")
    store.put("bank", made(7, f"第{turn}版，改过。"))
    store.undo("bank")
"""


@pytest.mark.parametrize("seed", range(10))
def test_killed_at_any_moment_nothing_is_half_written(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "house.db"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"ready\n"
    time.sleep(random.Random(seed).uniform(0.0, 0.5))
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    with AnswerStore(path) as store:
        answers = store.answers("bank")
        assert len(answers) in (0, 300)
        versions = {a.answer["zh"] for a in answers if "改过" not in a.answer["zh"]}
        assert len(versions) <= 1
        changed = [a.id for a in answers if "改过" in a.answer["zh"]]
        assert changed in ([], ["a7"])
        while store.undo("bank") is not None:
            pass
        assert store.answers("bank") == ()
        (verdict,) = store._database.execute("PRAGMA integrity_check").fetchone()
        assert verdict == "ok"
