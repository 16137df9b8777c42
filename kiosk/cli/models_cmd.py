"""`models`: list, fetch, verify and bundle weights."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import psutil
import typer
from rich.console import Console
from rich.table import Table

from kiosk.cli.weights_progress import show_progress
from kiosk.paths import ROOT, checkpoints_dir
from models.weights.bundle import write_bundle
from models.weights.catalog import LANGUAGE_MODEL, Catalog, Checkpoint, load_catalog
from models.weights.errors import FetchError
from models.weights.fetch import Fetcher
from models.weights.homes import Homes
from models.weights.store import State, state
from models.weights.verify import problems

MIB = 2**20
LOCKS = ROOT / "installer" / "locks"

app = typer.Typer(no_args_is_help=True, help="Weights of the networks: what they are, fetching and checking them.")

Names = Annotated[
    list[str] | None, typer.Argument(help="Names as `models list` prints them; none: all this machine needs.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_models(as_json: Json = False) -> None:
    """List all known weights with licence, size, source and state."""
    catalog, folder = load_catalog(), checkpoints_dir()
    wanted = {c.name for c in catalog.defaults(psutil.virtual_memory().total)}
    if as_json:
        rows = [_describe(c, folder, is_default=c.name in wanted) for c in catalog.checkpoints]
        print(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    table = Table("name", "for", "size", "licence", "state", "official home", caption="* needed on this machine")
    for c in catalog.checkpoints:
        licence = c.licence + ("" if c.commercial else " (research weights: no commercial use)")
        name = f"{c.name} *" if c.name in wanted else c.name
        size = f"{c.size / MIB:.0f} MiB"
        table.add_row(name, c.stage, size, licence, state(c, folder).value, f"{c.home}\n@ {c.revision}")
    width = None if sys.stdout.isatty() else 200
    Console(width=width).print(table)


@app.command()
def fetch(
    names: Names = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="A folder made by `models bundle`, instead of the network.")
    ] = None,
) -> None:
    """Fetch weights: resumes, checks every byte, prepares what the engines read."""
    catalog, folder = load_catalog(), checkpoints_dir()
    if source is not None and not (source / "checkpoints").is_dir():
        raise FetchError(f"{source}: is no folder made by `models bundle`; check --from")
    with show_progress() as progress, Homes(progress.note) as homes:
        fetcher = Fetcher(folder, progress, None if source else homes, source)
        if names:
            for checkpoint in _chosen(catalog, names):
                fetcher.fetch(checkpoint)
        else:
            fetcher.fetch_defaults(catalog, psutil.virtual_memory().total)
        progress.note("all weights are ready")


@app.command()
def verify(names: Names = None) -> None:
    """Check every byte of the weights that are there."""
    catalog, folder = load_catalog(), checkpoints_dir()
    if names:
        chosen = _chosen(catalog, names)
    else:
        present = [c for c in catalog.checkpoints if state(c, folder) is not State.ABSENT]
        chosen = list(dict.fromkeys([*present, *_needed(catalog, folder)]))
    wrong: list[str] = []
    with show_progress() as progress:
        for checkpoint in chosen:
            found = problems(checkpoint, folder, progress)
            wrong += found
            for line in found or [f"{checkpoint.name}: ok"]:
                print(line)
    if wrong:
        raise FetchError(f"{len(wrong)} of the weights are not right; run `python main.py models fetch`")


@app.command()
def bundle(
    folder: Annotated[Path, typer.Argument(help="Receives weights, Python packages and a how-to.")],
    with_torch: Annotated[bool, typer.Option("--torch", help="Also the packages for a machine with a GPU.")] = False,
) -> None:
    """Write a folder for a machine that never sees a network."""
    catalog, weights = load_catalog(), checkpoints_dir()
    names = ("tools", "base", *(("torch",) if with_torch else ()))
    with show_progress() as progress, Homes(progress.note) as homes:
        Fetcher(weights, progress, homes).fetch_defaults(catalog, psutil.virtual_memory().total)
        ready = [c for c in catalog.checkpoints if state(c, weights) is State.READY]
        write_bundle(folder, ready, weights, [LOCKS / f"{name}.lock" for name in names], progress)
        progress.note(f"{folder}: take this folder to the other machine; HOW-TO.txt says how to use it")


def _chosen(catalog: Catalog, names: list[str]) -> list[Checkpoint]:
    return [catalog.get(name) for name in names]


def _needed(catalog: Catalog, folder: Path) -> list[Checkpoint]:
    """What this machine needs; any language model that is ready will do."""
    memory = psutil.virtual_memory().total
    needed = catalog.defaults(memory)
    if any(state(c, folder) is State.READY for c in catalog.language_models(memory)):
        needed = tuple(c for c in needed if c.stage != LANGUAGE_MODEL)
    return list(needed)


def _describe(checkpoint: Checkpoint, folder: Path, *, is_default: bool) -> dict[str, object]:
    return {
        "name": checkpoint.name,
        "stage": checkpoint.stage,
        "what": checkpoint.what,
        "state": state(checkpoint, folder).value,
        "needed": is_default,
        "licence": checkpoint.licence,
        "commercial": checkpoint.commercial,
        "home": checkpoint.home,
        "revision": checkpoint.revision,
        "files": [{"path": f.path, "size": f.size, "sha256": f.sha256} for f in checkpoint.files],
    }
