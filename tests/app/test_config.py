"""The configuration: what is accepted and what is said about mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from kiosk.config import Config, load_config
from kiosk.errors import ConfigError


def write(folder: Path, text: str) -> Path:
    path = folder / "设置 kiosk.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_the_defaults_hold() -> None:
    assert load_config(None) == Config()


def test_values_are_taken_over(tmp_path: Path) -> None:
    path = write(tmp_path, 'profile = "booth"\n[sound]\nvolume = 1\n[hearing]\nlanguages = ["en"]\n')
    config = load_config(path)
    assert (config.profile, config.sound.volume, config.hearing.languages) == ("booth", 1.0, ("en",))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[sound]\nvolum = 0.5\n", "did you mean sound.volume?"),
        ("[loudness]\nx = 1\n", "unknown key loudness"),
        ('[sound]\nvolume = "loud"\n', "sound.volume must be a number"),
        ("[sound]\nvolume = 3\n", "sound.volume must be between 0 and 1"),
        ("[screen]\nwindowed = 1\n", "screen.windowed must be true or false"),
        ('profile = "airport"\n', "profile must be one of bank, classroom, booth"),
        ('[hearing]\nlanguages = ["fr"]\n', "hearing.languages must be one of zh, en"),
        ("[hearing]\nlanguages = []\n", "at least one language"),
        ('[language_model]\nengine = "server"\n', "language_model.server_url must be set"),
        ("sound = 3\n", "sound must be a table"),
        ("[sound\n", "is no valid TOML"),
    ],
)
def test_mistakes_are_named_in_one_line(tmp_path: Path, text: str, words: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert words in caught.value.message
    assert str(path) in caught.value.message
    assert "\n" not in caught.value.message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path / "none.toml")


def test_a_file_in_another_encoding_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gbk.toml"
    path.write_bytes('avatar = "小美"\n'.encode("gbk"))
    with pytest.raises(ConfigError, match="UTF-8"):
        load_config(path)
