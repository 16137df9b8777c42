"""The health file: the running kiosk's facts as JSON in the data folder, for `doctor` and other programs to read.

The kiosk writes it every two seconds and removes it at its end. One that a crash left behind is told by its process.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import threading
import time
from pathlib import Path

import psutil

from kiosk.operator_facts import OperatorFacts, from_table, to_table
from kiosk.paths import data_dir

log = logging.getLogger("health")

EVERY_S = 2.0
"""How often the kiosk writes."""
SILENT_AFTER_S = 15.0
"""A running kiosk that has not written for so long hangs."""
CLOSE_WAIT_S = 1.0
"""For a write that a slow disk holds up."""


def health_path() -> Path:
    """Where the kiosk of this data folder writes."""
    return data_dir() / "health.json"


def started_after_boot_s(pid: int) -> float:
    """When a process began; the clock of the day does not matter.

    Raises:
        psutil.Error: There is no such process.
    """
    boot_s = psutil.boot_time()  # asked first: the next call uses the same answer
    return float(round(psutil.Process(pid).create_time() - boot_s, 2))


class HealthFile:
    """Writes the facts in a thread of its own, so that a slow disk never holds up the picture."""

    def __init__(self, path: Path) -> None:
        """Nothing is written or started before the first `hand_over`."""
        self._path = path
        self._changed = threading.Condition()
        self._next: OperatorFacts | None = None
        self._is_closed = False
        self._was_refused = False
        self._thread: threading.Thread | None = None

    def hand_over(self, facts: OperatorFacts) -> None:
        """Have the facts written; returns at once. Newer facts replace those not written yet."""
        with self._changed:
            if self._is_closed:
                return
            self._next = facts
            self._changed.notify()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="health", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """End the thread and remove the file; may be called twice."""
        with self._changed:
            if self._is_closed:
                return
            self._is_closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(CLOSE_WAIT_S)
            with contextlib.suppress(OSError):
                self._path.unlink()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._is_closed or self._next is not None)
                facts, self._next = self._next, None
                if self._is_closed or facts is None:
                    return
            self._write(facts)

    def _write(self, facts: OperatorFacts) -> None:
        draft = self._path.with_suffix(f".{os.getpid()}.tmp")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(json.dumps(to_table(facts), ensure_ascii=False), encoding="utf-8")
            draft.replace(self._path)
        except OSError as error:
            if not self._was_refused:  # a full or read-only disk is no reason not to run
                log.warning("%s cannot be written (%s)", self._path, error.strerror)
            self._was_refused = True
            with contextlib.suppress(OSError):
                draft.unlink()


def read_health(path: Path) -> OperatorFacts | None:
    """The facts of the kiosk that runs now; None when none does, whatever an old file says."""
    try:
        facts = from_table(json.loads(path.read_text(encoding="utf-8")))
        if facts is None or abs(started_after_boot_s(facts.pid) - facts.started_after_boot_s) > 0.5:
            return None
        is_running = psutil.Process(facts.pid).status() != psutil.STATUS_ZOMBIE
    except (OSError, ValueError, psutil.Error):
        return None
    return facts if is_running else None


def silent_for_s(facts: OperatorFacts, now_ns: int | None = None) -> float:
    """Seconds since the facts were true."""
    return ((time.monotonic_ns() if now_ns is None else now_ns) - facts.written_ns) / 1e9
