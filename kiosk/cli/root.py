"""The root command: without a subcommand it opens the kiosk."""

from __future__ import annotations

import dataclasses
import logging
import sys
from pathlib import Path
from typing import Annotated

import typer

from kiosk import __version__
from kiosk.cli import answers_cmd, ask, avatar_cmd, bench, doctor, models_cmd, normalize_cmd, render
from kiosk.cli.options import ConfigOption, ProfileOption, configure
from kiosk.errors import KioskError
from models.errors import ModelError

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="An offline digital human for a public screen: it hears Chinese and English, thinks, and answers aloud.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(ask.ask)
app.command()(render.render)
app.command(context_settings={"ignore_unknown_options": True})(normalize_cmd.normalize)
app.command()(doctor.doctor)
app.command()(bench.bench)
app.add_typer(answers_cmd.app, name="answers")
app.add_typer(avatar_cmd.app, name="avatar")
app.add_typer(models_cmd.app, name="models")


@app.callback(invoke_without_command=True)
def kiosk(
    context: typer.Context,
    windowed: Annotated[bool, typer.Option("--windowed", help="A window instead of the full screen.")] = False,
    profile: ProfileOption = None,
    config: ConfigOption = None,
    trace: Annotated[Path | None, typer.Option(help="Write what happens, words included, for tests.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Log what visitors say; never in public.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Open the kiosk, or run one of the commands."""
    if version:
        typer.echo(__version__)
        raise typer.Exit
    if context.invoked_subcommand is not None:
        return
    from kiosk.app import Options, run  # Qt is loaded for the window alone

    settings = configure(config, profile)
    if windowed:
        settings = dataclasses.replace(settings, screen=dataclasses.replace(settings.screen, windowed=True))
    raise typer.Exit(run(settings, Options(trace=trace, debug=debug)))


def run_command() -> None:
    """Run the command; every expected error becomes one line on stderr and exit code 1."""
    try:
        app()
    except KioskError as error:
        _fail(error.message)
    except ModelError as error:
        _fail(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:  # the last border: a person gets one line, the log the traceback
        logging.getLogger("init").exception("internal error")
        _fail(f"internal error ({type(error).__name__}: {error}); please report it with the log file")


def _fail(message: str) -> None:
    sys.stderr.write("error: " + " ".join(message.split()) + "\n")
    sys.exit(1)
