"""A progress bar for the making of a film, on stderr."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import Progress


@contextlib.contextmanager
def film_progress() -> Iterator[Callable[[float], None]]:
    """Gives a function that takes the finished share, 0..1; silent when stderr is no terminal."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task("film", total=1.0)
        yield lambda share: bars.update(task, completed=share)
