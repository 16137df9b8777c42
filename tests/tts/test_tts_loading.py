"""Files of the voices, routing between two voices, statistics."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from models.errors import CheckpointError
from models.tts import load_synthesiser
from models.tts.base import SynthesisedSpeech
from models.tts.bilingual import BilingualSynthesiser
from models.tts.kokoro import KokoroVoice
from models.tts.statistics import NormStatistics, Observation, fit_statistics
from models.tts.voice_files import load_style, load_vocabulary, open_session
from models.types import Language, ShouldStop, never_stop

VOICES = Path(__file__).parents[2] / "resources" / "voices"


class ScriptedVoice:
    """Notes what it is asked to say."""

    def __init__(self, sample_rate: int = 24_000) -> None:
        self.sample_rate = sample_rate
        self.said: list[str] = []
        self.closed = False

    def warm_up(self) -> None:
        self.said.append("(warm)")

    def synthesise(self, text: str, language: Language, should_stop: ShouldStop = never_stop) -> SynthesisedSpeech:
        self.said.append(text)
        return SynthesisedSpeech(samples=np.ones(10, np.float32), sample_rate=self.sample_rate, phonemes=())

    def stream(
        self, text: str, language: Language, should_stop: ShouldStop = never_stop
    ) -> Iterator[SynthesisedSpeech]:
        yield self.synthesise(text, language, should_stop)

    def close(self) -> None:
        self.closed = True


def test_only_pure_english_sentences_go_to_the_english_voice() -> None:
    chinese, english = ScriptedVoice(), ScriptedVoice()
    both = BilingualSynthesiser(chinese, english)
    both.synthesise("Good morning", "en")
    both.synthesise("您好", "zh")
    both.synthesise("OK", "zh")
    assert len(list(both.stream("Say 你好", "en"))) == 1
    assert english.said == ["Good morning"]
    assert chinese.said == ["您好", "OK", "Say 你好"]
    both.close()
    assert chinese.closed
    assert english.closed


def test_voices_of_different_rates_are_refused() -> None:
    with pytest.raises(ValueError, match="24000 and 22050 Hz"):
        BilingualSynthesiser(ScriptedVoice(), ScriptedVoice(22_050))


def test_missing_graphs_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="models fetch"):
        load_synthesiser("auto", tmp_path, VOICES, voice_zh="zf_xiaoxiao", voice_en="af_heart")


def test_every_shipped_voice_loads() -> None:
    for path in VOICES.glob("*.bin"):
        assert load_style(path).shape == (510, 256)
        assert 0.3 < KokoroVoice.load(path).gain < 3


def test_unknown_voice_and_truncated_voice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="resources/voices"):
        load_style(tmp_path / "nobody.bin")
    (tmp_path / "short.bin").write_bytes(bytes(1000))
    with pytest.raises(CheckpointError, match="no Kokoro voice"):
        load_style(tmp_path / "short.bin")


def test_damaged_vocabulary_and_graph_are_refused(tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text("[]", encoding="utf-8")
    with pytest.raises(CheckpointError, match="no phoneme vocabulary"):
        load_vocabulary(tmp_path / "vocab.json")
    (tmp_path / "graph.onnx").write_bytes(b"\x00" * 64)
    with pytest.raises(CheckpointError, match="damaged"):
        open_session(tmp_path / "graph.onnx", device="cpu", threads=1)
    with pytest.raises(CheckpointError, match="missing"):
        open_session(tmp_path / "absent.onnx", device="cpu", threads=1)


def test_graph_opens_from_a_folder_with_chinese_name_and_spaces(tmp_path: Path) -> None:
    folder = tmp_path / "权 重"
    folder.mkdir()
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["h"]), helper.make_node("Neg", ["h"], ["y"])],
        "small",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    (folder / "图.onnx").write_bytes(model.SerializeToString())
    feed = {"x": np.array([-1, 2], np.float32)}
    plain = open_session(folder / "图.onnx", device="cpu", threads=1)
    assert plain.run(None, feed)[0].tolist() == [0, -2]
    more = open_session(folder / "图.onnx", device="cpu", threads=1, extra_output="h")
    assert more.run(["h"], feed)[0].tolist() == [0, 2]


def _observation(silent: int, voiced: int, columns: int = 100) -> Observation:
    """A clause whose statistics follow the shares of silence and voice exactly."""
    energy, pitch = np.full(columns, 5.0, np.float32), np.zeros(columns, np.float32)
    energy[:silent] = -9.0
    pitch[silent : silent + voiced] = 200.0
    s, v = silent / columns, voiced / columns
    means = np.array([1 + 2 * s - v, 3 * v], np.float32)
    variances = np.exp(np.array([-1 + s, 2 * v - 0.5 * s], np.float32))
    return Observation(pitch=pitch, energy=energy, means=means, variances=variances)


def test_statistics_of_an_unseen_clause_are_foretold() -> None:
    fitted = fit_statistics([_observation(s, v) for s in (10, 30, 60) for v in (5, 20, 35) for _ in range(20)])
    unseen = _observation(45, 28)
    means, variances = fitted.predict(unseen.pitch, unseen.energy)
    assert means.shape == variances.shape == (1, 2, 1)
    assert np.allclose(means.ravel(), unseen.means, atol=0.02)
    assert np.allclose(variances.ravel(), unseen.variances, rtol=0.03)


def test_statistics_survive_the_file(tmp_path: Path) -> None:
    fitted = fit_statistics([_observation(10, 50), _observation(50, 20), _observation(30, 60)])
    fitted.save(tmp_path / "zf_test.norms.npz")
    loaded = NormStatistics.load(tmp_path / "zf_test.bin")
    assert loaded is not None
    assert np.allclose(loaded.means, fitted.means, atol=2e-3)
    assert NormStatistics.load(tmp_path / "zf_other.bin") is None
    (tmp_path / "zf_bad.norms.npz").write_bytes(b"PK damaged")
    with pytest.raises(CheckpointError, match="damaged"):
        NormStatistics.load(tmp_path / "zf_bad.bin")
