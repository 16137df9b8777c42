"""Options that several commands share."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, TypeAlias, cast, get_args

import typer

from kiosk.config import Config, ProfileName, load_config
from kiosk.errors import ConfigError
from kiosk.paths import data_dir

PLAIN_WIDTH = 160
"""Columns of a table when the output is no terminal."""

ConfigOption: TypeAlias = Annotated[Path | None, typer.Option("--config", help="A TOML file with settings.")]
ProfileOption: TypeAlias = Annotated[
    str | None, typer.Option("--profile", help="Persona and facts: " + ", ".join(get_args(ProfileName)) + ".")
]


def configure(path: Path | None, profile: str | None) -> Config:
    """The configuration file (the given one, else the machine's own, else none) with the profile put over it.

    Raises:
        ConfigError: The file or the profile's name is wrong.
    """
    own = data_dir() / "kiosk.toml"
    config = load_config(path or (own if own.exists() else None))
    if profile is None:
        return config
    if profile not in get_args(ProfileName):
        raise ConfigError("bad-profile", f"--profile {profile}: must be one of {', '.join(get_args(ProfileName))}")
    return dataclasses.replace(config, profile=cast("ProfileName", profile))
