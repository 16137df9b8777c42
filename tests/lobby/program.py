"""The program under test, run as a visitor's machine would run it, and its trace."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import psutil

from tests.lobby.stage_set import StageSet

ROOT = Path(__file__).resolve().parents[2]
Line = dict[str, Any]


class Program:
    """`python main.py …` in a stage set; a context manager that closes the window at the end."""

    def __init__(
        self,
        stage_set: StageSet,
        *arguments: str,
        prefix: tuple[str, ...] = (),
        env: dict[str, str] | None = None,
    ) -> None:
        self._set = stage_set
        self._arguments = arguments
        self._prefix = prefix
        self._env = stage_set.env if env is None else env
        self._trace = stage_set.folder / f"trace-{time.monotonic_ns()}.jsonl"
        self._trace_bytes = 0  # of the trace, read so far
        self._read = 0
        self._started_ns = time.monotonic_ns()
        self.lines: list[Line] = []
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Program:
        command = [
            *self._prefix,
            sys.executable,
            "main.py",
            "--windowed",
            "--trace",
            str(self._trace),
            *self._arguments,
        ]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=self._env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def wait_for(self, what: str, timeout_s: float, matches: Callable[[Line], bool] = lambda line: True) -> Line:
        """Wait for a line of the trace that comes after those already waited for."""
        deadline = time.monotonic() + timeout_s
        while True:
            self._refresh()
            while self._read < len(self.lines):
                line = self.lines[self._read]
                self._read += 1
                if line["what"] == what and matches(line):
                    return line
            if self.process is not None and self.process.poll() is not None:
                raise RuntimeError(
                    f"the program ended with {self.process.returncode}: {self.process.communicate()[1]}"
                )
            if time.monotonic() > deadline:
                last = [line["what"] for line in self.lines[-8:]]
                raise TimeoutError(f"no {what!r} within {timeout_s:.0f} s; the last lines were {last}")
            time.sleep(0.02)

    def wait_in(self, phase: str, timeout_s: float) -> None:
        """Wait until the kiosk is in a phase; it may be in it already."""
        self._refresh()
        newest = next((line["phase"] for line in reversed(self.lines) if line["what"] == "phase"), "")
        self._read = len(self.lines)
        if newest != phase:
            self.wait_for("phase", timeout_s, lambda line: line["phase"] == phase)

    def seconds_until(self, line: Line) -> float:
        """Seconds from the program's start to a line."""
        return float(line["t"] - self._started_ns) / 1e9

    def since(self, line: Line) -> list[Line]:
        """All lines from this one on."""
        self._refresh()
        return self.lines[self.lines.index(line) :]

    def after(self, at_ns: int) -> list[Line]:
        """All lines from a time on, time.monotonic_ns()."""
        self._refresh()
        first = len(self.lines)
        while first and self.lines[first - 1]["t"] >= at_ns:
            first -= 1
        return self.lines[first:]

    def unread(self) -> list[Line]:
        """Lines that came after those already waited for or skipped."""
        self._refresh()
        return self.lines[self._read :]

    def skip(self) -> None:
        """Do not look at what was traced so far."""
        self._refresh()
        self._read = len(self.lines)

    def close(self, timeout_s: float = 10) -> tuple[int, float, str]:
        """Close as the operator does.

        Returns:
            Exit code, seconds until the process was gone, and what it wrote to stderr.
        """
        assert self.process is not None
        started = time.monotonic()
        os.kill(self._python_pid(), signal.SIGTERM)
        _, stderr = self.process.communicate(timeout=timeout_s)
        return self.process.returncode, time.monotonic() - started, stderr

    def _python_pid(self) -> int:
        """The interpreter, which may be a child of what it was started with, such as a tracer."""
        assert self.process is not None
        family = [psutil.Process(self.process.pid)]
        family += family[0].children(recursive=True)
        return next(p.pid for p in family if p.cmdline()[1:2] == ["main.py"])

    def _refresh(self) -> None:
        if self._trace.exists():
            with self._trace.open("rb") as file:
                file.seek(self._trace_bytes)
                data = file.read()
            whole = data[: data.rfind(b"\n") + 1]  # the last line may still be growing
            self._trace_bytes += len(whole)
            self.lines += [json.loads(line) for line in whole.decode("utf-8").splitlines()]
