"""Many random events, after each a normal question: is it answered, and does the kiosk stay as small as it was?"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import psutil

from models.types import Language
from tests.lobby.acoustics import in_room
from tests.lobby.noises import NOISES, backchannel
from tests.lobby.program import Line
from tests.lobby.questions import QUESTIONS
from tests.lobby.room import Said
from tests.lobby.session import WAITING, Session
from tests.lobby.track import NS
from tests.lobby.visitors import PAUSE_MARK, Question, holds, say_as

EventKind = Literal[
    "speech",
    "hesitant speech",
    "walks away",
    "half a sentence",
    "noise",
    "listener",
    "touch",
    "stop",
    "language",
    "speaker",
    "microphone",
]
WEIGHTS: dict[EventKind, int] = {
    "speech": 15,
    "hesitant speech": 8,
    "half a sentence": 10,
    "noise": 20,
    "listener": 15,
    "touch": 6,
    "stop": 10,
    "language": 6,
    "speaker": 4,
    "microphone": 4,
    "walks away": 2,
}
OVERLAPPING = 0.3
"""Share of events that do not wait until the kiosk has finished."""
DEADLINE_S = 30.0
"""From the end of the question to the first sound of its answer: `session.answer_deadline_s`."""
MICROPHONE_AWAY_S = 1.5
AWAY_S = 12.0
SHORT_VISITS = "[session]\nidle_s = 8\nfarewell_s = 2\n"
"""For the configuration: who walks away is forgotten within `AWAY_S`."""
HESITATIONS: dict[Language, str] = {"zh": "请问一下", "en": "Excuse me"}
LONGEST_BREATH_S = 0.5
SETTLED_S = 1.2
"""Nobody has spoken for so long: what was said before is a turn of its own."""
ASKINGS = 2
"""So often a visitor says a question that is not understood."""
MISHEARD_AFTER_S = 6.0
"""So long after a question the kiosk waits for a visitor (again): nothing more will come."""
WRITTEN_WITHIN_S = 4.0
"""From the first sound of an answer to its fact in writing."""
WARM_UP_SHARE = 0.1
ENOUGH_TO_COMPARE = 5


@dataclass(frozen=True, kw_only=True)
class Planned:
    """One event to come."""

    kind: EventKind
    overlaps: bool
    number: int
    """Chooses voice, words or noise."""
    share: float
    """0..1, chooses how much of it."""


@dataclass(kw_only=True)
class Happened:
    """One event and the question after it."""

    event: str
    overlaps: bool
    question: str = ""
    """Asked afterwards; empty when none was."""
    misheard: list[str] = field(default_factory=list)
    """What the kiosk made of the question before it was said once more; empty when it was understood at once."""
    transcript: str = ""
    is_answered: bool | None = None
    """Understood, and answered aloud within its deadline."""
    is_right: bool | None = None
    """The answer as written holds the fact."""
    wait_ms: float | None = None
    """Last voiced sample → first sound of the answer, as the kiosk says."""
    event_s: float = 0.0
    """Until it had happened and its traces were gone."""
    question_s: float = 0.0
    """From then until the question was answered, or given up."""
    problem: str = ""


@dataclass(kw_only=True)
class Size:
    """The kiosk's process."""

    threads: int
    handles: int
    resident_mb: float


@dataclass(kw_only=True)
class Soak:
    """What came of it."""

    happened: list[Happened] = field(default_factory=list)
    start: Size | None = None
    warm: Size | None = None
    end: Size | None = None
    errors: list[str] = field(default_factory=list)
    """What the stages reported."""

    @property
    def growth(self) -> dict[str, float]:
        """From warm-up to the end, in per cent."""
        if self.warm is None or self.end is None:
            return {}
        pairs = {name: (getattr(self.warm, name), getattr(self.end, name)) for name in vars(self.warm)}
        return {name: 100 * (end / warm - 1) for name, (warm, end) in pairs.items()}


def plan(count: int, seed: int) -> Iterator[Planned]:
    """Random events, the same for the same seed."""
    rng = random.Random(seed)
    kinds, weights = list(WEIGHTS), list(WEIGHTS.values())
    for _ in range(count):
        yield Planned(
            kind=rng.choices(kinds, weights)[0],
            overlaps=rng.random() < OVERLAPPING,
            number=rng.randrange(1_000_000),
            share=rng.random(),
        )


def soak(session: Session, count: int, *, ask_every: int = 1, report: bool = False) -> Soak:
    """Let `count` events happen, with a question after each, or after each `ask_every`."""
    for i, question in enumerate(QUESTIONS):
        for voice in (i, i + 1):
            say_as(session.voice(voice), question.text, question.language)
    found = Soak(start=_size(session))
    start_ns = time.monotonic_ns()
    sizes = []
    for i, event in enumerate(plan(count, session.setting.seed)):
        began_s = time.monotonic()
        happened = _happen(session, event)
        happened.event_s = round(time.monotonic() - began_s, 1)
        found.happened.append(happened)
        if (i + 1) % ask_every:
            continue
        began_s = time.monotonic()
        _ask(session, happened, i // ask_every)
        happened.question_s = round(time.monotonic() - began_s, 1)
        sizes.append(_size(session))
        if report:
            print(i, happened, sizes[-1], flush=True)
    found.errors = [f"{line['stage']}: {line['message']}" for line in session.seen(start_ns, "error")]
    warm = round(len(sizes) * WARM_UP_SHARE)
    window = max(1, min(ENOUGH_TO_COMPARE, len(sizes) // 2))
    found.warm, found.end = _middle(sizes[warm : warm + window]), _middle(sizes[-window:])
    return found


def _happen(session: Session, event: Planned) -> Happened:
    """Let it happen, and what it leaves behind pass."""
    out = Happened(event=event.kind, overlaps=event.overlaps)
    said: Said | None = None
    if not event.overlaps and not session.wait_until_quiet(90):
        out.problem = f"still {session.phase} after 90 s"
    if event.kind in ("speech", "hesitant speech", "half a sentence"):
        asked = QUESTIONS[event.number % len(QUESTIONS)]
        text = asked.text
        if event.kind == "hesitant speech":
            text = HESITATIONS[asked.language] + PAUSE_MARK + text
        sound = say_as(session.voice(event.number % len(QUESTIONS)), text, asked.language, 0.4 + 0.6 * event.share)
        if event.number % 3 == 0:
            sound = in_room(sound, event.number % 7)
        is_half = event.kind == "half a sentence"
        whole = round(len(sound) * (0.3 + 0.4 * event.share)) if is_half else len(sound)
        out.event = f"{event.kind}: {asked.text}"
        said = session.speak(sound[:whole])
    elif event.kind == "noise":
        name = list(NOISES)[event.number % len(NOISES)]
        out.event = f"noise: {name}"
        said = session.speak(NOISES[name](event.number % 8))
    elif event.kind == "listener":
        word, sound = backchannel(session.voice(event.number // 8), event.number)
        out.event = f"listener: {word}"
        said = session.speak(sound)
    elif event.kind == "touch":
        session.touch("face")
    elif event.kind in ("stop", "language"):
        session.touch(event.kind)
    elif event.kind == "walks away":
        time.sleep(AWAY_S)
    elif event.kind == "speaker":
        session.set.change_speaker()
    else:
        session.set.unplug_microphone()
        time.sleep(MICROPHONE_AWAY_S)
        session.set.plug_microphone()
    time.sleep(event.share * LONGEST_BREATH_S)
    if said is not None:
        said.wait()
        time.sleep(SETTLED_S)
    return out


def _ask(session: Session, out: Happened, number: int) -> None:
    """A normal question, as a visitor asks who sees whether the kiosk hears; who is misheard says it once more."""
    asked = QUESTIONS[number % len(QUESTIONS)]
    out.question, out.is_answered, out.is_right = asked.text, False, False
    sound = say_as(session.voice(number + number // len(QUESTIONS) % 2), asked.text, asked.language)
    for asking in range(ASKINGS):
        if (asking or not out.overlaps) and not session.wait_until_quiet(60):
            out.problem = out.problem or f"still {session.phase} after 60 s"
        _wait_for_devices(session)
        said = session.speak(sound)
        said.wait()
        heard = _understood(session, said, asked)
        if heard is not None:
            _judge(session, out, asked, said, heard)
            return
        others = session.seen(said.last_voiced_ns, "question", "nothing_heard")
        out.misheard.append(str(others[-1].get("text", "")) if others else "")
    out.problem = out.problem or "not understood"


def _understood(session: Session, said: Said, asked: Question) -> Line | None:
    """The trace's line with these words; None when they were misheard.

    A line from before the last of these words is somebody else's question, though it may be about the same thing.
    """
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        heard = session.wait_for(
            said.last_voiced_ns,
            1.0,
            "question",
            matches=lambda line: holds(asked.heard, str(line["text"]), asked.language),
        )
        is_over = time.monotonic_ns() > said.end_ns + MISHEARD_AFTER_S * NS and session.phase in WAITING
        if heard is not None or is_over:
            return heard
    return None


def _judge(session: Session, out: Happened, asked: Question, said: Said, heard: Line) -> None:
    """Was it answered in time, and right?"""
    out.transcript, turn = str(heard["text"]), heard["turn"]
    left_s = DEADLINE_S - (time.monotonic_ns() - said.last_voiced_ns) / NS
    sound = session.wait_for(said.start_ns, left_s, "sound", matches=lambda line: bool(line["turn"] == turn))
    out.is_answered = sound is not None
    if sound is None:
        out.problem = out.problem or "no answer in time"
        return
    out.wait_ms = (sound["heard_ns"] - said.last_voiced_ns) / 1e6

    def written(line: Line) -> bool:
        clauses = "".join(clause["written"] for clause in session.seen(said.start_ns, "clause", turn=turn))
        return holds(asked.fact, clauses, asked.language)

    out.is_right = session.wait_for(said.start_ns, WRITTEN_WITHIN_S, "clause", matches=written) is not None


def _wait_for_devices(session: Session) -> None:
    """Until both devices work, as the newest line about them says."""
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        session.kiosk.unread()
        newest = next((line for line in reversed(session.kiosk.lines) if line["what"] == "devices"), None)
        if newest is None or (newest["microphone"], newest["loudspeaker"]) == ("ok", "ok"):
            return
        time.sleep(0.1)


def _size(session: Session) -> Size:
    assert session.kiosk.process is not None
    process = psutil.Process(session.kiosk.process.pid)
    return Size(threads=process.num_threads(), handles=process.num_fds(), resident_mb=process.memory_info().rss / 1e6)


def _middle(sizes: list[Size]) -> Size:
    return Size(
        threads=round(statistics.median(size.threads for size in sizes)),
        handles=round(statistics.median(size.handles for size in sizes)),
        resident_mb=statistics.median(size.resident_mb for size in sizes),
    )
