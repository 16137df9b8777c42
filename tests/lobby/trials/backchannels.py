"""A listener's words and noises in mid-answer: the answer must go on."""

from __future__ import annotations

import time
from dataclasses import dataclass

from tests.lobby.noises import BACKCHANNELS, backchannel, cough, laugh
from tests.lobby.session import WAITING, Answer, Session
from tests.lobby.tape import Sound
from tests.lobby.track import NS
from tests.lobby.visitors import say_as

TRIES = 3
GAP_S = 0.35
"""A longer silence in the answer is no pause between its words."""
RESUME_WITHIN_S = 1.0


@dataclass(kw_only=True)
class Backchannel:
    """One of them."""

    name: str
    voice: str = ""
    is_ended: bool = True
    """The answer was given up for good."""
    was_held: bool = False
    resumed_ms: float | None = None
    """Its last voiced sample → the answer is audible again; None when the answer never fell silent."""
    problem: str = ""


def listen_often(session: Session, count: int) -> list[Backchannel]:
    """`count` of them, each in another answer, as loud as the echo of the kiosk's own voice."""
    for i in range(count):
        question = session.long_question(i)
        say_as(session.voice(i), question.text, question.language)
    sounds = [_sound(session, i) for i in range(count)]
    return [_listen(session, i, *sounds[i]) for i in range(count)]


def _sound(session: Session, number: int) -> tuple[str, Sound]:
    kind = number % (len(BACKCHANNELS) + 2)
    if kind < len(BACKCHANNELS):
        return backchannel(session.voice(number), kind)
    return ("cough", cough(number)) if kind == len(BACKCHANNELS) else ("laugh", laugh(number))


def _listen(session: Session, number: int, name: str, sound: Sound) -> Backchannel:
    trial = Backchannel(name=name, voice=session.voice(number).voice_zh)
    for _ in range(TRIES):
        session.wait_until_quiet()
        answer = session.begin(session.long_question(number), number)
        if answer is None:
            trial.problem = "the question was not understood"
            continue
        if session.wait_for_sound(answer) is None:
            trial.problem = "the question was not answered"
            continue
        time.sleep(session.random.uniform(0.4, 1.2))
        said = session.speak(sound, session.echo_level_db(1.0))
        said.wait()
        if session.phase in WAITING and not session.seen(said.start_ns, "interrupted", "held"):
            trial.problem = "the answer was over before the visitor's sound"
            continue
        trial.problem = ""
        _look(session, trial, answer, said.start_ns, said.last_voiced_ns)
        return trial
    return trial


def _look(session: Session, trial: Backchannel, answer: Answer, start_ns: int, end_ns: int) -> None:
    over = session.wait_for(end_ns, 6.0, "phase", matches=lambda line: line["phase"] in WAITING)
    until_ns = time.monotonic_ns() if over is None else int(over["t"])
    lines = session.seen(start_ns, "interrupted", "held", "resumed", "question")
    trial.was_held = any(line["what"] == "held" for line in lines)
    cut = [line for line in lines if line["what"] == "interrupted" and line["turn"] == answer.turn]
    trial.is_ended = bool(cut)
    if cut:
        trial.problem = f"interrupted by {cut[0].get('by')} after {cut[0].get('heard')!r}"
    new = [line for line in lines if line["what"] == "question" and line["turn"] != answer.turn]
    if new:
        trial.problem += f" taken for the question {new[0]['text']!r} (log probability {new[0]['log_probability']})"
    trial.resumed_ms = _silence_after(session, start_ns, end_ns, until_ns)
    if trial.was_held and trial.resumed_ms is None and not trial.is_ended and over is not None:
        trial.is_ended = session.room.loudspeaker.first_audible_ns(end_ns, until_ns) is None
        if trial.is_ended:
            trial.problem = trial.problem or "held, and not heard again"
    if over is None:
        session.touch("stop")  # a long answer: enough was heard
        session.wait_until_quiet(10)


def _silence_after(session: Session, start_ns: int, end_ns: int, until_ns: int) -> float | None:
    """ms from the end of the visitor's sound to the answer's next, if the answer fell silent meanwhile."""
    speaker = session.room.loudspeaker
    last_ns = speaker.last_audible_ns(start_ns, end_ns) or start_ns
    next_ns = speaker.first_audible_ns(end_ns, until_ns)
    if next_ns is None or (next_ns - last_ns) / NS < GAP_S:
        return None
    return (next_ns - end_ns) / 1e6
