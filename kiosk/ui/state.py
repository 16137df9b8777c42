"""What the screen shows, as one frozen value. No Qt here: the controller builds it in any thread."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from models.types import Language


class Phase(Enum):
    """Where the conversation is; decides the page, the status line and which controls work."""

    LOADING = "loading"
    ATTRACT = "attract"
    GREETING = "greeting"
    LISTENING = "listening"
    THINKING = "thinking"
    SPEAKING = "speaking"
    IDLE_WARNING = "idle_warning"
    FAREWELL = "farewell"
    ERROR = "error"

    @property
    def is_conversation(self) -> bool:
        """Captions and suggestions are shown."""
        return self in (Phase.GREETING, Phase.LISTENING, Phase.THINKING, Phase.SPEAKING)

    @property
    def can_stop(self) -> bool:
        """There is something that the stop button ends."""
        return self in (Phase.GREETING, Phase.THINKING, Phase.SPEAKING)

    @property
    def forgets(self) -> bool:
        """Nothing of a visitor may be on the screen."""
        return self in (Phase.LOADING, Phase.ATTRACT, Phase.FAREWELL, Phase.ERROR)


class Severity(Enum):
    """How much a notice matters."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class StepState(Enum):
    """Progress of one step of the start."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One line above the conversation, such as a missing microphone."""

    text: str
    """What is wrong and what to do, in the screen's language."""
    severity: Severity = Severity.INFO
    """Colour and icon of the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadStep:
    """One model or device that is being made ready."""

    name: str
    """Stable name, such as "asr"."""
    label: str
    """For the screen, such as "Speech recognition"."""
    state: StepState = StepState.PENDING
    """How far it is."""
    progress: float | None = None
    """0..1 of this step, or None while nobody can tell."""
    detail: str = ""
    """What it is (the model's name) or, when failed, what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenState:
    """Everything on the screen. Two equal states look the same."""

    phase: Phase = Phase.LOADING
    """Where the conversation is."""
    language: Language = "zh"
    """Language of buttons and hints."""
    title: str = ""
    """Name of the place or of the assistant, in the title bar."""
    visitor_caption: str = ""
    """What the visitor said or typed, written form."""
    reply_caption: str = ""
    """What has been answered so far, written form."""
    is_acknowledged: bool = False
    """The visitor has paused or finished: the strip says that the words arrived."""
    is_held: bool = False
    """The answer waits because somebody speaks: the strip shows listening."""
    hearing_level: float = 0.0
    """Loudness at the microphone, 0..1; moves the bars while listening."""
    suggestions: tuple[str, ...] = ()
    """Questions worth asking, the best first; as many as fit are shown."""
    notice: Notice | None = None
    """A line that asks for attention, or None."""
    loading: tuple[LoadStep, ...] = ()
    """The steps of the start, for LOADING and ERROR."""
    error: str = ""
    """For ERROR: one line that says what staff should do."""
    idle_seconds_left: int = 0
    """For IDLE_WARNING: seconds until the conversation is forgotten."""
    idle_seconds_total: int = 10
    """For IDLE_WARNING: seconds at its beginning, above 0."""
    volume: float = 0.9
    """Loudness of the voice, 0..1."""
    larger_text: bool = False
    """Type and controls a third larger."""
    can_replay: bool = False
    """There is a last answer to say again."""
    push_to_talk: bool = False
    """Listening only while the talk button is held."""
    ticker: str = ""
    """One line at the foot of the attract page; empty: the privacy line."""
