"""PulseAudio's client settings: shared memory goes, all else stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kiosk.audio import pulse_client
from kiosk.audio.pulse_client import SETTINGS, VARIABLE, no_shared_memory


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIOSK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv(VARIABLE, "unset")
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr(pulse_client, "SYSTEM_FILE", tmp_path / "etc" / "client.conf")


def written() -> str:
    """What a stream would read that is opened now; afterwards all is as before."""
    before = os.environ.get(VARIABLE)
    with no_shared_memory():
        text = Path(os.environ[VARIABLE]).read_text(encoding="utf-8")
    assert os.environ.get(VARIABLE) == before
    return text


def test_on_a_bare_machine_only_shared_memory_is_set() -> None:
    assert written() == SETTINGS


def test_the_systems_files_are_read_before(tmp_path: Path) -> None:
    folder = tmp_path / "etc" / "client.conf.d"
    folder.mkdir(parents=True)
    for path in (tmp_path / "etc" / "client.conf", folder / "02-b.conf", folder / "01-a.conf"):
        path.touch()
    lines = written().removesuffix(SETTINGS).splitlines()
    assert [line.rpartition("/")[2] for line in lines] == ["client.conf", "01-a.conf", "02-b.conf"]
    assert all(line.startswith(".include /") for line in lines)


@pytest.mark.parametrize("is_named", [False, True])
def test_the_users_file_takes_their_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_named: bool) -> None:
    own = tmp_path / "config" / "pulse" / "client.conf"
    own.parent.mkdir(parents=True)
    own.touch()
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "client.conf").touch()
    if is_named:
        monkeypatch.setenv(VARIABLE, "/opt/hall/client.conf")
    assert written() == f".include {'/opt/hall/client.conf' if is_named else own}\n{SETTINGS}"
    assert written() == written()


def test_a_full_disk_leaves_everything_as_it_was(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "cache").touch()
    with no_shared_memory():
        assert VARIABLE not in os.environ
    assert "cannot be written" in caplog.text
