"""Without a network the program starts as with one, and nothing in it tries to reach one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lobby.program import Program
from tests.lobby.stage_set import StageSet

pytestmark = [pytest.mark.e2e, pytest.mark.weights]


def test_no_connection_is_attempted_and_nothing_waits_for_one(stage_set: StageSet, tmp_path: Path) -> None:
    """Start under strace in a network namespace without interfaces."""
    assert shutil.which("strace"), "strace is not installed; run `bash installer/test.sh` once"
    for name in ("CI", "GITHUB_ACTIONS"):  # some libraries are quiet by themselves where they think they are tested
        stage_set.env.pop(name, None)
    calls = tmp_path / "calls.txt"
    tracer = ("strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=connect,sendto", "-o", str(calls))
    with Program(stage_set, prefix=("unshare", "--net", *tracer)) as program:
        ready = program.seconds_until(program.wait_for("ready", 300))
        code, _, stderr = program.close(60)
    assert (code, stderr) == (0, "")
    print(f"ready without a network, traced, after {ready:.1f} s")
    outside = [
        line for line in calls.read_text(errors="replace").splitlines() if re.search(r"AF_INET6?|AF_PACKET", line)
    ]
    assert outside == []


def test_ask_answers_without_a_network() -> None:
    command = ["unshare", "--net", sys.executable, "main.py", "ask", "--text", "你们周六开门吗？"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "10点" in done.stdout
