"""Finding cuBLAS inside its Python package."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from models import cuda


def test_without_the_package_the_answer_is_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "CUBLAS_PACKAGE", "kiosk-test-absent")
    monkeypatch.setattr(cuda, "CUBLAS_FILES", ("libkiosk-absent.so.12",))
    assert not cuda.load_cublas()


@pytest.mark.parametrize(("is_library", "expected"), [(True, True), (False, False)])
def test_the_libraries_of_the_package_are_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_library: bool, expected: bool
) -> None:
    stand_in = importlib.util.find_spec("markupsafe._speedups")
    assert stand_in is not None
    assert stand_in.origin is not None
    folder = tmp_path / "库 lib"
    folder.mkdir()
    names = ("libkiosk-test-a.so.12", "libkiosk-test-b.so.12")
    for name in names:
        (folder / name).write_bytes(Path(stand_in.origin).read_bytes() if is_library else b"no library")
    info = tmp_path / "kiosk_test_cublas-12.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: kiosk-test-cublas\nVersion: 12.0\n", encoding="utf-8"
    )
    (info / "RECORD").write_text("".join(f"库 lib/{name},,\n" for name in names), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(cuda, "CUBLAS_PACKAGE", "kiosk-test-cublas")
    monkeypatch.setattr(cuda, "CUBLAS_FILES", names)
    assert cuda.load_cublas() is expected
