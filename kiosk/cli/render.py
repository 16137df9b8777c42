"""`render`: portrait + words → talking video."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kiosk.cli.options import ConfigOption
from kiosk.errors import ConfigError

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
