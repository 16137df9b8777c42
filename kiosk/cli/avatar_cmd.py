"""`avatar`: check a photo, add it as a face, list the faces."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from kiosk.cli.options import PLAIN_WIDTH
from kiosk.face.avatar_import import add_avatar, list_avatars, load_landmarker, refusal
from kiosk.face.picture_file import read_picture
from kiosk.face.quality import Grade, PortraitReport, check_portrait

app = typer.Typer(no_args_is_help=True, help="Faces of the kiosk: check a photo, add it, list what there is.")

Photo = Annotated[Path, typer.Argument(help="A photo: JPEG, PNG or WebP.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def check(photo: Photo, as_json: Json = False) -> None:
    """Say whether a photo is fit for an avatar, and what to do about it; exit code 1 if it is not."""
    picture = read_picture(photo)
    report = check_portrait(picture, load_landmarker())
    if as_json:
        print(json.dumps(_describe(photo, picture.shape, report), ensure_ascii=False, indent=1))
    else:
        table = Table("", "check", "value", "what to do")
        for row in report.rows:
            title = f"{row.title('zh')} {row.title('en')}"
            table.add_row(row.grade.value, title, f"{row.value:g}", _both(row.advice("zh"), row.advice("en")))
        Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH).print(table)
        verdict = {Grade.GOOD: "fit", Grade.WARN: "fit, could be better", Grade.BAD: "not fit"}[report.grade]
        print(f"{photo}: {verdict}")
    if report.grade is Grade.BAD:
        raise typer.Exit(1)


@app.command()
def add(photo: Photo, name: Annotated[str, typer.Option("--name", "-n", help="What the avatar is called.")]) -> None:
    """Make an avatar of the largest face in a photo; an own avatar of the same name is replaced."""
    portrait = add_avatar(photo, name, load_landmarker())
    print(
        f"added {portrait.name}; show it with: python main.py render --avatar {portrait.name} --text 你好 -o test.mp4"
    )


@app.command("list")
def list_all(as_json: Json = False) -> None:
    """List all avatars."""
    avatars = list_avatars()
    if as_json:
        rows = [{"name": a.name, "title": a.titles, "shipped": a.is_shipped} for a in avatars]
        print(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    table = Table("name", "title", "from")
    for avatar in avatars:
        title = _both(avatar.titles["zh"], avatar.titles["en"])
        table.add_row(avatar.name, title, "shipped" if avatar.is_shipped else "this machine")
    Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH).print(table)


def _both(zh: str, en: str) -> str:
    return zh if zh == en else f"{zh} / {en}"


def _describe(photo: Path, shape: tuple[int, ...], report: PortraitReport) -> dict[str, object]:
    box = None if report.face is None else [round(float(v)) for v in report.face.box]
    return {
        "photo": str(photo),
        "width": shape[1],
        "height": shape[0],
        "grade": report.grade.value,
        "face": box,
        "reason": refusal(report) if report.grade is Grade.BAD else "",
        "checks": [
            {
                "key": row.key,
                "grade": row.grade.value,
                "value": row.value,
                "title": {"zh": row.title("zh"), "en": row.title("en")},
                "advice": {"zh": row.advice("zh"), "en": row.advice("en")},
            }
            for row in report.rows
        ],
    }
