"""Rows of the case list about turns, by their ids, with the real networks."""

from __future__ import annotations

import re

import pytest

from kiosk.hearing.segmenter import Segmenter
from kiosk.paths import checkpoints_dir
from models.asr.base import Recogniser
from models.types import Language
from tests.hearing.turn_ends import RECOGNITION_S
from tests.hearing.visit_by_ear import listen
from tests.hearing.visiting_voices import say

pytestmark = pytest.mark.weights

GAP_S = 0.9
GROUPS: dict[Language, tuple[str, ...]] = {
    "zh": ("一三八", "零零一三", "八零零零"),
    "en": ("one three eight", "zero zero one three", "eight zero zero zero"),
}


NUMERALS = str.maketrans("零一二三四五六七八九", "0123456789")


@pytest.mark.parametrize(
    ("language", "mark", "is_readable"),
    [("zh", "", False), ("zh", "，", False), ("en", ",", True), ("en", "", False)],
)
def test_TT_09_a_number_dictated_in_groups_is_one_turn(
    real_segmenter: Segmenter, whisper: Recogniser, language: Language, mark: str, is_readable: bool
) -> None:
    if not (checkpoints_dir() / "kokoro-82m").is_dir():
        pytest.skip("no weights of kokoro-82m")
    heard = say(GROUPS[language], language, 0, pauses_s=(GAP_S, GAP_S), mark=mark)
    (found,) = listen(real_segmenter, heard.samples, lambda samples: whisper.transcribe(samples).text, RECOGNITION_S)
    assert found.turn.speech_end_ns / 1e9 == pytest.approx(heard.ends_s[-1], abs=0.2)
    if is_readable:  # Whisper-base does not read each voice's digits
        digits = re.sub(r"\D", "", whisper.transcribe(found.turn.samples).text.translate(NUMERALS))
        assert abs(len(digits) - 11) <= 1  # all groups; on some processors' rounding a digit too much is read
