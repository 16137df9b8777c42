"""The locks: complete, exact, hashed, and free of addresses."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from kiosk.paths import ROOT

LOCKS = ROOT / "installer" / "locks"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PIN = re.compile(r"([a-z0-9][a-z0-9-]*)==([0-9][A-Za-z0-9.]*) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\\n|$))+)")


def pins(name: str) -> dict[str, str]:
    """Package → version; everything in the file has to be a hashed pin."""
    text = (LOCKS / f"{name}.lock").read_text(encoding="utf-8")
    body = text.split("\n", 1)[1].strip("\n")
    found = re.split(r"\n(?=[a-z0-9])", body)
    matches = [PIN.fullmatch(entry) for entry in found]
    assert all(matches), [entry for entry, match in zip(found, matches, strict=True) if not match]
    return {match[1]: match[2] for match in matches if match}


def names(requirements: list[str]) -> set[str]:
    found = (re.match(r"[A-Za-z0-9._-]+", requirement) for requirement in requirements)
    return {re.sub(r"[-_.]+", "-", match[0]).lower() for match in found if match}


@pytest.mark.parametrize("path", sorted(LOCKS.iterdir()), ids=lambda path: path.name)
def test_no_lock_names_an_address(path: Path) -> None:
    assert not re.search(r"://|@ |--index|--find-links", path.read_text(encoding="utf-8"))


def test_the_base_lock_holds_every_dependency() -> None:
    assert names(PROJECT["dependencies"]) <= pins("base").keys()


@pytest.mark.parametrize(
    ("locks", "extras"), [(("test", "torch-cpu"), ("dev", "torch")), (("torch",), ("torch", "cuda"))]
)
def test_the_other_locks_hold_their_extras(locks: tuple[str, ...], extras: tuple[str, ...]) -> None:
    together = pins("base").keys() | {name for lock in locks for name in pins(lock)}
    for extra in extras:
        assert names(PROJECT["optional-dependencies"][extra]) <= together


def test_a_kiosk_without_gpu_needs_no_torch_and_sends_no_metrics() -> None:
    assert not {"torch", "transformers", "openvino", "openvino-telemetry", "mediapipe"} & pins("base").keys()


def test_what_builds_packages_is_locked_and_installed_first() -> None:
    assert pins("tools").keys() == {"pip", "setuptools"}


def test_torch_is_the_same_release_as_cpu_and_as_cuda_build() -> None:
    assert pins("torch-cpu")["torch"] == pins("torch")["torch"]
