"""What `doctor` says about a running kiosk, and the health file that it reads: with real processes."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kiosk.cli.root import app
from kiosk.cli.running_kiosk import describe, duration
from kiosk.health_file import HealthFile, health_path, read_health
from kiosk.operator_facts import (
    DeviceFacts,
    ErrorFacts,
    OperatorFacts,
    StageFacts,
    TurnFacts,
    from_table,
    to_table,
)
from kiosk.paths import ROOT

AFTERNOON_S = time.mktime((2026, 5, 4, 14, 3, 0, 0, 0, -1))
FACTS = OperatorFacts(
    pid=os.getpid(),
    started_after_boot_s=12.5,
    written_ns=1_000_000_000_000,
    uptime_s=3 * 3600 + 100,
    phase="listening",
    stages=(
        StageFacts(name="recogniser", state="idle", since_s=AFTERNOON_S, restarts=1, restarted_at_s=AFTERNOON_S),
        StageFacts(name="voice", state="working", since_s=AFTERNOON_S, turn_id=4),
    ),
    microphone=DeviceFacts(name="话筒 (hw:1)", state="ok", level=0.25),
    turns=(TurnFacts(at_s=AFTERNOON_S, parts_ms={"recogniser": 90.0, "total": 1500.5}),),
    av_offset_ms=-3.0,
    errors=(ErrorFacts(at_s=AFTERNOON_S, stage="recogniser", message="recogniser: no progress for 11 s"),),
)
NOW_NS = FACTS.written_ns + 1_500_000_000


@pytest.mark.parametrize(
    ("seconds", "text"), [(5, "5 s"), (61, "1 min"), (3 * 3600 + 50, "3 h"), (26 * 3600, "26 h"), (200_000, "2 days")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_restart_is_told_with_its_time() -> None:
    assert describe(FACTS, NOW_NS) == (True, "running for 3 h, recogniser restarted once (14:03)")


def test_many_restarts_and_a_lost_stage_are_told() -> None:
    stages = (
        dataclasses.replace(FACTS.stages[0], restarts=3),
        dataclasses.replace(FACTS.stages[1], state="restarting"),
    )
    assert describe(dataclasses.replace(FACTS, stages=stages), NOW_NS) == (
        False,
        "running for 3 h, voice restarting, recogniser restarted 3 times (last at 14:03)",
    )


def test_out_of_service_comes_with_its_reason() -> None:
    assert describe(dataclasses.replace(FACTS, phase="error"), NOW_NS) == (
        False,
        "running for 3 h, out of service: recogniser: no progress for 11 s",
    )


def test_a_window_that_hangs_is_told() -> None:
    is_well, text = describe(FACTS, FACTS.written_ns + 40_000_000_000)
    assert not is_well
    assert "not moved for 40 s" in text
    assert str(os.getpid()) in text


def test_facts_survive_the_file() -> None:
    assert from_table(json.loads(json.dumps(to_table(FACTS)))) == FACTS


@pytest.mark.parametrize(
    "table", [None, [], {}, {"format": 0}, {**to_table(FACTS), "more": 1}, {"format": 1, "pid": 3}]
)
def test_another_format_is_not_read(table: object) -> None:
    assert from_table(table) is None


PROGRAM = """
import sys, time
from kiosk.events import StageError
from kiosk.health_file import HealthFile, health_path
from kiosk.operator_facts import DeviceFacts
from kiosk.pipeline.operator_log import OperatorLog
from kiosk.pipeline.progress import Progress, StageState

log, file, progress = OperatorLog(), HealthFile(health_path()), Progress("voice")
progress.enter(StageState.WORKING, 7)
log.note_error(StageError(turn_id=7, stage="voice", message="voice: no progress for 11 s", is_permanent=False))
for number in range(7):
    log.note_turn({"total": number})
device = DeviceFacts(name="card", state="ok")
file.hand_over(log.facts("speaking", [progress.report()], device, device, 2.0))
print("handed over", flush=True)
sys.stdin.readline()
file.close()
"""


@pytest.fixture
def kiosk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Starts processes that write a health file as the kiosk does."""
    monkeypatch.setenv("KIOSK_DATA", str(tmp_path / "数据 folder"))
    made: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        made.append(
            subprocess.Popen(
                [sys.executable, "-c", PROGRAM], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        )
        assert made[-1].stdout is not None
        assert made[-1].stdout.readline().strip() == "handed over"
        wait_for(health_path().exists)
        return made[-1]

    yield start
    for process in made:
        process.kill()
        process.communicate()


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_running_kiosk_is_read_and_leaves_no_file(kiosk: Callable[[], subprocess.Popen[str]]) -> None:
    process = kiosk()
    facts = read_health(health_path())
    assert facts is not None
    assert facts.pid == process.pid
    assert (facts.phase, facts.stages[0].state, facts.stages[0].turn_id) == ("speaking", "working", 7)
    assert [turn.parts_ms["total"] for turn in facts.turns] == [6, 5, 4, 3, 2]
    assert facts.errors[0].message == "voice: no progress for 11 s"
    assert facts.resident_bytes > 10_000_000
    is_well, text = describe(facts, time.monotonic_ns())
    assert is_well
    assert text.startswith("running for ")
    process.communicate("end\n", timeout=10)
    assert list(health_path().parent.iterdir()) == []


def test_what_a_crash_left_behind_is_no_running_kiosk(kiosk: Callable[[], subprocess.Popen[str]]) -> None:
    process = kiosk()
    process.send_signal(signal.SIGKILL)
    wait_for(lambda: read_health(health_path()) is None)  # a zombie until somebody waits for it
    process.wait(10)
    assert health_path().exists()
    assert read_health(health_path()) is None


def test_another_process_with_the_same_number_is_no_running_kiosk(
    kiosk: Callable[[], subprocess.Popen[str]],
) -> None:
    kiosk()
    table = json.loads(health_path().read_text(encoding="utf-8"))
    health_path().write_text(json.dumps({**table, "pid": os.getpid()}), encoding="utf-8")
    assert read_health(health_path()) is None


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"format": 1}'])
def test_a_damaged_file_is_no_running_kiosk(tmp_path: Path, content: str) -> None:
    path = tmp_path / "health.json"
    path.write_text(content, encoding="utf-8")
    assert read_health(path) is None


def test_a_folder_that_cannot_be_written_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    file = HealthFile(tmp_path / "file" / "health.json")
    for _ in range(3):
        file.hand_over(FACTS)
        wait_for(lambda: file._next is None)
    file.close()
    assert caplog.text.count("cannot be written") == 1
    file.hand_over(FACTS)
    file.close()


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be replaced there")
def test_a_reader_never_finds_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "health.json"
    file = HealthFile(path)
    file.hand_over(FACTS)
    wait_for(path.exists)
    with path.open(encoding="utf-8") as reader:
        newer = dataclasses.replace(FACTS, uptime_s=1.0)
        file.hand_over(newer)
        wait_for(lambda: from_table(json.loads(path.read_text(encoding="utf-8"))) == newer)
        assert from_table(json.loads(reader.read())) == FACTS, "whoever had it open reads the old one to its end"
    file.close()
    assert list(tmp_path.iterdir()) == []


def test_doctor_has_a_line_and_a_table_for_it(
    kiosk: Callable[[], subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kiosk.cli.doctor.examine", lambda _load: iter(()))  # the other rows take seconds
    runner = CliRunner()
    assert "not running" in runner.invoke(app, ["doctor"]).output
    assert json.loads(runner.invoke(app, ["doctor", "--json"]).output)["kiosk"] is None
    process = kiosk()
    assert "running for" in runner.invoke(app, ["doctor"]).output
    report = json.loads(runner.invoke(app, ["doctor", "--json"]).output)
    assert report["kiosk"]["pid"] == process.pid
    assert report["kiosk"]["age_s"] < 60
    assert report["rows"][-1]["part"] == "kiosk"
