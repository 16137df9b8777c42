"""What can go wrong with a network: every message is one line that says what to do."""

from __future__ import annotations

from pathlib import Path


class ModelError(RuntimeError):
    """A model cannot be loaded or cannot do what was asked. The text is one line for the operator with the remedy."""


class CheckpointError(ModelError):
    """A weights file is absent, damaged, of the wrong architecture or not safe to read."""

    def __init__(self, path: Path, reason: str, remedy: str = "run `python main.py models fetch`") -> None:
        super().__init__(f"{path}: {reason}; {remedy}")
        self.path = path
        self.reason = reason


class ModelInputError(ModelError):
    """The input has a shape, rate or length that the model does not take."""
