"""From what is going on to what the screen shows."""

from __future__ import annotations

import pytest

from kiosk.audio.health import MicStatus
from kiosk.audio.playback import SpeakerStatus
from kiosk.config import SessionConfig
from kiosk.pipeline.conversation import Conversation
from kiosk.profile import load_profile
from kiosk.ui.presenter import Status, present
from kiosk.ui.state import Phase, Severity, StepState
from kiosk.ui.texts import load_texts
from models.types import Language


class NoEffects:
    """Effects that cause nothing."""

    def new_turn(self) -> int:
        return 1

    def ask(self, question: object) -> None: ...
    def say(self, turn_id: int, text: str, language: Language) -> None: ...
    def silence(self) -> None: ...
    def begin_turn(self, turn_id: int) -> None: ...
    def dismiss(self, turn_id: int) -> None: ...
    def fill(self, turn_id: int, text: str, language: Language) -> None: ...
    def hold(self) -> bool:
        return False

    def resume(self) -> None: ...
    def heard(self, turn_id: int) -> str:
        return ""

    def remember_only(self, turn_id: int, said: str) -> None: ...
    def listen(self, is_open: bool, is_answering: bool) -> None: ...
    def forget(self) -> None: ...


BANK = load_profile("bank")


@pytest.fixture
def visit() -> Conversation:
    return Conversation(BANK, SessionConfig(), "zh", NoEffects())


@pytest.fixture
def status() -> Status:
    steps = {"hearing": StepState.DONE, "language model": StepState.RUNNING}
    return Status(
        profile=BANK,
        steps=steps,
        volume=0.5,
        larger_text=False,
        push_to_talk=False,
        idle_seconds_total=10,
        is_ready=True,
    )


def test_until_everything_is_loaded_the_screen_shows_the_steps(visit: Conversation, status: Status) -> None:
    status.is_ready = False
    state = present(visit, status, 0)
    assert state.phase is Phase.LOADING
    assert [(step.label, step.state) for step in state.loading] == [
        ("听觉", StepState.DONE),
        ("语言模型", StepState.RUNNING),
    ]


def test_a_failure_is_shown_whatever_else_goes_on(visit: Conversation, status: Status) -> None:
    status.failure = "the voice is missing"
    state = present(visit, status, 0)
    assert (state.phase, state.error) == (Phase.ERROR, "the voice is missing")


def test_the_visit_and_its_language_are_shown(visit: Conversation, status: Status) -> None:
    visit.question_typed("Where is the toilet?", 0)
    state = present(visit, status, 0)
    assert (state.phase, state.language, state.visitor_caption) == (Phase.THINKING, "en", "Where is the toilet?")
    assert state.suggestions == BANK.en.suggested_questions


@pytest.mark.parametrize(
    ("microphone", "loudspeaker", "text"),
    [
        (MicStatus.ABSENT, SpeakerStatus.ABSENT, "microphone_absent"),
        (MicStatus.SILENT_DEVICE, SpeakerStatus.OK, "microphone_silent"),
        (MicStatus.OK, SpeakerStatus.ABSENT, "loudspeaker_absent"),
    ],
)
def test_a_missing_device_is_told_in_the_screens_language(
    visit: Conversation, status: Status, microphone: MicStatus, loudspeaker: SpeakerStatus, text: str
) -> None:
    status.microphone, status.loudspeaker = microphone, loudspeaker
    notice = present(visit, status, 0).notice
    assert notice is not None
    assert (notice.text, notice.severity) == (getattr(load_texts("zh"), text), Severity.WARNING)


def test_the_countdown_before_forgetting(visit: Conversation, status: Status) -> None:
    visit.touched(0)
    visit.stopped(0)
    visit.tick(46, False)
    state = present(visit, status, 46)
    assert (state.phase, state.idle_seconds_left, state.idle_seconds_total) == (Phase.IDLE_WARNING, 9, 10)
