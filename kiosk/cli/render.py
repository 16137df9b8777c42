"""`render`: portrait + words → talking video."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Annotated

import typer

from kiosk.cli.options import ConfigOption, configure
from kiosk.config import Config
from kiosk.errors import ConfigError
from kiosk.paths import RESOURCES

LIPS = ("auto", "wav2lip", "mesh")


def render(
    out: Annotated[Path, typer.Option("--out", "-o", help="The video, .mp4.")],
    text: Annotated[str | None, typer.Option("--text", help="What is said.")] = None,
    audio: Annotated[Path | None, typer.Option("--audio", help="A recording to be mouthed.")] = None,
    avatar: Annotated[str | None, typer.Option("--avatar", help="A face, or a photo.")] = None,
    voice: Annotated[str | None, typer.Option("--voice", help="A voice, such as zf_xiaoxiao or am_michael.")] = None,
    lips: Annotated[str, typer.Option("--lips", help="How the mouth is drawn: auto, wav2lip or mesh.")] = "auto",
    size: Annotated[str, typer.Option("--size", help="Width x height in pixels.")] = "720x720",
    config: ConfigOption = None,
) -> None:
    """Make a talking video of a portrait."""
    if (text is None) == (audio is None):
        raise typer.BadParameter("give either --text or --audio")
    if lips not in LIPS:
        raise typer.BadParameter(f"{lips}: must be one of {', '.join(LIPS)}", param_hint="--lips")
    if lips == "wav2lip":
        raise ConfigError("no-wav2lip", "--lips wav2lip: no Wav2Lip weights are installed; use --lips mesh or auto")
    if out.suffix.lower() != ".mp4":
        raise typer.BadParameter(f"{out}: must end in .mp4", param_hint="--out")
    if text is not None and not text.strip():
        raise ConfigError("empty-text", "--text is empty: write what is to be said between the quotes")
    settings = with_voice(configure(config, None), voice)

    from kiosk.audio.files import read_native
    from kiosk.cli.film_progress import film_progress
    from kiosk.face.avatar_import import find_avatar
    from kiosk.face.render import check_output, render_video
    from kiosk.pipeline.one_turn import speak
    from models.tts.base import SynthesisedSpeech

    check_output(out)
    portrait = find_avatar(avatar or settings.avatar)
    if audio is not None:
        samples, sample_rate = read_native(audio)
        clips = [SynthesisedSpeech(samples=samples, sample_rate=sample_rate, phonemes=())]
    else:
        assert text is not None
        clips = speak(text.strip(), settings, portrait)
    with film_progress() as progress:
        render_video(portrait, clips, out, size=parse_size(size), progress=progress)
    typer.echo(str(out))


def parse_size(size: str) -> tuple[int, int]:
    """Width and height from a text such as 720x1280."""
    match = re.fullmatch(r"(\d{1,5})[xX×](\d{1,5})", size.strip())
    if match is None:
        raise typer.BadParameter(f"{size}: must look like 720x1280", param_hint="--size")
    return int(match[1]), int(match[2])


def with_voice(config: Config, voice: str | None) -> Config:
    """The configuration with one voice for both languages."""
    if voice is None:
        return config
    known = sorted(path.stem for path in (RESOURCES / "voices").glob("*.bin"))
    if voice not in known:
        raise ConfigError("no-voice", f"--voice {voice}: must be one of {', '.join(known)}")
    synthesiser = dataclasses.replace(config.synthesiser, voice_zh=voice, voice_en=voice)
    return dataclasses.replace(config, synthesiser=synthesiser)
