"""The kiosk talks into its own microphone: does it take itself for a visitor, does it hear one who talks over it?"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from models.types import Language
from tests.lobby.program import Line
from tests.lobby.room import Said
from tests.lobby.session import WAITING, Session
from tests.lobby.track import NS
from tests.lobby.visitors import say_as

AFTERMATH_S = 4.0
"""What happens this long after a visitor's sound may come from it."""
TALK_OVERS: tuple[tuple[str, Language, str], ...] = (
    ("等一下，厕所在哪里？", "zh", "厕所"),
    ("Wait, where is the toilet?", "en", "toilet"),
    ("停一下，我的卡丢了怎么办？", "zh", "卡"),
    ("Stop, how much is the transfer fee?", "en", "transfer"),
    ("请问贷款找谁办理？", "zh", "贷款"),
)
TALK_OVER_AFTER_S = (0.8, 2.5)
SPOKEN_SHARE = 0.6
"""So much of the time it must have spoken."""
ANSWER_WITHIN_S = 45.0
REPEAT_WITHIN_S = 3.0
TRIES = 3
"""A short answer may be over before the visitor speaks: then it is begun again."""


@dataclass(kw_only=True)
class TalkOver:
    """A visitor who speaks while the kiosk does."""

    text: str
    level_db: float
    """Speech level of the visitor at the microphone."""
    echo_db: float
    """The kiosk's own voice there."""
    is_heard: bool = False
    """The kiosk stopped and understood a question."""
    noticed_ms: float | None = None
    """First voiced sample → the sound was held or the answer given up."""
    transcript: str = ""


@dataclass(kw_only=True)
class OwnEcho:
    """What came of it."""

    seconds: float = 0.0
    """Without a visitor."""
    spoken_s: float = 0.0
    """Of these, in the answers' phase."""
    self_turns: list[str] = field(default_factory=list)
    """Questions that nobody asked."""
    self_utterances: int = 0
    """Turns that the kiosk took from its own voice, understood or not."""
    self_interruptions: int = 0
    self_holds: int = 0
    """Its sound was held because of its own voice."""
    self_news: list[str] = field(default_factory=list)
    """All of these as the trace has them."""
    false_starts: int = 0
    """Speech that the gate let through to the segmenter."""
    talk_overs: list[TalkOver] = field(default_factory=list)


def talk_into_own_microphone(session: Session, seconds: float, talk_overs: int) -> OwnEcho:
    """Let it talk, alone for `seconds`; then `talk_overs` visitors talk over it, as loud as its own echo.

    A machine that thinks for longer than it speaks is given up to three times as long.
    """
    found = OwnEcho(seconds=seconds)
    for i, (text, language, _) in enumerate(TALK_OVERS):
        for voice in range(i, talk_overs, len(TALK_OVERS)):
            say_as(session.voice(voice), text, language)
    asked: list[Said] = []
    start_ns = time.monotonic_ns()
    turn = 0
    while time.monotonic_ns() < start_ns + seconds * NS or (
        _spoken_s(session, start_ns) < SPOKEN_SHARE * seconds and time.monotonic_ns() < start_ns + 3 * seconds * NS
    ):
        if session.phase in WAITING:
            asked += _set_going(session, turn)
            turn += 1
        time.sleep(0.2)
    _count(session, found, asked, start_ns)
    for i in range(talk_overs):
        found.talk_overs.append(_talk_over(session, i, turn + i))
    return found


def _set_going(session: Session, turn: int) -> list[Said]:
    """Have the kiosk speak: by the button that repeats its answer, or by a question aloud."""
    since_ns = time.monotonic_ns()
    if turn % 4:
        session.touch("replay")
        if session.wait_for(since_ns, REPEAT_WITHIN_S, "phase", matches=lambda line: line["phase"] == "speaking"):
            return []
    question = session.long_question(turn)
    said = session.speak(say_as(session.voice(turn), question.text, question.language))
    said.wait()
    session.wait_for(since_ns, ANSWER_WITHIN_S, "phase", matches=lambda line: line["phase"] == "speaking")
    return [said]


def _count(session: Session, found: OwnEcho, asked: Sequence[Said], start_ns: int) -> None:
    def is_own(line: Line) -> bool:
        at = line.get("speech_end_ns", line["t"])
        return not any(said.start_ns <= at <= said.end_ns + AFTERMATH_S * NS for said in asked)

    lines = [
        line for line in session.kiosk.after(start_ns) if is_own(line) and line.get("by") not in ("touch", "stop")
    ]
    turns = {line["turn"] for line in lines if line["what"] == "utterance"}
    found.self_utterances = len(turns)
    found.self_turns = [line["text"] for line in lines if line["what"] == "question" and line["turn"] in turns]
    found.self_interruptions = sum(line["what"] == "interrupted" for line in lines)
    found.self_holds = sum(line["what"] == "held" for line in lines)
    found.self_news = [
        f"{(line['t'] - start_ns) / NS:.1f} s {line['what']} {line.get('text', line.get('heard', ''))}".rstrip()
        for line in lines
        if line["what"] in ("utterance", "question", "interrupted", "held", "resumed", "speech_began")
    ]
    found.false_starts = sum(line["what"] == "speech_began" for line in lines)
    found.spoken_s = _spoken_s(session, start_ns)


def _spoken_s(session: Session, since_ns: int) -> float:
    """How long it has spoken since then."""
    phases = [line for line in session.kiosk.after(since_ns) if line["what"] == "phase"]
    ends = [*(line["t"] for line in phases[1:]), time.monotonic_ns()]
    return sum(
        (end_ns - line["t"]) / NS for line, end_ns in zip(phases, ends, strict=False) if line["phase"] == "speaking"
    )


def _talk_over(session: Session, number: int, turn: int) -> TalkOver:
    text, language, word = TALK_OVERS[number % len(TALK_OVERS)]
    for _ in range(TRIES):
        if session.phase in WAITING:
            _set_going(session, turn)
        time.sleep(session.random.uniform(*TALK_OVER_AFTER_S))
        if session.phase not in WAITING:
            break
    level = session.echo_level_db(2.0)
    said = session.speak(say_as(session.voice(number), text, language), level)
    trial = TalkOver(text=text, level_db=round(level, 1), echo_db=round(level, 1))
    heard = session.wait_for(
        said.first_voiced_ns,
        len(said.sound) / said.track.rate + 8,
        "question",
        matches=lambda line: word in line["text"],
    )
    noticed = session.seen(said.first_voiced_ns, "held", "interrupted")
    trial.noticed_ms = (noticed[0]["t"] - said.first_voiced_ns) / 1e6 if noticed else None
    others = session.seen(said.first_voiced_ns, "question")
    trial.transcript = str(heard["text"] if heard else others[0]["text"] if others else "")
    trial.is_heard = bool(noticed) and bool(trial.transcript)
    since_ns = time.monotonic_ns()
    if heard is not None:
        session.wait_for(since_ns, ANSWER_WITHIN_S, "phase", matches=lambda line: line["phase"] == "speaking")
    return trial
