"""Whisper with its real weights, loaded once for all tests of recognition."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kiosk.paths import checkpoints_dir
from models.asr import load_recogniser
from models.asr.base import Recogniser

TERMS = "开户、办卡、身份证件、跨行转账手续费、定期存款利率、厕所、外币、贷款、信用卡"


@pytest.fixture(scope="session")
def whisper() -> Iterator[Recogniser]:
    """Warm, with the words of a bank."""
    folder = checkpoints_dir() / "whisper-base"
    if not (folder / "model.bin").is_file():
        pytest.skip(f"no weights at {folder}")
    recogniser = load_recogniser("auto", folder, device="cpu", threads=2, prompt_words={"zh": TERMS})
    recogniser.warm_up()
    yield recogniser
    recogniser.close()
