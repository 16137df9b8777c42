"""The openai-whisper engine on a tiny network with random weights; skipped where the package is not installed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from models.asr import load_recogniser
from models.errors import CheckpointError

torch = pytest.importorskip("torch", reason="the torch extra is not installed")
whisper = pytest.importorskip("whisper", reason="the openai-whisper extra is not installed", exc_type=ImportError)


def write_tiny(path: Path, n_vocab: int) -> None:
    dims = {
        **{"n_mels": 80, "n_audio_ctx": 1500, "n_audio_state": 32, "n_audio_head": 2, "n_audio_layer": 1},
        **{"n_vocab": n_vocab, "n_text_ctx": 448, "n_text_state": 32, "n_text_head": 2, "n_text_layer": 1},
    }
    torch.manual_seed(0)
    model = whisper.model.Whisper(whisper.model.ModelDimensions(**dims))
    torch.save({"dims": dims, "model_state_dict": model.state_dict()}, path)


def test_a_checkpoint_loads_and_decodes(tmp_path: Path) -> None:
    path = tmp_path / "模型.pt"
    write_tiny(path, 51_865)
    recogniser = load_recogniser("auto", path, device="cpu", threads=1, prompt_words={"zh": "开户"})
    recogniser.warm_up()
    sound = np.random.default_rng(0).normal(0, 0.1, 16_000).astype(np.float32)
    assert recogniser.transcribe(sound).text == ""  # random weights give words that no rule lets pass
    recogniser.close()


def test_an_english_checkpoint_is_refused_for_chinese(tmp_path: Path) -> None:
    write_tiny(tmp_path / "tiny.en.pt", 51_864)
    with pytest.raises(CheckpointError, match="English only"):
        load_recogniser("auto", tmp_path / "tiny.en.pt", device="cpu")


def test_a_file_that_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    (tmp_path / "base.pt").write_bytes(b"no checkpoint")
    with pytest.raises(CheckpointError, match="no Whisper checkpoint"):
        load_recogniser("auto", tmp_path / "base.pt", device="cpu")
