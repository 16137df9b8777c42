"""Sound that is made beforehand: kept, found again, never in the wrong voice, never without bounds."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from kiosk.pipeline.prepared_speech import MAX_IN_MEMORY, PreparedSpeech
from models.tts.base import SynthesisedSpeech
from models.types import PhonemeTime


def sound(seconds: float = 0.1, level: float = 0.5) -> tuple[SynthesisedSpeech, ...]:
    samples = (level * np.sin(np.arange(round(24_000 * seconds)) / 9)).astype(np.float32)
    phonemes = (PhonemeTime(symbol="n", start_s=0.0, end_s=0.05), PhonemeTime(symbol="i↓", start_s=0.05, end_s=0.1))
    return (
        SynthesisedSpeech(samples=samples, sample_rate=24_000, phonemes=phonemes),
        SynthesisedSpeech(samples=samples[::2].copy(), sample_rate=24_000, phonemes=()),
    )


def test_what_was_kept_is_found_at_the_next_start(tmp_path: Path) -> None:
    PreparedSpeech(tmp_path / "speech", "mei").put("您好。", "zh", sound())
    kept = PreparedSpeech(tmp_path / "speech", "mei")
    assert ("您好。", "zh") in kept
    parts = kept.get("您好。", "zh")
    assert parts is not None
    assert [part.phonemes for part in parts] == [part.phonemes for part in sound()]
    for part, made in zip(parts, sound(), strict=True):
        assert part.samples.dtype == np.float32
        np.testing.assert_allclose(part.samples, made.samples, atol=1 / 32_000)


def test_another_text_language_or_voice_has_another_sound(tmp_path: Path) -> None:
    PreparedSpeech(tmp_path, "mei").put("OK", "zh", sound())
    for spoken, language, voice in (("Okay", "zh", "mei"), ("OK", "en", "mei"), ("OK", "zh", "leo")):
        other = PreparedSpeech(tmp_path, voice)
        assert (spoken, language) not in other
        assert other.get(spoken, language) is None  # type: ignore[arg-type]


@pytest.mark.parametrize("keep", [0, 40, 0.9])
def test_a_damaged_file_is_made_anew(tmp_path: Path, keep: float, caplog: pytest.LogCaptureFixture) -> None:
    kept = PreparedSpeech(tmp_path, "mei")
    kept.put("您好。", "zh", sound())
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[: round(keep * len(whole)) if keep < 1 else int(keep)])
    assert kept.get("您好。", "zh") is None
    assert not list(tmp_path.iterdir())
    assert "made anew" in caplog.text
    kept.put("您好。", "zh", sound())
    assert kept.get("您好。", "zh") is not None


def test_what_was_used_longest_ago_makes_room(tmp_path: Path) -> None:
    size = PreparedSpeech(tmp_path, "mei")
    size.put("0", "zh", sound())
    (first,) = tmp_path.iterdir()
    kept = PreparedSpeech(tmp_path, "mei", max_bytes=3 * first.stat().st_size + 100)
    os.utime(first, ns=(1, 1))
    for number in (1, 2):
        kept.put(str(number), "zh", sound())
    assert kept.get("0", "zh") is not None  # used: now the newest
    os.utime(tmp_path / kept._name("1", "zh"), ns=(2, 2))
    kept.put("3", "zh", sound())
    assert [("0", "zh") in kept, ("1", "zh") in kept, ("3", "zh") in kept] == [True, False, True]


def test_where_no_file_can_be_written_memory_serves_and_stays_small(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    for kept in (PreparedSpeech(blocked, "mei"), PreparedSpeech(None, "mei")):
        for number in range(MAX_IN_MEMORY + 5):
            kept.put(str(number), "en", sound(0.01))
        assert kept.get("0", "en") is None
        assert kept.get(str(MAX_IN_MEMORY + 4), "en") is not None
        assert len(kept._in_memory) == MAX_IN_MEMORY
    assert blocked.read_text() == "not a folder"
