"""Visitors cut the kiosk short: how soon sound and mouth are at rest, and whether the next answer is right."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Literal

from tests.lobby.film import Camera, Film
from tests.lobby.questions import QUESTIONS
from tests.lobby.rest import at_rest_after
from tests.lobby.room import Said
from tests.lobby.session import WAITING, Answer, Session
from tests.lobby.track import NS
from tests.lobby.visit import Judge
from tests.lobby.visitors import Question, holds, say_as

Means = Literal["voice", "touch", "stop"]
MEANS: tuple[Means, ...] = ("voice", "touch", "stop")
TRIES = 5
"""An answer may be over before the visitor interrupts it: then it is asked for again."""
UNPREPARED = "[language_model]\nprepare_suggested = false\n"
"""For the configuration: prepared answers begin too soon to be interrupted before their first sound."""
FILM_BEFORE_S, FILM_AFTER_S = 1.5, 1.5
NOTICE_WITHIN_S = 10.0
"""Patience only: how late it was is measured."""
LATE_REST_MS = 400
ASK_AFTER_S = 1.0
"""From a touch or a stop to the visitor's next question."""
NEXT_SOUND_WITHIN_S = 45.0
_OPENINGS = {"zh": "等一下，", "en": "Wait, "}


@dataclass(kw_only=True)
class Interruption:
    """One of them. Times in ms from the visitor's first voiced sample or touch."""

    means: Means
    before_sound: bool
    """Tried before the first sound of the answer."""
    noticed_ms: float | None = None
    """The kiosk holds its sound or gives the answer up, whichever comes first; from its trace."""
    decided_ms: float | None = None
    """The kiosk gives the answer up: for a voice, when its words are known."""
    gone_ms: float | None = None
    """The last audible sample of the old answer."""
    gone_after_notice_ms: float | None = None
    rest_ms: float | None = None
    """The mouth; None when it did not speak."""
    is_clean: bool = False
    """Nothing of the old turn was made or heard after the kiosk's decision."""
    is_next_right: bool = False
    problem: str = ""
    heard: str = ""
    """What the visitor heard of the answer, as the kiosk thinks."""
    question: str = ""
    """How the kiosk read what the visitor said then."""
    log_probability: float | None = None
    next_answer: str = ""
    mouth: list[tuple[int, float]] = field(default_factory=list)
    """Milliseconds and opening in widths of each picture, where the mouth rested late or never spoke."""


def interrupt_often(session: Session, judge: Judge, count: int, *, films: bool = True) -> list[Interruption]:
    """`count` interruptions, a third of them before the first sound, by voice, touch and stop in turn."""
    for i in range(len(QUESTIONS)):  # spoken beforehand, not while the kiosk needs the processor
        say_as(session.voice(i), QUESTIONS[i].text, QUESTIONS[i].language)
        say_as(session.voice(i), _next_question(i).text, _next_question(i).language)
    for i in range(count):
        question = session.long_question(i)
        say_as(session.voice(i), question.text, question.language)
    return [_interrupt(session, judge, i, films=films) for i in range(count)]


def _next_question(number: int) -> Question:
    """Something else, as an interrupting visitor says it."""
    asked = QUESTIONS[number % len(QUESTIONS)]
    return Question(_OPENINGS[asked.language] + asked.text, asked.language, asked.heard, asked.fact)


def _interrupt(session: Session, judge: Judge, number: int, *, films: bool) -> Interruption:
    trial = Interruption(means=MEANS[(number + number // 3 + 2) % 3], before_sound=number % 3 == 0)
    for _ in range(TRIES):
        session.wait_until_quiet()
        answer = session.begin(session.long_question(number), number)
        if answer is None:
            trial.problem = "the first question was not understood"
            continue
        if not _reach_moment(session, answer, trial.before_sound):
            trial.problem = "the answer was over or had begun before it could be interrupted"
            continue
        trial.problem = ""
        if _act(session, judge, trial, answer, number, films=films):
            return trial
        trial.problem = "the answer was over before it could be interrupted"
    return trial


def _reach_moment(session: Session, answer: Answer, before_sound: bool) -> bool:
    """Wait for the random moment; whether the answer is still there to be interrupted."""
    if before_sound:
        time.sleep(session.random.uniform(0.0, 0.4))
        return not session.seen(answer.said.start_ns, "sound", turn=answer.turn)
    if session.wait_for_sound(answer) is None:
        return False
    time.sleep(session.random.uniform(0.3, 4.0 if session.setting.is_scripted else 2.0))
    return session.phase not in WAITING


def _act(session: Session, judge: Judge, trial: Interruption, answer: Answer, number: int, *, films: bool) -> bool:
    """Interrupt and judge; False if the answer ended while the visitor took breath."""
    after = _next_question(number + 3)
    camera = Camera(session.set) if films and not trial.before_sound else None
    if camera is not None:
        camera.start()
        time.sleep(FILM_BEFORE_S / 3)  # the mouth must be seen to speak
    if not trial.before_sound and session.phase in WAITING:
        if camera is not None:
            camera.stop()
        return False
    film = None
    said: Said | None = None
    if trial.means == "voice":
        said = session.speak(say_as(session.voice(number), after.text, after.language))
        act_ns = said.first_voiced_ns
    else:
        act_ns = session.touch("face" if trial.means == "touch" else "stop")
    decided = session.wait_for(
        act_ns, NOTICE_WITHIN_S + (0 if said is None else len(said.sound) / said.track.rate), "interrupted"
    )
    if camera is not None:
        time.sleep(max(0.0, act_ns / NS + FILM_AFTER_S - time.monotonic()))
        film = camera.stop()
    if decided is None:
        trial.problem = f"{trial.means} did not end the answer: no line 'interrupted' in the trace"
    else:
        trial.noticed_ms = (session.seen(act_ns, "held", "interrupted")[0]["t"] - act_ns) / 1e6
        trial.decided_ms = (decided["t"] - act_ns) / 1e6
        trial.heard = str(decided.get("heard", ""))
    if decided is None and said is not None and _was_over(session, said):
        return False
    if said is None:
        time.sleep(ASK_AFTER_S)
        session.speak(say_as(session.voice(number), after.text, after.language))
    _judge_next(session, judge, trial, answer, after, act_ns)
    if film is not None:
        _judge_rest(trial, film, act_ns)
    return True


def _was_over(session: Session, said: Said) -> bool:
    """The answer's last sound was heard before the visitor's first."""
    speaker = session.room.loudspeaker
    return (
        not session.seen(said.first_voiced_ns, "held")
        and speaker.last_audible_ns(said.first_voiced_ns, said.last_voiced_ns) is None
    )


def _judge_next(
    session: Session, judge: Judge, trial: Interruption, old: Answer, after: Question, act_ns: int
) -> None:
    def is_new(line: dict[str, object]) -> bool:
        return line["turn"] != old.turn

    first = session.wait_for(act_ns, NEXT_SOUND_WITHIN_S, "sound", "filler", matches=is_new)
    next_ns = time.monotonic_ns() if first is None else int(first["heard_ns"])
    if first is None:
        trial.problem = trial.problem or "no next answer"
    else:
        session.wait_for(next_ns, 60, "phase", matches=lambda line: line["phase"] in WAITING)
        time.sleep(0.3)
    asked = session.seen(act_ns, "question")
    if asked:
        trial.question, trial.log_probability = str(asked[-1]["text"]), float(asked[-1]["log_probability"])
    speaker = session.room.loudspeaker
    last_ns = speaker.last_audible_ns(act_ns, next_ns - 30_000_000)
    trial.gone_ms = 0.0 if last_ns is None else (last_ns - act_ns) / 1e6
    if trial.noticed_ms is not None and trial.decided_ms is not None:
        trial.gone_after_notice_ms = max(0.0, trial.gone_ms - trial.noticed_ms)
        decided_ns = act_ns + round(trial.decided_ms * 1e6)
        trial.is_clean = not session.seen(decided_ns + 1, "sound", "clause", "resumed", turn=old.turn)
    trial.next_answer = judge.read(speaker.sound(next_ns), after.language)
    trial.is_next_right = holds(after.fact, trial.next_answer, after.language)


def _judge_rest(trial: Interruption, film: Film, act_ns: int) -> None:
    times, opening = film.mouth()
    rest_s = at_rest_after(times, opening, act_ns / NS)
    trial.rest_ms = None if rest_s is None else 1000 * rest_s
    if trial.rest_ms is None or trial.rest_ms > LATE_REST_MS:
        since_ms = 1000 * (times - act_ns / NS)
        trial.mouth = [(round(ms), round(wide, 3)) for ms, wide in zip(since_ms, opening.tolist(), strict=True)]
