"""`answers`: what an operator does with a spreadsheet and a command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kiosk.cli.root import app
from kiosk.errors import ConfigError


def run(*arguments: str) -> str:
    """What the command prints.

    Raises:
        Exception: The one that the command raised.
    """
    result = CliRunner().invoke(app, ["answers", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIOSK_DATA", str(tmp_path / "data"))


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_export_edit_import_undo(tmp_path: Path, ending: str) -> None:
    whole = tmp_path / f"whole.{ending}"
    assert "answers written to" in run("export", str(whole), "--profile", "bank")
    count = len(json.loads(run("list", "--json", "--profile", "bank")))
    assert run("import", str(whole), "--profile", "bank").startswith("bank: 0 added, 0 changed, 0 removed")
    more = tmp_path / "more.csv"
    more.write_text(
        "id,questions_zh,questions_en,answer_zh,answer_en,action\nlift,电梯在哪儿？,,右边。,On the right.,staff\n",
        encoding="utf-8",
    )
    assert "1 added, 0 changed, 0 removed" in run("import", str(more), "--profile", "bank")
    assert json.loads(run("list", "--json", "--profile", "bank"))[-1]["action"] == "staff"
    assert f"0 added, 0 changed, {count} removed, 1 in all" in run(
        "import", str(more), "--replace", "--profile", "bank"
    )
    assert run("changes", "--profile", "bank").count("import more.csv") == 2
    assert "taken back: import more.csv" in run("undo", "--profile", "bank")
    assert len(json.loads(run("list", "--json", "--profile", "bank"))) == count + 1
    assert len(json.loads(run("list", "--json", "--profile", "booth"))) != count + 1


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no such file"):
        run("import", str(tmp_path / "none.csv"))
    with pytest.raises(ConfigError, match="there is nothing to undo"):
        run("undo")


def test_the_list_can_be_read() -> None:
    assert "opening-hours" in run("list", "--profile", "bank")
