"""Rows of the case list about turns, by their ids, with the real networks."""

from __future__ import annotations

import re

import numpy as np
import pytest

from kiosk.hearing.segmenter import Segmenter
from models.asr.base import Recogniser
from tests.hearing.hearing_sounds import RATE, clip, noise, silence
from tests.hearing.turn_ends import RECOGNITION_S
from tests.hearing.visit_by_ear import listen
from tests.hearing.visiting_voices import LEAD_S, ROOM_DB

pytestmark = pytest.mark.weights

NUMERALS = str.maketrans("零一二三四五六七八九", "0123456789")


@pytest.mark.parametrize(
    ("name", "is_readable"),
    [("zh_dictated", False), ("zh_dictated_commas", False), ("en_dictated_commas", True), ("en_dictated", False)],
)
def test_TT_09_a_number_dictated_in_groups_is_one_turn(
    real_segmenter: Segmenter, whisper: Recogniser, name: str, is_readable: bool
) -> None:
    sound = np.concatenate([silence(LEAD_S), clip(name), silence(3)])
    sound += noise(len(sound) / RATE, ROOM_DB)
    end_s = LEAD_S + len(clip(name)) / RATE
    (found,) = listen(real_segmenter, sound, lambda samples: whisper.transcribe(samples).text, RECOGNITION_S)
    assert found.turn.speech_end_ns / 1e9 == pytest.approx(end_s, abs=0.2)
    if is_readable:  # Whisper-base does not read each voice's digits
        digits = re.sub(r"\D", "", whisper.transcribe(found.turn.samples).text.translate(NUMERALS))
        assert abs(len(digits) - 11) <= 1  # all groups; on some processors' rounding a digit too much is read
