"""What a system prompt costs once is not paid at the next start, and nothing wrong is taken over."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from models.llm.kept_states import MAX_FILES, KeptStates
from models.llm.onnx_decoder import OnnxDecoder

OPENING = list(range(40, 140))
TEXT = [*OPENING, 65, 66, 67]


def load(folder: Path, states: Path | None) -> OnnxDecoder:
    return OnnxDecoder.load(folder, threads=1, context_tokens=512, states=states)


def read_by_keeping(folder: Path, states: Path | None, monkeypatch: pytest.MonkeyPatch) -> tuple[int, np.ndarray]:
    """Tokens that `keep` computes, and the logits after a text that goes on from there."""
    decoder = load(folder, states)
    sizes: list[int] = []
    step = OnnxDecoder._step

    def counted(self: OnnxDecoder, ids: list[int], num_wanted: int, output: str) -> object:
        sizes.append(len(ids))
        return step(self, ids, num_wanted, output)

    with monkeypatch.context() as patched:
        patched.setattr(OnnxDecoder, "_step", counted)
        decoder.keep(OPENING)
    return sum(sizes), decoder.logits(TEXT)


def test_the_second_start_reads_nothing_and_says_the_same(
    onnx_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = tmp_path / "状态"
    first, plain = read_by_keeping(onnx_folder, states, monkeypatch)
    second, kept = read_by_keeping(onnx_folder, states, monkeypatch)
    assert (first, second) == (len(OPENING), 0)
    assert np.array_equal(plain, kept)
    assert [path.suffix for path in states.iterdir()] == [".npy"]


@pytest.mark.parametrize("damage", ["cut", "empty", "text", "nan"])
def test_a_damaged_state_is_computed_anew(
    onnx_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    _, plain = read_by_keeping(onnx_folder, tmp_path, monkeypatch)
    (path,) = tmp_path.iterdir()
    data = path.read_bytes()
    if damage == "nan":
        state = np.load(path)
        state[0, 0, 0, 0, 0] = np.nan
        np.save(path, state)
    else:
        path.write_bytes({"cut": data[: len(data) // 2], "empty": b"", "text": b"<html>"}[damage])
    computed, again = read_by_keeping(onnx_folder, tmp_path, monkeypatch)
    assert computed == len(OPENING)
    assert np.array_equal(plain, again)
    assert path.stat().st_size == len(data)
    assert read_by_keeping(onnx_folder, tmp_path, monkeypatch)[0] == 0


def test_other_weights_have_other_states(onnx_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    states = tmp_path / "states"
    read_by_keeping(onnx_folder, states, monkeypatch)
    other = shutil.copytree(onnx_folder, tmp_path / "other")
    weights = other / "weights.bin"
    os.utime(weights, ns=(1, weights.stat().st_mtime_ns + 1))
    assert read_by_keeping(other, states, monkeypatch)[0] == len(OPENING)


def test_a_folder_that_cannot_be_written_only_costs_time(
    onnx_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    assert read_by_keeping(onnx_folder, tmp_path / "file" / "states", monkeypatch)[0] == len(OPENING)
    assert "the next start takes longer" in caplog.text


def test_a_cache_that_cannot_be_written_is_read(
    onnx_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_by_keeping(onnx_folder, tmp_path, monkeypatch)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "touch", refuse)
    assert read_by_keeping(onnx_folder, tmp_path, monkeypatch)[0] == 0


def test_what_was_used_longest_ago_goes(onnx_folder: Path, tmp_path: Path) -> None:
    kept = KeptStates(tmp_path, [onnx_folder / "weights.bin"])
    state = np.zeros((2, 1, 1, 1, 4), np.float32)
    for number in range(MAX_FILES):
        kept.put([number], state)
        (newest,) = (path for path in tmp_path.iterdir() if path.stat().st_mtime > 1)
        os.utime(newest, ns=(number, number))
    assert kept.get([0], state.shape) is not None  # used: it stays
    kept.put([MAX_FILES], state)
    assert len(list(tmp_path.iterdir())) == MAX_FILES
    assert kept.get([0], state.shape) is not None
    assert kept.get([1], state.shape) is None
