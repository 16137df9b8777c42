"""Where things lie. The one place that reads the environment for places."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESOURCES = ROOT / "resources"


def checkpoints_dir() -> Path:
    """The folder of the weights: KIOSK_CHECKPOINTS, or checkpoints/ beside the program."""
    return Path(os.environ.get("KIOSK_CHECKPOINTS", ROOT / "checkpoints"))


def data_dir() -> Path:
    """The folder of what this machine adds (avatars, logs, settings): KIOSK_DATA, or the user's data folder."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(os.environ.get("KIOSK_DATA", Path(base) / "kiosk"))


def cache_dir() -> Path:
    """The folder of what can be computed anew: KIOSK_CACHE, or the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("KIOSK_CACHE", Path(base) / "kiosk"))
