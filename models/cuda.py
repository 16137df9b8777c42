"""What CTranslate2 needs from CUDA beside the driver."""

from __future__ import annotations

import ctypes
import importlib.metadata
from pathlib import Path

CUBLAS_PACKAGE = "nvidia-cublas-cu12"
CUBLAS_FILES = ("libcublasLt.so.12", "libcublas.so.12")
"""In the order in which they need each other. CTranslate2 looks the second one up by this name, on first use."""


def load_cublas() -> bool:
    """Make cuBLAS 12 known to the process, so that CTranslate2 finds it.

    The Python package keeps the library where the dynamic linker does not look; once it is loaded, its name is
    enough.
    (PyTorch brings cuBLAS 13, which CTranslate2 does not take.)

    Returns:
        Whether cuBLAS 12 can be used; without it CTranslate2 works on the CPU alone.
    """
    return all(_load(name) for name in CUBLAS_FILES)


def _load(name: str) -> bool:
    for candidate in (_in_package(name), name):
        if candidate is None:
            continue
        try:
            ctypes.CDLL(str(candidate), mode=ctypes.RTLD_GLOBAL)
        except OSError:
            continue
        return True
    return False


def _in_package(name: str) -> Path | None:
    try:
        files = importlib.metadata.files(CUBLAS_PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((Path(str(file.locate())) for file in files if file.name == name), None)
