from __future__ import annotations

import dataclasses
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from models.errors import CheckpointError, ModelError
from models.llm import choose, load_chat_model
from models.llm.choose import list_chat_weights

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkpoints(ct2_folder: Path, torch_folder: Path, tmp_path: Path) -> Path:
    """Two chat models, and things that are none."""
    folder = tmp_path / "checkpoints"
    shutil.copytree(ct2_folder, folder / "converted" / "ct2")
    (folder / "converted" / "model.gguf").write_bytes(b"GGUF")
    shutil.copytree(torch_folder, folder / "original")
    (folder / "whisper").mkdir()
    (folder / "whisper" / "model.bin").write_bytes(b"no chat model")
    return folder


def test_lists_chat_models_only(checkpoints: Path) -> None:
    found = {weights.folder.name: weights for weights in list_chat_weights(checkpoints)}
    assert set(found) == {"converted", "original"}
    assert found["converted"].ct2 == checkpoints / "converted" / "ct2"
    assert found["converted"].torch == checkpoints / "converted" / "model.gguf"
    assert found["original"].torch == checkpoints / "original"


@pytest.mark.parametrize(
    ("engine", "model", "name"),
    [
        ("auto", "converted", "tiny, int8"),
        ("auto", "original", "original, float32"),
        ("ctranslate2", "auto", "tiny, int8"),
        ("transformers", "original", "original, float32"),
    ],
)
def test_engine_by_name_and_by_weights(checkpoints: Path, engine: choose.ChatEngine, model: str, name: str) -> None:
    loaded = load_chat_model(engine, model, checkpoints=checkpoints, device="cpu", threads=1)
    assert loaded.name == name
    loaded.close()


@pytest.mark.parametrize(
    ("engine", "name"),
    [("auto", "Tiny, onnxruntime"), ("onnxruntime", "Tiny, onnxruntime"), ("ctranslate2", "tiny, int8")],
)
def test_onnx_runtime_first_on_a_cpu(
    ct2_folder: Path, onnx_folder: Path, tmp_path: Path, engine: choose.ChatEngine, name: str
) -> None:
    shutil.copytree(ct2_folder, tmp_path / "both" / "ct2")
    shutil.copytree(onnx_folder, tmp_path / "both" / "onnx")
    (both,) = list_chat_weights(tmp_path)
    assert both.num_bytes == (onnx_folder / "weights.bin").stat().st_size
    loaded = load_chat_model(engine, "auto", checkpoints=tmp_path, device="cpu", threads=1)
    assert loaded.name == name
    loaded.close()


def test_a_gpu_takes_what_can_use_it(
    ct2_folder: Path, onnx_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ct2_folder, tmp_path / "both" / "ct2")
    shutil.copytree(onnx_folder, tmp_path / "both" / "onnx")
    (tmp_path / "both" / "model.gguf").write_bytes(b"GGUF")
    (both,) = list_chat_weights(tmp_path)
    assert choose._resolve_engine("auto", "cuda", both) == "transformers"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert choose._resolve_engine("auto", "cuda", both) == "ctranslate2"
    assert choose._resolve_engine("auto", "cuda", dataclasses.replace(both, ct2=None)) == "onnxruntime"


def test_a_folder_elsewhere(checkpoints: Path) -> None:
    loaded = load_chat_model(
        "auto", str(checkpoints / "converted" / "ct2"), checkpoints=ROOT, device="cpu", threads=1
    )
    assert loaded.name == "tiny, int8"
    loaded.close()


def test_on_a_cpu_the_largest_that_is_fast_and_fits(checkpoints: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = list_chat_weights(checkpoints)
    assert choose._choose(checkpoints, "cpu", "auto") == large
    monkeypatch.setattr(choose, "MAX_AUTO_CPU_BYTES", small.num_bytes)
    assert choose._choose(checkpoints, "cpu", "auto") == small
    assert choose._choose(checkpoints, "cuda", "auto") == large
    monkeypatch.setattr(choose, "MAX_AUTO_CPU_BYTES", 0)  # none is fast: the smallest is the best there is
    assert choose._choose(checkpoints, "cpu", "auto") == small


def test_engine_without_weights_of_its_kind(checkpoints: Path) -> None:
    with pytest.raises(CheckpointError, match="holds no CTranslate2 weights"):
        load_chat_model("ctranslate2", "original", checkpoints=checkpoints, device="cpu")


def test_onnx_runtime_without_its_weights(checkpoints: Path) -> None:
    with pytest.raises(CheckpointError, match=r"holds no ONNX Runtime weights \(model.onnx, weights.bin, "):
        load_chat_model("onnxruntime", "converted", checkpoints=checkpoints, device="cpu")


def test_unknown_model_names_the_known_ones(checkpoints: Path) -> None:
    with pytest.raises(ModelError, match=r"'gpt' is neither a chat model in .*original.*, nor a folder"):
        load_chat_model("auto", "gpt", checkpoints=checkpoints, device="cpu")


def test_nothing_fetched_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"holds no chat model; run `python main\.py models fetch`"):
        load_chat_model(checkpoints=tmp_path, device="cpu")


def test_the_interface_is_imported_without_any_engine() -> None:
    engines = {"torch", "ctranslate2", "onnxruntime", "httpx"}
    script = f"import sys, kiosk.dialogue.answer, models.llm; print({engines} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
