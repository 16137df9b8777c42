"""`doctor`: can this machine run the kiosk, and how is the one that runs? Each line is ok or says what to do."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Annotated, Literal

import typer

from kiosk.cli.options import ConfigOption, ProfileOption, configure
from kiosk.cli.running_kiosk import describe
from kiosk.config import Config
from kiosk.errors import KioskError
from kiosk.health_file import health_path, read_health, silent_for_s
from kiosk.operator_facts import OperatorFacts, to_table
from kiosk.paths import checkpoints_dir, data_dir
from models.errors import ModelError

MIN_CORES = 2
MIN_MEMORY_GIB = 6.0
MIN_FREE_DISK_GIB = 1.0
GIB = 1 << 30

Verdict = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the report."""

    part: str
    """What was looked at."""
    verdict: Verdict
    """"error": the kiosk could not run; "warning": it runs, less well."""
    text: str
    """What there is, or what to do."""


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    profile: ProfileOption = None,
    config: ConfigOption = None,
) -> None:
    """Check devices, GPU, OpenGL, weights, configuration, disk and a running kiosk; exit 1 if it could not run."""
    rows = list(examine(lambda: configure(config, profile)))
    running = read_health(health_path())
    rows.append(_running(running))
    could_run = all(row.verdict != "error" for row in rows)
    if as_json:
        report = {"ok": could_run, "rows": [asdict(row) for row in rows], "kiosk": _running_table(running)}
        typer.echo(json.dumps(report, ensure_ascii=False))
    else:
        width = max(len(row.part) for row in rows)
        for row in rows:
            typer.echo(f"{row.verdict:8}{row.part:{width + 2}}{row.text}")
        typer.echo("The kiosk can run." if could_run else "The kiosk cannot run yet; see the lines marked error.")
    raise typer.Exit(0 if could_run else 1)


def examine(load: Callable[[], Config]) -> Iterator[Row]:
    """All rows of the report."""
    yield _machine()
    yield _gpu()
    try:
        config = load()
    except KioskError as error:
        yield Row(part="configuration", verdict="error", text=error.message)
        config = Config()
    else:
        yield Row(part="configuration", verdict="ok", text=f"profile {config.profile}, avatar {config.avatar}")
    checks: tuple[tuple[str, Callable[[Config], Iterator[Row]]], ...] = (
        ("weights", _weights),
        ("profile", _profile),
        ("avatar", _avatar),
        ("sound", _sound),
        ("picture", _picture),
        ("fonts", _fonts),
    )
    for part, check in checks:
        try:
            yield from check(config)
        except KioskError as error:
            yield Row(part=part, verdict="error", text=error.message)
        except ModelError as error:
            yield Row(part=part, verdict="error", text=str(error))
    yield _disk()


def _running(facts: OperatorFacts | None) -> Row:
    is_well, text = describe(facts, time.monotonic_ns())
    return Row(part="kiosk", verdict="ok" if is_well else "warning", text=text)


def _running_table(facts: OperatorFacts | None) -> dict[str, object] | None:
    """The facts of the running kiosk with their age, for other programs; None when none runs."""
    return None if facts is None else {**to_table(facts), "age_s": round(silent_for_s(facts), 1)}


def _machine() -> Row:
    import psutil

    cores, memory = os.cpu_count() or 1, psutil.virtual_memory().total / GIB
    text = f"{cores} cores, {memory:.0f} GiB of memory, Python {platform.python_version()} on {platform.system()}"
    if cores < MIN_CORES or memory < MIN_MEMORY_GIB:
        return Row(
            part="machine",
            verdict="warning",
            text=f"{text}; answers will be slow below {MIN_CORES} cores and {MIN_MEMORY_GIB:.0f} GiB",
        )
    return Row(part="machine", verdict="ok", text=text)


def _gpu() -> Row:
    program = shutil.which("nvidia-smi")
    if program is None:
        return Row(part="GPU", verdict="ok", text="none; all models run on the CPU")
    command = [program, "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return Row(
            part="GPU", verdict="warning", text="nvidia-smi does not answer; reinstall the driver or use the CPU"
        )
    if done.returncode:
        return Row(part="GPU", verdict="warning", text="the driver does not see a GPU; all models run on the CPU")
    return Row(part="GPU", verdict="ok", text="; ".join(done.stdout.split("\n")).strip("; "))


def _weights(config: Config) -> Iterator[Row]:
    from kiosk.pipeline.engines import needed_checkpoints
    from models.weights import load_catalog, locate

    catalog = load_catalog()
    for name in needed_checkpoints(config):
        try:
            folder = locate(name, checkpoints_dir(), catalog)
        except ModelError as error:
            yield Row(part=f"weights {name}", verdict="error", text=str(error))
        else:
            yield Row(part=f"weights {name}", verdict="ok", text=f"{catalog.get(name).licence}, in {folder}")


def _profile(config: Config) -> Iterator[Row]:
    from kiosk.profile import load_profile

    profile = load_profile(config.profile)
    yield Row(
        part="profile", verdict="ok", text=f"{profile.zh.title} / {profile.en.title}, {len(profile.zh.facts)} facts"
    )


def _avatar(config: Config) -> Iterator[Row]:
    from kiosk.face.avatar_import import find_avatar

    portrait = find_avatar(config.avatar)
    yield Row(
        part="avatar", verdict="ok", text=f"{portrait.name}, {portrait.image.shape[1]}x{portrait.image.shape[0]}"
    )


def _sound(config: Config) -> Iterator[Row]:
    from kiosk.audio.devices import Direction, find_device
    from kiosk.audio.host import PortAudioHost

    devices = PortAudioHost().devices()
    wanted: tuple[tuple[str, Direction, str], ...] = (
        ("microphone", "input", config.sound.input_device),
        ("loudspeaker", "output", config.sound.output_device),
    )
    for part, direction, name in wanted:
        try:
            device = find_device(devices, direction, name)
        except KioskError as error:
            # Without sound the kiosk still answers typed questions, in captions.
            yield Row(part=part, verdict="warning", text=error.message)
        else:
            yield Row(part=part, verdict="ok", text=f"{device.name}, {device.sample_rate} Hz")


def _picture(config: Config) -> Iterator[Row]:
    from kiosk.face.offscreen import describe_opengl

    yield Row(part="OpenGL", verdict="ok", text=describe_opengl())
    if os.name == "posix" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        yield Row(part="screen", verdict="warning", text="no screen in this session; start the kiosk from a desktop")


def _fonts(config: Config) -> Iterator[Row]:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QGuiApplication

    from kiosk.ui.fonts import chinese_font_available, ui_family

    application = QGuiApplication.instance() or QGuiApplication([])
    if chinese_font_available():
        yield Row(part="fonts", verdict="ok", text=ui_family())
    else:
        yield Row(part="fonts", verdict="error", text="no Chinese font; install one, such as fonts-noto-cjk")
    del application


def _disk() -> Row:
    folder = next(p for p in (data_dir(), *data_dir().parents) if p.exists())
    free = shutil.disk_usage(folder).free / GIB
    if free < MIN_FREE_DISK_GIB:
        return Row(part="disk", verdict="warning", text=f"only {free:.1f} GiB free at {folder}; make room for logs")
    if not os.access(folder, os.W_OK):
        return Row(
            part="disk", verdict="warning", text=f"{folder} cannot be written; set KIOSK_DATA to another folder"
        )
    return Row(part="disk", verdict="ok", text=f"{free:.0f} GiB free at {folder}")
