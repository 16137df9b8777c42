"""A trace of a run for tests and engineers: one JSON line per thing that happened, with time.monotonic_ns().

Off unless `--trace FILE` is given, because it holds what visitors say.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TextIO

from kiosk.errors import ConfigError


class Trace:
    """Writes lines such as {"t": 123, "what": "phase", "phase": "listening"}; does nothing without a file."""

    def __init__(self, path: Path | None) -> None:
        """Open the file.

        Raises:
            ConfigError: It cannot be written.
        """
        self._file: TextIO | None = None
        if path is not None:
            try:
                self._file = path.open("w", encoding="utf-8")
            except OSError as error:
                raise ConfigError(
                    "bad-trace", f"{path}: cannot be written ({error.strerror}); check --trace"
                ) from error

    def write(self, what: str, **fields: object) -> None:
        """Add one line."""
        if self._file is not None:
            line = {"t": time.monotonic_ns(), "what": what, **fields}
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._file.flush()

    def close(self) -> None:
        """End the file; may be called twice."""
        if self._file is not None:
            self._file.close()
            self._file = None
