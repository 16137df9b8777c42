"""What is wrong or missing: one clear line and an exit code, or a notice on the screen; nothing half-written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kiosk.paths import checkpoints_dir
from tests.lobby.program import ROOT, Program
from tests.lobby.stage_set import StageSet

pytestmark = [pytest.mark.e2e, pytest.mark.weights]


def run(*arguments: str, prefix: tuple[str, ...] = (), **env: str) -> subprocess.CompletedProcess[str]:
    """The command line as an operator runs it."""
    return subprocess.run(
        [*prefix, sys.executable, "main.py", *arguments],
        cwd=ROOT,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def assert_one_line(done: subprocess.CompletedProcess[str], *words: str, code: int = 1) -> None:
    assert done.returncode == code, done
    assert done.stderr.count("\n") == 1, done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


@pytest.fixture
def checkpoints(tmp_path: Path) -> Path:
    """All weights, as links, so that one can be damaged."""
    folder = tmp_path / "权重 weights"
    shutil.copytree(checkpoints_dir(), folder, copy_function=os.link)
    return folder


def damage(path: Path, share: float) -> None:
    """Keep only the beginning of a file, without touching the original behind the link."""
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data[: int(len(data) * share)])


def test_absent_weights(tmp_path: Path) -> None:
    done = run("ask", "--text", "几点开门？", KIOSK_CHECKPOINTS=str(tmp_path))
    assert_one_line(done, "models fetch")
    assert run("doctor", KIOSK_CHECKPOINTS=str(tmp_path)).returncode == 1


def test_weights_cut_at_the_end(checkpoints: Path) -> None:
    damage(checkpoints / "qwen2.5-coder-1.5b-instruct" / "onnx" / "weights.bin", 0.999)
    done = run("ask", "--text", "几点开门？", KIOSK_CHECKPOINTS=str(checkpoints))
    assert_one_line(done, "qwen2.5-coder-1.5b-instruct", "models fetch")


def test_weights_of_another_kind(checkpoints: Path) -> None:
    name = "silero_vad.onnx"
    other = checkpoints / "smart-turn-v3.2" / "smart-turn-v3.2-cpu.onnx"
    target = checkpoints / "silero-vad" / name
    target.unlink()
    shutil.copy(other, target)
    assert run("doctor", KIOSK_CHECKPOINTS=str(checkpoints)).returncode == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[sound]\nvolum = 1\n", "sound.volume"),
        ("[sound]\nvolume = true\n", "a number"),
        ("avatar = 'nobody'\n", "mei"),
    ],
)
def test_wrong_configuration(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "kiosk.toml"
    path.write_text(text, encoding="utf-8")
    assert_one_line(run("ask", "--text", "几点开门？", "--config", str(path)), words)
    assert_one_line(run("--windowed", "--config", str(path), QT_QPA_PLATFORM="offscreen"), words)


def test_empty_text_and_no_text() -> None:
    assert_one_line(run("ask", "--text", "  "), "empty")
    assert run("ask").returncode == 2
    assert run("ask", "--text", "a", "--out", "a.doc").returncode == 2
    assert run("unknown").returncode == 2


def test_files_that_are_no_sound_or_no_photo(tmp_path: Path) -> None:
    assert_one_line(run("ask", "--audio", "README.md"), "README.md")
    assert_one_line(run("ask", "--audio", str(tmp_path / "没有.wav")), "没有.wav")
    assert_one_line(run("avatar", "check", "README.md"), "README.md")
    assert_one_line(
        run("render", "--text", "你好", "--avatar", "README.md", "-o", str(tmp_path / "a.mp4")), "README.md"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB; needs root."""
    folder = tmp_path / "full"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(folder)], check=True)
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_leaves_nothing_half_written(small_disk: Path) -> None:
    film = small_disk / "a.mp4"
    assert_one_line(run("render", "--text", "您好，欢迎光临。", "-o", str(film)), str(film))
    assert list(small_disk.iterdir()) == []


def test_without_microphone_loudspeaker_and_opengl_the_window_says_so_and_closes_cleanly(stage_set: StageSet) -> None:
    silent = {**stage_set.env, "PULSE_SERVER": "unix:/nonexistent", "QT_XCB_GL_INTEGRATION": "none"}
    with Program(stage_set, env=silent) as program:
        devices = program.wait_for("devices", 60, lambda line: line["microphone"] == "absent")
        assert devices["loudspeaker"] == "absent"
        program.wait_for("ready", 240)
        code, _, stderr = program.close(30)
    assert (code, stderr) == (0, "")


def test_the_screen_names_what_is_missing_and_the_exit_code_tells(stage_set: StageSet, checkpoints: Path) -> None:
    damage(checkpoints / "kokoro-82m" / "vocoder.onnx", 0.5)
    with Program(stage_set, env={**stage_set.env, "KIOSK_CHECKPOINTS": str(checkpoints)}) as program:
        error = program.wait_for("error", 120)
        assert error["stage"] == "voice"
        assert "models fetch" in error["message"]
        code, _, stderr = program.close(30)
    assert code == 1
    assert "models fetch" in stderr
