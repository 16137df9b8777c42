"""The language model is killed, stopped or starved in mid-answer: what does the visitor hear, and when?"""

from __future__ import annotations

import time
from dataclasses import dataclass

from tests.lobby.model_process import FAULTS, ModelProcess
from tests.lobby.questions import QUESTIONS
from tests.lobby.session import WAITING, Session
from tests.lobby.track import NS
from tests.lobby.visitors import holds, say_as

TRIES = 3
KNOWN_AFTER = 5
"""Answers after which the kiosk knows how fast it usually is."""
PREPARE_S = 45.0
"""Nobody is there: the words that bring a person are spoken beforehand."""
SAID_WITHIN_S = 90.0
"""The rest of what had come of the answer, and the line that brings a person."""


@dataclass(kw_only=True)
class ModelFault:
    """One of them."""

    fault: str
    silence_ms: float | None = None
    """The longest silence from the fault until a person was called, or the answer was heard to its end all the same;
    None when neither was."""
    said: str = ""
    """What brings the person, as written; empty when the answer went on to its end."""
    next_wait_ms: float | None = None
    """Of the question after the model had recovered."""
    is_next_right: bool = False
    problem: str = ""


def break_often(session: Session, model: ModelProcess, count: int) -> list[ModelFault]:
    """Let the model fail `count` times, each in another answer, in turn killed, stopped and starved."""
    time.sleep(PREPARE_S)
    for number in range(KNOWN_AFTER):
        session.wait_until_quiet()
        session.ask(QUESTIONS[number % len(QUESTIONS)], number)
    return [_break(session, model, number) for number in range(count)]


def _break(session: Session, model: ModelProcess, number: int) -> ModelFault:
    fault = FAULTS[number % len(FAULTS)]
    trial = ModelFault(fault=fault)
    for _ in range(TRIES):
        session.wait_until_quiet()
        answer = session.begin(session.long_question(number), number)
        began_ns = None if answer is None else session.wait_for_sound(answer)
        if answer is None or began_ns is None:
            trial.problem = "the question was not answered"
            continue
        trial.problem = ""
        time.sleep(session.random.uniform(0.0, 1.0))
        fault_ns = time.monotonic_ns()
        model.suffer(fault)
        try:
            _listen(session, trial, answer.turn or 0, fault_ns)
        finally:
            model.recover()
        _ask_again(session, trial, number)
        return trial
    return trial


def _listen(session: Session, trial: ModelFault, turn: int, fault_ns: int) -> None:
    """Until a person is called, or the answer ends without it."""
    end = session.wait_for(fault_ns, SAID_WITHIN_S, "phase", matches=lambda line: bool(line["phase"] in WAITING))
    if end is None:
        trial.problem = "no end"
        return
    time.sleep(0.3)  # the recording is a little late
    sounds = [line for line in session.seen(fault_ns, "sound") if line["turn"] > turn]
    trial.said = "".join(line["written"] for line in session.seen(fault_ns, "clause") if line["turn"] > turn)
    until_ns = int(sounds[0]["heard_ns"]) + NS // 2 if sounds else int(end["t"])
    trial.silence_ms = _longest_silence_ms(session, fault_ns, until_ns)


def _longest_silence_ms(session: Session, start_ns: int, end_ns: int) -> float:
    """From the recording of the loudspeaker."""
    speaker, longest_ns, at_ns = session.room.loudspeaker, 0, start_ns
    step_ns = NS // 20
    while at_ns < end_ns:
        next_ns = speaker.first_audible_ns(at_ns, end_ns)
        if next_ns is None:
            longest_ns = max(longest_ns, end_ns - at_ns)
            break
        longest_ns = max(longest_ns, next_ns - at_ns)
        at_ns = next_ns + step_ns
    return longest_ns / 1e6


def _ask_again(session: Session, trial: ModelFault, number: int) -> None:
    session.wait_until_quiet()
    asked = QUESTIONS[number % len(QUESTIONS)]
    say_as(session.voice(number), asked.text, asked.language)
    answer = session.ask(asked, number)
    if answer is None or answer.wait_s is None:
        trial.problem = trial.problem or "the next question was not answered"
        return
    trial.next_wait_ms = 1000 * answer.wait_s
    trial.is_next_right = holds(asked.fact, answer.written, asked.language)
