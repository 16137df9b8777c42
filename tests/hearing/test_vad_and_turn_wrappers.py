"""The wrappers against references, and with files that are not what they should be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime as ort
import pytest

from kiosk.paths import checkpoints_dir
from models.endpointing.log_mel import log_mel
from models.endpointing.smart_turn import SmartTurn
from models.errors import CheckpointError, ModelInputError
from models.vad.silero import SileroVad
from tests.hearing.hearing_sounds import RATE, clip, noise

VAD = checkpoints_dir() / "silero-vad" / "silero_vad.onnx"
TURN = checkpoints_dir() / "smart-turn-v3.2" / "smart-turn-v3.2-cpu.onnx"


def test_the_spectrogram_is_that_of_transformers() -> None:
    transformers = pytest.importorskip("transformers", reason="the torch extra is not installed")
    extractor = transformers.WhisperFeatureExtractor(chunk_length=8)
    window = np.zeros(8 * RATE, np.float32)
    speech = clip("zh_card_fee")
    window[-len(speech) :] = speech
    expected = extractor(
        window, sampling_rate=RATE, return_tensors="np", padding="max_length", max_length=8 * RATE, do_normalize=True
    ).input_features[0]
    ours = log_mel(window)
    assert ours.shape == (80, 800)
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, expected, atol=1e-4)


@pytest.mark.parametrize("load", [SileroVad.load, SmartTurn.load])
def test_a_missing_or_damaged_file_is_named(load: type, tmp_path: Path) -> None:
    path = tmp_path / "模型 1.onnx"
    with pytest.raises(CheckpointError, match=r"模型 1\.onnx: is missing.*models fetch"):
        load(path)
    path.write_bytes(b"not a network" * 100)
    with pytest.raises(CheckpointError, match="damaged"):
        load(path)


@pytest.mark.weights
def test_one_network_is_not_taken_for_the_other() -> None:
    if not (VAD.is_file() and TURN.is_file()):
        pytest.skip("no weights")
    with pytest.raises(CheckpointError, match="is not Silero"):
        SileroVad.load(TURN)
    with pytest.raises(CheckpointError, match="is not Smart Turn"):
        SmartTurn.load(VAD)


@pytest.mark.weights
def test_silero_gets_the_end_of_the_window_before() -> None:
    """Against the network run by hand over the whole sound with its 64 samples of context."""
    if not VAD.is_file():
        pytest.skip("no weights")
    sound = np.concatenate([noise(0.5), clip("en_toilet"), noise(0.5)])
    sound = sound[: len(sound) // 512 * 512]
    session = ort.InferenceSession(str(VAD), providers=["CPUExecutionProvider"])
    padded = np.concatenate([np.zeros(64, np.float32), sound])
    state = np.zeros((2, 1, 128), np.float32)
    expected = []
    for start in range(0, len(sound), 512):
        feeds = {"input": padded[None, start : start + 576], "state": state, "sr": np.array(RATE, np.int64)}
        output, state = session.run(None, feeds)
        expected.append(float(output[0, 0]))
    vad = SileroVad.load(VAD)
    for _ in range(2):  # the second time after a reset
        found = [vad.probability(sound[start : start + 512]) for start in range(0, len(sound), 512)]
        np.testing.assert_allclose(found, expected, atol=1e-6)
        vad.reset()
    assert max(expected) > 0.9
    assert expected[0] < 0.3


@pytest.mark.weights
def test_wrong_windows_and_closed_networks_are_refused() -> None:
    if not (VAD.is_file() and TURN.is_file()):
        pytest.skip("no weights")
    vad, turn = SileroVad.load(VAD), SmartTurn.load(TURN)
    with pytest.raises(ModelInputError, match="512"):
        vad.probability(np.zeros(480, np.float32))
    with pytest.raises(ModelInputError, match="float32"):
        turn.probability(np.zeros(480, np.int16))  # type: ignore[arg-type]
    assert 0 <= turn.probability(np.zeros(0, np.float32)) <= 1
    vad.close()
    turn.close()
    with pytest.raises(ModelInputError, match="closed"):
        vad.probability(np.zeros(512, np.float32))
    with pytest.raises(ModelInputError, match="closed"):
        turn.probability(np.zeros(512, np.float32))
