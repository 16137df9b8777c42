"""`ask`: one turn without a window."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from kiosk.cli.options import ConfigOption, ProfileOption, configure
from kiosk.errors import ConfigError


def ask(
    text: Annotated[str | None, typer.Option("--text", help="The question in writing.")] = None,
    audio: Annotated[Path | None, typer.Option("--audio", help="The question as a sound file.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the answer as a video (.mp4) or as sound (.wav).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    avatar: Annotated[str | None, typer.Option("--avatar", help="A face, or a photo.")] = None,
    profile: ProfileOption = None,
    config: ConfigOption = None,
) -> None:
    """Answer one question: prints the answer, or writes it as a talking video or as sound."""
    if (text is None) == (audio is None):
        raise typer.BadParameter("give either --text or --audio")
    if out is not None and out.suffix.lower() not in (".mp4", ".wav"):
        raise typer.BadParameter(f"{out}: must end in .mp4 or .wav", param_hint="--out")
    if text is not None and not text.strip():
        raise ConfigError("empty-text", "--text is empty: write a question between the quotes")
    settings = configure(config, profile)

    from kiosk.audio.files import read_sound, write_clips
    from kiosk.dialogue.language_guess import guess_language
    from kiosk.face.avatar_import import find_avatar
    from kiosk.face.render import check_output, render_video
    from kiosk.pipeline.engines import plan_engines
    from kiosk.pipeline.one_turn import OneTurn
    from kiosk.profile import load_profile

    if out is not None:
        check_output(out)
    samples = read_sound(audio, 16_000) if audio is not None else None
    portrait = find_avatar(avatar or settings.avatar)
    engines = plan_engines(settings, load_profile(settings.profile), portrait)
    turn = OneTurn(engines, hears=samples is not None, speaks=out is not None)
    try:
        if samples is not None:
            result = turn.ask_aloud(samples)
        else:
            assert text is not None
            result = turn.ask_in_writing(text.strip(), guess_language(text, settings.screen.language))
    finally:
        turn.close()
    if out is not None and result.clips:
        if out.suffix.lower() == ".mp4":
            render_video(portrait, result.clips, out)
        else:
            write_clips(out, result.clips)
    if as_json:
        fields = {
            "transcript": result.transcript,
            "language": result.language,
            "reply": result.reply,
            "source": result.source,
            "timings_ms": result.timings_ms,
        }
        typer.echo(json.dumps(fields, ensure_ascii=False))
    elif result.transcript:
        typer.echo(result.reply)
    if not result.transcript:
        raise ConfigError("nothing-heard", f"{audio}: no speech was understood; record it louder or closer")
