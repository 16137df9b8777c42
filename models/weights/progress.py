"""How long work on weights tells about its progress."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Shows one task at a time."""

    def begin(self, task: str, total_bytes: int) -> None:
        """A task starts; its size is in bytes, also for work that is only counted in bytes for display."""
        ...

    def update(self, done_bytes: int) -> None:
        """So much of the present task is done, from its beginning."""
        ...

    def end(self) -> None:
        """The present task is over, done or not."""
        ...

    def note(self, line: str) -> None:
        """One line that is worth reading, such as why another source is used."""
        ...


class Silent:
    """Shows nothing."""

    def begin(self, task: str, total_bytes: int) -> None:
        """See `Progress`."""

    def update(self, done_bytes: int) -> None:
        """See `Progress`."""

    def end(self) -> None:
        """See `Progress`."""

    def note(self, line: str) -> None:
        """See `Progress`."""
