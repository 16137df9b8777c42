"""The scripted language model as a process of its own, with what can befall one: killed, stopped, starved."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import threading
import time
from types import TracebackType
from typing import Literal, TypeAlias, get_args

from tests.lobby.program import ROOT

Fault: TypeAlias = Literal["killed", "stopped", "starved"]
FAULTS: tuple[Fault, ...] = get_args(Fault)
PIECE_S = 0.25
"""Slower than it is spoken at first, so that a fault finds it in the middle of an answer."""
RUNS_S, STANDS_S = 0.01, 1.5
"""Of a starved process, in turn."""


class ModelProcess:
    """A context manager; it listens when it is entered."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = int(free.getsockname()[1])
        self._process: subprocess.Popen[bytes] | None = None
        self._starving: threading.Thread | None = None
        self._is_well = threading.Event()

    def __enter__(self) -> ModelProcess:
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._let_go()
        self._kill()

    @property
    def config(self) -> str:
        """A table of the configuration file."""
        return f'[language_model]\nengine = "server"\nserver_url = "http://127.0.0.1:{self._port}/v1"\n'

    def suffer(self, fault: Fault) -> None:
        """Let it happen, until `recover`."""
        if fault == "killed":
            self._kill()
        elif fault == "stopped":
            self._send(signal.SIGSTOP)
        else:
            self._is_well.clear()
            self._starving = threading.Thread(target=self._starve, name="starving model")
            self._starving.start()

    def recover(self) -> None:
        """As before the fault."""
        self._let_go()
        if self._process is None:
            self._start()

    def _start(self) -> None:
        command = [sys.executable, "-m", "tests.lobby.scripted_model", str(self._port), str(PIECE_S)]
        self._process = subprocess.Popen(command, cwd=ROOT)
        deadline = time.monotonic() + 30
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 1):
                return
            assert time.monotonic() < deadline, "the scripted model does not listen"
            time.sleep(0.05)

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _let_go(self) -> None:
        self._is_well.set()
        if self._starving is not None:
            self._starving.join()
            self._starving = None
        if self._process is not None:
            self._send(signal.SIGCONT)

    def _starve(self) -> None:
        while not self._is_well.is_set():
            self._send(signal.SIGCONT)
            time.sleep(RUNS_S)
            self._send(signal.SIGSTOP)
            self._is_well.wait(STANDS_S)

    def _send(self, what: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(what)
