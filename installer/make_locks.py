"""Writes the lock files: every package that pip chooses, with its exact version and the hashes of its files.

Run by lock.sh. Versions come from pip as the user configured it. Hashes are those of the files that pip takes here,
and of those that it would take from its default index for each supported Python.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ROOT / "installer" / "locks"
PYTHONS = ("3.11", "3.12", "3.13")
GLIBC_MINORS = range(5, 36)
"""Versions 2.x of the C library that wheels are built for; Ubuntu 22.04, the oldest supported system, has 2.35."""
PLATFORMS = [f"{tag}_x86_64" for tag in ("manylinux1", "manylinux2010", "manylinux2014")] + [
    f"manylinux_2_{minor}_x86_64" for minor in GLIBC_MINORS
]
TOOLS = ("pip", "setuptools")
"""Install and build the rest, hence locked too."""


class Lock:
    """Pinned packages with the hashes of their files."""

    def __init__(self) -> None:
        self.versions: dict[str, str] = {}
        self.hashes: dict[str, set[str]] = {}
        self.source_only: set[str] = set()

    def add(self, report: dict[str, Any]) -> None:
        """Take over what a report of pip lists; a version that differs from the pinned one is left out."""
        for item in report["install"]:
            name = canonical(item["metadata"]["name"])
            version = item["metadata"]["version"].split("+")[0]  # the same release as another build
            if self.versions.setdefault(name, version) != version:
                continue
            self.hashes.setdefault(name, set()).add(item["download_info"]["archive_info"]["hashes"]["sha256"])
            if not item["download_info"]["url"].split("#")[0].endswith(".whl"):
                self.source_only.add(name)

    def add_hashes(self, report: dict[str, Any]) -> None:
        """Take over the hashes of packages that the lock holds."""
        wanted = [item for item in report["install"] if canonical(item["metadata"]["name"]) in self.versions]
        self.add({"install": wanted})

    def write(self, path: Path, without: Iterable[str] = ()) -> None:
        """Write the lock, leaving out packages that another one holds."""
        lines = [f"# Made by installer/lock.sh. Install with: pip install --no-deps --require-hashes -r {path.name}"]
        for name in sorted(set(self.versions) - set(without)):
            hashes = " \\\n".join(f"    --hash=sha256:{digest}" for digest in sorted(self.hashes[name]))
            lines.append(f"{name}=={self.versions[name]} \\\n{hashes}")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {len(lines) - 1} packages")


def canonical(name: str) -> str:
    """The one spelling of a package's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def report(arguments: Iterable[str], *, own_configuration: bool) -> dict[str, Any]:
    """Ask pip what it would install; nothing is installed."""
    environment = dict(os.environ)
    if not own_configuration:
        for variable in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL", "PIP_NO_INDEX"):
            environment.pop(variable, None)
        environment["PIP_CONFIG_FILE"] = os.devnull
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        command += ["--disable-pip-version-check", "--report", str(out), *arguments]
        subprocess.run(command, env=environment, check=True)
        return dict(json.loads(out.read_text(encoding="utf-8")))


def add_other_pythons(locks: Sequence[Lock]) -> None:
    """Add the hashes of the files for the other Pythons, as far as the default index answers."""
    pins = {f"{name}=={version}" for lock in locks for name, version in lock.versions.items()}
    source_only = {name for lock in locks for name in lock.source_only}
    wheels = sorted(pin for pin in pins if pin.split("==")[0] not in source_only)
    with tempfile.TemporaryDirectory() as folder:
        target = ["--only-binary", ":all:", "--no-deps", "--ignore-requires-python", "--target", folder]
        for tag in PLATFORMS:
            target += ["--platform", tag]
        for python in PYTHONS:
            try:
                found = report([*target, "--python-version", python, *wheels], own_configuration=False)
            except subprocess.CalledProcessError:
                print(f"the default index lacks files for Python {python}: left out", file=sys.stderr)
                continue
            for lock in locks:
                lock.add_hashes(found)


def write_cpu_build(report: dict[str, Any]) -> None:
    """Pin the CPU build of torch by its hash alone, or leave the lock as it is where pip is not shown that build.

    Beside the hashes of the CUDA build pip would take that one: it prefers files whose hash an index tells.
    """
    found = [item for item in report["install"] if item["metadata"]["name"] == "torch"]
    if not found or not found[0]["metadata"]["version"].endswith("+cpu"):
        print("pip finds no CPU build of torch here: torch-cpu.lock stays as it is", file=sys.stderr)
        return
    lock = Lock()
    lock.add({"install": found})
    lock.write(LOCKS / "torch-cpu.lock")


def main() -> None:
    """Make all locks."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    limits = ["--constraint", str(LOCKS / "constraints.txt")]
    base = Lock()
    base.add(report([*limits, *project["dependencies"], *TOOLS], own_configuration=True))
    pins = [f"{name}=={version}" for name, version in base.versions.items()]

    test = Lock()
    resolved = report([*limits, *pins, *extras["dev"], *extras["torch"]], own_configuration=True)
    test.add(resolved)
    write_cpu_build(resolved)
    torch = Lock()  # the default index carries the CUDA build, with NVIDIA's libraries as packages of their own
    torch.add(report([*limits, *pins, *extras["torch"], *extras["cuda"]], own_configuration=False))

    add_other_pythons((base, test, torch))
    tools = Lock()
    for name in TOOLS:
        tools.versions[name], tools.hashes[name] = base.versions[name], base.hashes[name]
    tools.write(LOCKS / "tools.lock")
    base.write(LOCKS / "base.lock", without=TOOLS)
    test.write(LOCKS / "test.lock", without=[*base.versions, "torch"])
    torch.write(LOCKS / "torch.lock", without=base.versions)
    print(f"resolved with Python {platform.python_version()} on {platform.machine()}")


if __name__ == "__main__":
    main()
