"""From what is going on to what the screen shows: pure functions."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kiosk.audio.health import MicStatus
from kiosk.audio.playback import SpeakerStatus
from kiosk.pipeline.conversation import Conversation
from kiosk.profile import Profile
from kiosk.ui.state import LoadStep, Notice, Phase, ScreenState, Severity, StepState
from kiosk.ui.texts import Texts, load_texts


@dataclass(slots=True, kw_only=True)
class Status:
    """What the controller knows besides the conversation."""

    profile: Profile
    """Title and suggested questions."""
    steps: dict[str, StepState]
    """Stages in the order of loading."""
    volume: float
    """Loudness of the voice, 0..1."""
    larger_text: bool
    """Type a third larger."""
    push_to_talk: bool
    """Show the talk button."""
    idle_seconds_total: float
    """Length of the warning before a visit is forgotten."""
    is_ready: bool = False
    """All models are loaded."""
    failure: str = ""
    """One line when the kiosk cannot work."""
    warning: str = ""
    """One line when a part is missing but the kiosk works."""
    is_recovering: bool = False
    """A stage is being started again."""
    hearing_level: float = 0.0
    """Loudness at the microphone, 0..1."""
    microphone: MicStatus = MicStatus.OK
    """State of the microphone."""
    loudspeaker: SpeakerStatus = SpeakerStatus.OK
    """State of the loudspeaker."""


def present(conversation: Conversation, status: Status, now_s: float) -> ScreenState:
    """What the screen shows now."""
    language = conversation.language
    text, texts = status.profile.text(language), load_texts(language)
    return ScreenState(
        phase=_phase(conversation, status),
        language=language,
        title=text.title,
        visitor_caption=conversation.visitor_caption,
        reply_caption=conversation.reply_caption,
        is_acknowledged=conversation.is_acknowledged,
        is_held=conversation.is_held,
        hearing_level=round(status.hearing_level, 1),
        suggestions=text.suggested_questions,
        notice=_notice(conversation, status, texts),
        loading=tuple(_load_step(name, state, texts) for name, state in status.steps.items()),
        error=status.failure,
        idle_seconds_left=math.ceil(conversation.idle_seconds_left(now_s) or 0),
        idle_seconds_total=max(1, math.ceil(status.idle_seconds_total)),
        volume=status.volume,
        larger_text=status.larger_text,
        can_replay=conversation.can_replay,
        push_to_talk=status.push_to_talk,
    )


def _phase(conversation: Conversation, status: Status) -> Phase:
    if status.failure:
        return Phase.ERROR
    return Phase(conversation.phase.value) if status.is_ready else Phase.LOADING


def _notice(conversation: Conversation, status: Status, texts: Texts) -> Notice | None:
    if status.microphone is MicStatus.ABSENT:
        return Notice(text=texts.microphone_absent, severity=Severity.WARNING)
    if status.microphone is MicStatus.SILENT_DEVICE:
        return Notice(text=texts.microphone_silent, severity=Severity.WARNING)
    if status.loudspeaker is SpeakerStatus.ABSENT:
        return Notice(text=texts.loudspeaker_absent, severity=Severity.WARNING)
    if status.is_recovering:
        return Notice(text=texts.recovering)
    if status.warning:
        return Notice(text=status.warning, severity=Severity.WARNING)
    return Notice(text=conversation.notice) if conversation.notice else None


def _load_step(name: str, state: StepState, texts: Texts) -> LoadStep:
    return LoadStep(name=name, label=getattr(texts, "stage_" + name.replace(" ", "_")), state=state)
