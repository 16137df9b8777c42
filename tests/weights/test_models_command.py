"""The command `models` as people and scripts meet it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from kiosk.paths import ROOT


def models(*arguments: str, checkpoints: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"KIOSK_CHECKPOINTS": str(checkpoints), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}
    command = [sys.executable, str(ROOT / "main.py"), "models", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", check=False)


def test_list_prints_json_alone_on_stdout(tmp_path: Path) -> None:
    done = models("list", "--json", checkpoints=tmp_path)
    rows = json.loads(done.stdout)
    assert done.returncode == 0
    assert {"name", "licence", "commercial", "home", "revision", "state", "files"} <= rows[0].keys()
    assert {row["state"] for row in rows if row["name"] != "hibari"} == {"absent"}


def test_list_shows_every_name_for_people(tmp_path: Path) -> None:
    done = models("list", checkpoints=tmp_path)
    assert done.returncode == 0
    for word in ("whisper-base *", "Apache-2.0", "absent", "1066 MiB"):
        assert word in done.stdout


def test_verify_of_nothing_fails_in_one_line(tmp_path: Path) -> None:
    done = models("verify", "silero-vad", checkpoints=tmp_path)
    assert (done.returncode, done.stdout) == (1, "silero-vad: absent\n")
    assert done.stderr == "error: 1 of the weights are not right; run `python main.py models fetch`\n"


def test_an_unknown_name_fails_in_one_line(tmp_path: Path) -> None:
    done = models("fetch", "silero", checkpoints=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "error: no weights are called silero; did you mean silero-vad?\n"
