from __future__ import annotations

import numpy as np
import pytest
import soxr

from kiosk.events import Question, Utterance
from kiosk.normalize import normalize
from kiosk.paths import RESOURCES, checkpoints_dir
from kiosk.pipeline.engines import DEFAULT_RECOGNISER, VOICE, load_repair
from kiosk.pipeline.scope import TurnScope
from kiosk.pipeline.stages import RecognitionStage
from kiosk.profile import load_profile
from models.asr import load_recogniser
from models.asr.base import SAMPLE_RATE
from models.tts import load_synthesiser
from models.weights import locate


def test_only_chinese_is_repaired() -> None:
    repair = load_repair(load_profile("bank"))
    assert repair("请问测缩在哪里？", "zh") == "请问厕所在哪里？"
    assert repair("Where is 测缩?", "en") == "Where is 测缩?"


@pytest.mark.weights
def test_the_stage_gives_the_words_that_were_meant() -> None:
    voice = load_synthesiser(
        "kokoro",
        locate(VOICE, checkpoints_dir()),
        RESOURCES / "voices",
        voice_zh="zf_xiaoni",
        voice_en="af_bella",
        threads=2,
    )
    speech = voice.synthesise(normalize("请问厕所在哪里", "zh"), "zh")
    voice.close()
    samples = np.asarray(soxr.resample(speech.samples, speech.sample_rate, SAMPLE_RATE), np.float32)
    scope = TurnScope()
    texts = []
    for load in (None, lambda: load_repair(load_profile("bank"))):
        stage = RecognitionStage(
            lambda: load_recogniser("auto", locate(DEFAULT_RECOGNISER, checkpoints_dir()), threads=2), scope, load
        )
        stage.load()
        utterance = Utterance(turn_id=scope.advance(), samples=samples, speech_end_ns=0, ended_by="silence")
        texts += [event.text for event in stage.process(utterance) if isinstance(event, Question)]
        stage.close()
    before, after = texts
    assert "厕所" in after
    assert len(before) == len(after)
