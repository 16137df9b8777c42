"""Log and crash files. What visitors say and what the kiosk answers is personal: never above DEBUG."""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import logging.handlers
from pathlib import Path
from typing import TextIO

FORMAT = "%(asctime)s %(levelname)-7s %(name)s [%(threadName)s] %(message)s"
MAX_BYTES = 2_000_000
BACKUP_COUNT = 3

_crash_file: TextIO | None = None


def start_logging(folder: Path, *, debug: bool = False) -> Path | None:
    """Write a rotating log and a crash file into the folder.

    A full or read-only disk is no reason not to run: logging is then left out.

    Args:
        folder: Made if absent.
        debug: Log personal words as well; for engineers, on a machine of their own.

    Returns:
        The log file, or None when the folder cannot be written.
    """
    global _crash_file
    root = logging.getLogger()
    root.setLevel(logging.DEBUG if debug else logging.INFO)
    logging.raiseExceptions = False  # a full disk must not print tracebacks for each line
    for chatty in ("faster_whisper", "httpx", "jieba", "matplotlib", "numba", "OpenGL", "asyncio"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(
            folder / "kiosk.log", maxBytes=MAX_BYTES, backupCount=BACKUP_COUNT, encoding="utf-8"
        )
        _crash_file = (folder / "crash.log").open("a", encoding="utf-8")
        faulthandler.enable(_crash_file)
    except OSError:
        root.addHandler(logging.NullHandler())
        with contextlib.suppress(RuntimeError, ValueError):
            faulthandler.enable()
        return None
    handler.setFormatter(logging.Formatter(FORMAT))
    root.addHandler(handler)
    return folder / "kiosk.log"
