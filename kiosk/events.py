"""What flows between the stages: frozen messages, each with its turn and its time of birth.

Arrays handed over belong to the receiver: the sender does not write to them again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from models.types import FloatArray, Language, PhonemeTime

EndedBy: TypeAlias = Literal["model", "silence", "length", "button"]
Source: TypeAlias = Literal["approved", "tool", "knowledge", "model", "refusal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Anything that flows. Dropped by every stage once its turn is over."""

    turn_id: int
    """Generation number of the turn; see `kiosk.pipeline.scope.TurnScope`."""
    created_ns: int = field(default_factory=time.monotonic_ns)
    """time.monotonic_ns() at creation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechStarted(Event):
    """A visitor began to speak."""

    is_interruption: bool = False
    """The kiosk is thinking or speaking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance(Event):
    """One stretch of speech, ended."""

    samples: FloatArray
    """float32 mono at 16 kHz in [-1, 1], with pre-roll."""
    speech_end_ns: int
    """time.monotonic_ns() of the last voiced sample at the microphone."""
    ended_by: EndedBy
    """Which rule closed the turn."""
    is_interruption: bool = False
    """It began while the kiosk was thinking or speaking; whether it ends that turn depends on its words."""
    continues: int | None = None
    """The turn that the speaker may only have paused in: closed a moment before, and not answered yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause(Event):
    """The speaker paused: recognition may begin on trial. If the turn ends here, its `Utterance` has this number."""

    samples: FloatArray
    """The turn so far, as in `Utterance`."""
    speech_end_ns: int
    """As in `Utterance`."""
    is_interruption: bool = False
    """As in `Utterance`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Event):
    """What the visitor wants to know, as text: recognised, typed or chosen from the suggestions."""

    text: str
    """Written form, never empty."""
    language: Language
    """The answer is given in this language."""
    speech_end_ns: int | None = None
    """As in `Utterance`; None for a typed question."""
    is_trial: bool = False
    """The visitor has paused and may go on: nobody is to see an answer before the same question comes for good."""
    is_interruption: bool = False
    """As in `Utterance`: the conversation decides what becomes of it."""
    log_probability: float = 0.0
    """The recogniser's mean over its tokens; about -0.3 for clear speech. 0 for a typed question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingHeard(Event):
    """An utterance held nothing to answer (noise, silence, an echo of the prompt)."""

    speech_end_ns: int | None = None
    """As in `Utterance`."""
    is_trial: bool = False
    """As in `Question`."""
    is_interruption: bool = False
    """As in `Utterance`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyClause(Event):
    """One clause of the answer, ready to be spoken."""

    index: int
    """From 0 within the turn."""
    written: str
    """For the captions."""
    spoken: str
    """For the synthesiser: normalised, no digits or symbols; may be empty (then only the caption shows)."""
    language: Language
    """Of the answer."""
    source: Source = "model"
    """Where the words come from."""
    is_filler: bool = False
    """Bridges the wait for the answer; not part of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareAnswer(Event):
    """Think about a question that is often asked while nobody is here, so that its answer is ready."""

    text: str
    """Written form."""
    language: Language
    """Of the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrepareSpeech(Event):
    """Make and keep the sound of a clause while nobody is here."""

    spoken: str
    """As in `ReplyClause`."""
    language: Language
    """As in `ReplyClause`."""
    completes: str = ""
    """The question whose answer is ready once this is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndOfReply(Event):
    """The last clause of the turn has been passed on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstToken(Event):
    """The language model has begun to answer; for the latency record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechClip(Event):
    """A clause as sound with its phoneme times."""

    clause: ReplyClause
    """What is said."""
    samples: FloatArray
    """float32 mono in [-1, 1]; may be empty."""
    sample_rate: int
    """Hz."""
    phonemes: tuple[PhonemeTime, ...]
    """On the clip's own clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageError(Event):
    """A stage failed. Overtakes data and is never dropped."""

    stage: str
    """Name of the stage."""
    message: str
    """One line for the operator."""
    is_permanent: bool
    """The stage is unusable until somebody acts."""
