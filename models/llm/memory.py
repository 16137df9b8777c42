"""Says before loading whether a network will fit into memory."""

from __future__ import annotations

from pathlib import Path

import psutil

from models.errors import CheckpointError

GIB = 1 << 30
RUNTIME_BYTES = 200 << 20
"""What an engine needs beside weights and cache: libraries, buffers of one step."""
RESERVE_SHARE = 0.05
"""Of the free memory, left to the rest of the machine."""


def fits_memory(need_bytes: int, free_bytes: int | None = None) -> bool:
    """True when weights and cache of that size fit beside the rest.

    Args:
        need_bytes: Weights and cache as the engine will hold them.
        free_bytes: Of the device; None: of this machine.
    """
    free = psutil.virtual_memory().available if free_bytes is None else free_bytes
    return need_bytes + RUNTIME_BYTES <= free * (1 - RESERVE_SHARE)


def require_memory(path: Path, need_bytes: int, free_bytes: int | None = None) -> None:
    """Refuse weights that do not fit.

    Args:
        path: What is about to be loaded.
        need_bytes: Weights and cache as the engine will hold them.
        free_bytes: Of the device; None: of this machine.

    Raises:
        CheckpointError: They do not fit; says how much is needed and how much is free.
    """
    free = psutil.virtual_memory().available if free_bytes is None else free_bytes
    need = need_bytes + RUNTIME_BYTES
    if not fits_memory(need_bytes, free):
        raise CheckpointError(
            path,
            f"needs {need / GIB:.1f} GiB of memory, {free / GIB:.1f} GiB are free",
            "choose a smaller model or close other programs",
        )
