"""Settings for PulseAudio's client library, which ALSA's default device and with it PortAudio go through.

WORKAROUND https://gitlab.freedesktop.org/pulseaudio/pulseaudio (version 16.1; no report known): if the server goes
away while a recorded piece lies in memory that both share, the library waits for ever for the piece to be given
back, with the lock held that giving it back needs; every later call of PortAudio then waits, too. It happened now
and then when the server was restarted on a busy machine. Without shared memory there is nothing to wait for, and
the sound of a kiosk is a few hundred kB/s.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from kiosk.files import replace_file
from kiosk.paths import cache_dir

log = logging.getLogger("audio")

VARIABLE = "PULSE_CLIENTCONFIG"
"""Names the one file that the library reads."""
SYSTEM_FILE = Path("/etc/pulse/client.conf")
SETTINGS = "enable-shm = no\nenable-memfd = no\n"


@contextlib.contextmanager
def no_shared_memory() -> Iterator[None]:
    """What is opened meanwhile shares no memory with the server; all else stays as the machine's files say.

    For recording alone: a loudspeaker without shared memory falls silent for half a second when the output moves.
    Where nothing can be written, nothing is changed.
    """
    before = os.environ.get(VARIABLE)
    path = _written(before) if sys.platform.startswith("linux") else None
    if path is None:
        yield
        return
    os.environ[VARIABLE] = str(path)
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(VARIABLE, None)
        else:
            os.environ[VARIABLE] = before


def _written(named: str | None) -> Path | None:
    """The file with our settings behind those of the machine."""
    path = cache_dir() / "pulse-client.conf"
    lines = [f".include {file}\n" for file in _files(named) if file != path]
    content = ("".join(lines) + SETTINGS).encode()
    try:
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, content)
    except OSError as error:
        log.warning("%s cannot be written (%s); a restart of the sound server may need one of ours", path, error)
        return None
    return path


def _files(named: str | None) -> list[Path]:
    """What the library would read: the file that is named, or the user's own, or the system's with its folder."""
    if named:
        return [Path(named)]
    own = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "pulse" / "client.conf"
    if own.is_file():
        return [own]
    if SYSTEM_FILE.is_file():
        return [SYSTEM_FILE, *sorted(SYSTEM_FILE.with_name("client.conf.d").glob("*.conf"))]
    return []
