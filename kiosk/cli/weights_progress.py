"""Shows the progress of work on weights on stderr: bars on a terminal, lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from models.weights.progress import Progress as WeightsProgress


@contextmanager
def show_progress() -> Iterator[WeightsProgress]:
    """Give a `models.weights.progress.Progress` that people can read."""
    console = Console(stderr=True, soft_wrap=True)
    if not console.is_terminal:
        yield _Lines(console)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as bars:
        yield _Bars(bars, console)


class _Bars:
    """One bar, moved on from task to task; finished ones stay above it."""

    def __init__(self, bars: Progress, console: Console) -> None:
        self._bars = bars
        self._console = console
        self._task: TaskID | None = None

    def begin(self, task: str, total_bytes: int) -> None:
        """See `models.weights.progress.Progress`."""
        self._task = self._bars.add_task(task, total=total_bytes)

    def update(self, done_bytes: int) -> None:
        """See `models.weights.progress.Progress`."""
        if self._task is not None:
            self._bars.update(self._task, completed=done_bytes)

    def end(self) -> None:
        """See `models.weights.progress.Progress`."""
        self._task = None

    def note(self, line: str) -> None:
        """See `models.weights.progress.Progress`."""
        self._console.print(line, markup=False, highlight=False)


class _Lines:
    """For logs: a line when a task starts."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def begin(self, task: str, total_bytes: int) -> None:
        """See `models.weights.progress.Progress`."""
        self.note(f"{task} ({total_bytes / 2**20:.1f} MiB)")

    def update(self, done_bytes: int) -> None:
        """See `models.weights.progress.Progress`."""

    def end(self) -> None:
        """See `models.weights.progress.Progress`."""

    def note(self, line: str) -> None:
        """See `models.weights.progress.Progress`."""
        self._console.print(line, markup=False, highlight=False)
