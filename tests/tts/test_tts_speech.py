"""The real voices: how long they speak, what they say, whether parts equal the whole. Reads weights."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from models.tts import Synthesiser, is_prepared, load_synthesiser, prepare
from models.tts.base import SynthesisedSpeech
from models.tts.joining import join
from models.tts.loudness import TARGET_DB
from models.tts.timing import LEVEL_SAMPLES, SAMPLE_RATE
from models.types import FloatArray, Language

ROOT = Path(__file__).parents[2]
KOKORO = ROOT / "checkpoints" / "kokoro-82m"
WHISPER = ROOT / "checkpoints" / "whisper-base"

pytestmark = [
    pytest.mark.weights,
    pytest.mark.skipif(not (KOKORO / "source.onnx").exists(), reason="no weights: run `python main.py models fetch`"),
]


@pytest.fixture(scope="module")
def voice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Synthesiser]:
    folder = KOKORO
    if not is_prepared(folder):
        folder = tmp_path_factory.mktemp("kokoro")
        prepare(KOKORO / "source.onnx", folder)
    loaded = load_synthesiser(
        "auto", folder, ROOT / "resources" / "voices", voice_zh="zf_xiaoxiao", voice_en="af_heart", threads=2
    )
    yield loaded
    loaded.close()


def _check_times(speech: SynthesisedSpeech) -> None:
    assert speech.phonemes[0].start_s == 0
    assert speech.phonemes[-1].end_s == pytest.approx(speech.duration_s, abs=1e-6)
    assert all(a.end_s == pytest.approx(b.start_s) for a, b in itertools.pairwise(speech.phonemes))


def _level_db(samples: FloatArray) -> float:
    count = len(samples) // LEVEL_SAMPLES
    level = np.sqrt(np.mean(samples[: count * LEVEL_SAMPLES].reshape(count, -1) ** 2, axis=1))
    loud = level[level > level.max() * 10 ** (-30 / 20)]
    return float(10 * np.log10(np.mean(loud**2)))


@pytest.mark.parametrize(
    ("text", "language", "syllables"),
    [("你好", "zh", 2), ("好", "zh", 1), ("是的。", "zh", 2), ("OK", "zh", 2), ("OK", "en", 2)],
)
def test_short_words_do_not_run_on(voice: Synthesiser, text: str, language: Language, syllables: int) -> None:
    speech = voice.synthesise(text, language)
    assert 0.2 < speech.duration_s <= 0.6 + 0.35 * syllables
    _check_times(speech)


def test_nothing_to_say_gives_nothing(voice: Synthesiser) -> None:
    for text in ("", "。", "……", "  "):
        assert len(voice.synthesise(text, "zh").samples) == 0
        assert list(voice.stream(text, "zh")) == []


def test_long_clause_without_comma_is_spoken_to_its_end(voice: Synthesiser) -> None:
    text = "请您在办理业务之前先到大厅门口的取号机上取一个号码然后坐在旁边的椅子上耐心等待广播叫到您"
    speech = voice.synthesise(text, "zh")
    assert speech.duration_s > 0.13 * len(text)
    _check_times(speech)
    spoken = "".join(p.symbol for p in speech.phonemes)
    assert spoken.count("n") >= 10
    assert spoken.rstrip(" .")[-3:] == "nin"


def test_parts_are_the_whole_clause_without_a_seam(voice: Synthesiser) -> None:
    text = "请您先到大厅门口的取号机上取一个号码。"
    whole = voice.synthesise(text, "zh")
    parts = list(voice.stream(text, "zh"))
    assert len(parts) >= 2
    for part in parts:
        _check_times(part)
    together = join(parts)
    assert together.duration_s == pytest.approx(whole.duration_s, abs=0.06)
    size = 2 * max(len(whole.samples), len(together.samples))
    spectra = np.fft.rfft(whole.samples, size), np.fft.rfft(together.samples, size)
    correlation = np.fft.irfft(spectra[0] * np.conj(spectra[1])).max()
    assert correlation / np.linalg.norm(whole.samples) / np.linalg.norm(together.samples) > 0.9
    steps = np.abs(np.diff(together.samples))
    for position in np.cumsum([len(part.samples) for part in parts])[:-1]:
        near = steps[position - 480 : position + 480]
        assert steps[position - 1] <= 1.5 * np.percentile(near, 99)


def test_stopping_between_parts_ends_the_stream(voice: Synthesiser) -> None:
    heard: list[SynthesisedSpeech] = []
    for part in voice.stream("请您先到大厅门口的取号机上取一个号码。", "zh", lambda: bool(heard)):
        heard.append(part)
    assert len(heard) == 1


def test_both_engines_are_equally_loud_and_say_what_was_asked(voice: Synthesiser) -> None:
    faster_whisper = pytest.importorskip("faster_whisper")
    soxr = pytest.importorskip("soxr")
    from pypinyin import lazy_pinyin

    if not (WHISPER / "model.bin").exists():
        pytest.skip("no recogniser: run `python main.py models fetch`")
    recogniser = faster_whisper.WhisperModel(str(WHISPER), device="cpu", compute_type="int8", cpu_threads=2)

    def hear(text: str, language: Language) -> str:
        speech = voice.synthesise(text, language)
        assert _level_db(speech.samples) == pytest.approx(TARGET_DB, abs=2.0)
        sound = soxr.resample(speech.samples, SAMPLE_RATE, 16_000)
        segments, _ = recogniser.transcribe(sound, language=language, beam_size=1, without_timestamps=True)
        return "".join(segment.text for segment in segments)

    english = hear("Please do not share your password with anybody.", "en")
    assert english.strip().lower().rstrip(".") == "please do not share your password with anybody"
    chinese = "".join(c for c in hear("我们的营业时间是周一到周五", "zh") if "\u4e00" <= c <= "\u9fff")
    assert lazy_pinyin(chinese) == lazy_pinyin("我们的营业时间是周一到周五")
