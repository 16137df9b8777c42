from __future__ import annotations

import pytest

from kiosk.answers.answer_file import read_answers
from kiosk.config import AnswersConfig, Config
from kiosk.events import Question, Utterance
from kiosk.face.portrait import load_portrait, shipped_avatars_dir
from kiosk.paths import RESOURCES, checkpoints_dir
from kiosk.pipeline.engines import DEFAULT_RECOGNISER, load_repair, plan_engines
from kiosk.pipeline.scope import TurnScope
from kiosk.pipeline.stages import RecognitionStage
from kiosk.profile import load_profile
from models.asr import load_recogniser
from models.weights import locate
from tests.hearing.hearing_sounds import clip


def test_only_chinese_is_repaired() -> None:
    repair = load_repair(load_profile("bank"))
    assert repair("请问测缩在哪里？", "zh") == "请问厕所在哪里？"
    assert repair("Where is 测缩?", "en") == "Where is 测缩?"


def test_questions_of_approved_answers_help() -> None:
    profile = load_profile("bank")
    answers = read_answers(RESOURCES / "answers" / "bank.csv")
    heard = "请问扯塑在哪里？"
    assert load_repair(profile)(heard, "zh") == heard
    assert load_repair(profile, answers)(heard, "zh") == "请问厕所在哪里？"


def test_the_shipped_questions_help_where_no_answer_is_approved() -> None:
    config = Config(answers=AnswersConfig(approved=False))
    engines = plan_engines(config, load_profile("bank"), load_portrait(shipped_avatars_dir() / "mei"))
    assert engines.approved is None
    assert engines.repair()("请问扯塑在哪里？", "zh") == "请问厕所在哪里？"


@pytest.mark.weights
def test_the_stage_gives_the_words_that_were_meant() -> None:
    recogniser = load_recogniser("auto", locate(DEFAULT_RECOGNISER, checkpoints_dir()), threads=2)
    scope = TurnScope()
    texts = []
    for load in (None, lambda: load_repair(load_profile("bank"))):
        stage = RecognitionStage(lambda: recogniser, scope, load)
        stage.load()
        utterance = Utterance(turn_id=scope.advance(), samples=clip("zh_toilet"), speech_end_ns=0, ended_by="silence")
        texts += [event.text for event in stage.process(utterance) if isinstance(event, Question)]
    stage.close()
    before, after = texts
    assert "厕所" in after
    assert len(before) == len(after)
