"""How long visitors wait, with and without thinking ahead, side by side; and for answers that are prepared."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass

from kiosk.profile import load_profile
from models.types import LANGUAGES
from tests.lobby.questions import QUESTIONS
from tests.lobby.session import Answer, Session, Setting
from tests.lobby.visitors import Question, say_as

AS_BEFORE = "[language_model]\nspeculate = false\nprepare_suggested = false\n"
THINKING_AHEAD = "[language_model]\nspeculate = true\nprepare_suggested = false\n"
PREPARED = "[language_model]\nspeculate = true\nprepare_suggested = true\n"


@dataclass(kw_only=True)
class Wait:
    """One question asked twice. Last voiced sample → first audible sample, ms."""

    question: str
    before_ms: float | None = None
    after_ms: float | None = None


def compare(setting: Setting, questions: Sequence[Question] = QUESTIONS) -> list[Wait]:
    """The questions without and with thinking ahead."""
    before = _ask_all(setting, AS_BEFORE, questions)
    after = _ask_all(setting, THINKING_AHEAD, questions)
    return _rows(questions, before, after)


def prepared(setting: Setting, prepare_s: float, count: int = 6) -> list[Wait]:
    """Suggested questions asked aloud: thought about, and with the approved answers prepared in `prepare_s`."""
    questions = [
        Question(text, language, ".", ".")
        for language in LANGUAGES
        for text in load_profile("bank").text(language).suggested_questions[: count // 2]
    ]
    before = _ask_all(setting, AS_BEFORE, questions)
    return _rows(questions, before, _ask_all(setting, PREPARED, questions, prepare_s, is_approved=True))


def _ask_all(
    setting: Setting,
    config: str,
    questions: Sequence[Question],
    prepare_s: float = 2.0,
    *,
    is_approved: bool = False,
) -> list[Answer | None]:
    for i, question in enumerate(questions):
        say_as(Session(setting).voice(i), question.text, question.language)
    chosen = dataclasses.replace(setting, config=setting.config + config, is_approved=is_approved)
    with Session(chosen) as session:
        time.sleep(prepare_s)
        answers = []
        for i, question in enumerate(questions):
            session.wait_until_quiet()
            answers.append(session.ask(question, i))
    return answers


def _rows(questions: Sequence[Question], before: list[Answer | None], after: list[Answer | None]) -> list[Wait]:
    return [
        Wait(question=question.text, before_ms=_wait_ms(one), after_ms=_wait_ms(other))
        for question, one, other in zip(questions, before, after, strict=True)
    ]


def _wait_ms(answer: Answer | None) -> float | None:
    return None if answer is None or answer.wait_s is None else 1000 * answer.wait_s
