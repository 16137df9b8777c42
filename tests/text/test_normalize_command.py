from __future__ import annotations

import typer
from typer.testing import CliRunner

from kiosk.cli.normalize_cmd import normalize

app = typer.Typer()
app.command()(normalize)
run = CliRunner().invoke


def test_prints_what_will_be_spoken() -> None:
    result = run(app, ["--lang", "zh", "年利率**3.85%**"])
    assert (result.exit_code, result.output) == (0, "年利率百分之三点八五\n")


def test_prints_english() -> None:
    result = run(app, ["--lang", "en", "We open at 8:00. Call 95588."])
    assert result.output == "We open at eight o'clock. Call nine five five eight eight.\n"


def test_unknown_language_is_wrong_usage() -> None:
    result = run(app, ["--lang", "fr", "bonjour"])
    assert result.exit_code == 2
    assert "zh or en" in result.output


def test_language_is_required() -> None:
    assert run(app, ["text"]).exit_code == 2
