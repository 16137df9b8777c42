"""The lobby as a command: plays visitors to the real program and prints figures; `python -m tests.lobby --help`."""

from __future__ import annotations

import argparse
import dataclasses
import signal
import sys
from pathlib import Path
from typing import Any

from tests.lobby.model_process import ModelProcess
from tests.lobby.program import Program
from tests.lobby.questions import QUESTIONS
from tests.lobby.report import columns, spread, table, write_json
from tests.lobby.session import Session, Setting
from tests.lobby.stage_set import StageSet
from tests.lobby.tape import Tape
from tests.lobby.trials.backchannels import RESUME_WITHIN_S, listen_often
from tests.lobby.trials.interruptions import UNPREPARED, interrupt_often
from tests.lobby.trials.latency import compare, prepared
from tests.lobby.trials.model_faults import break_often
from tests.lobby.trials.own_echo import talk_into_own_microphone
from tests.lobby.trials.soak import SHORT_VISITS, soak
from tests.lobby.visit import Judge, ask_aloud
from tests.lobby.visitors import Question, recordings, spoken

Arguments = argparse.Namespace


def main() -> None:
    """Run one trial; without a name, the questions."""
    parser = argparse.ArgumentParser(prog="python -m tests.lobby", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = _add(commands, "questions", questions, "ask the ten questions aloud, without an echo", in_room=False)
    one.add_argument("--rounds", type=int, default=1, help="how often each question is asked")
    one.add_argument("--recordings", type=Path, metavar="DIR", help="play these WAV files instead")
    one.add_argument("--width", type=int, default=1280)
    one.add_argument("--height", type=int, default=720)
    one = _add(commands, "echo", echo, "the kiosk talks into its own microphone")
    one.add_argument("--minutes", type=float, default=10)
    one.add_argument("--talk-overs", type=int, default=20)
    one = _add(commands, "interruptions", interruptions, "visitors cut answers short at random points")
    one.add_argument("--count", type=int, default=30)
    one.add_argument("--no-film", action="store_true", help="do not watch the mouth")
    one = _add(commands, "backchannels", backchannels, "listeners' words, coughs and laughs in mid-answer")
    one.add_argument("--count", type=int, default=20)
    one = _add(commands, "faults", faults, "the language model is killed, stopped or starved in mid-answer")
    one.add_argument("--count", type=int, default=10)
    one = _add(commands, "latency", latency, "the wait, with and without thinking ahead, and for prepared answers")
    one.add_argument("--prepare-s", type=float, default=120, help="time without visitors, to prepare answers")
    one = _add(commands, "soak", soak_long, "random events, and a question after each")
    one.add_argument("--events", type=int, default=1000)
    options = sys.argv[1:]
    if not options or (options[0] not in commands.choices and options[0] not in ("-h", "--help")):
        options = ["questions", *options]
    arguments = parser.parse_args(options)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # screen, sound server and kiosk end with us
    arguments.run(arguments)


def _add(commands: Any, name: str, run: Any, text: str, *, in_room: bool = True) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(run=run)
    parser.add_argument("program", nargs="*", help="arguments for main.py, after --")
    if in_room:
        parser.add_argument(
            "--scripted", action="store_true", help="a scripted language model instead of the real one"
        )
        parser.add_argument("--gain-db", type=float, default=-10, help="the echo against the loudspeaker's signal")
        parser.add_argument("--delay-ms", type=float, default=120, help="of the echo")
        parser.add_argument("--drift-ppm", type=float, default=1000, help="how much faster the microphone's clock is")
        parser.add_argument("--noise-db", type=float, default=-65, help="the hall, dB of full scale")
        parser.add_argument("--seed", type=int, default=0, help="of the room and of what happens")
        parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser


def _setting(arguments: Arguments) -> Setting:
    return Setting(
        gain_db=arguments.gain_db,
        delay_ms=arguments.delay_ms,
        drift_ppm=arguments.drift_ppm,
        noise_db=arguments.noise_db,
        is_scripted=arguments.scripted,
        seed=arguments.seed,
        program=tuple(arguments.program),
    )


def _report(arguments: Arguments, rows: list[Any], **figures: Any) -> None:
    print(columns(rows))
    for name, value in figures.items():
        print(f"{name.replace('_', ' ')}: {value}")
    if arguments.json:
        write_json(arguments.json, arguments.command, rows, **figures)


def questions(arguments: Arguments) -> None:
    """Ask the questions, some times over, and print the table."""
    if arguments.recordings:
        return replay(arguments)
    for i, question in enumerate(QUESTIONS):
        spoken(question, i)
    turns = []
    with StageSet(arguments.width, arguments.height) as stage_set, Program(stage_set, *arguments.program) as kiosk:
        tape = Tape(stage_set)
        tape.start()
        print(f"ready after {kiosk.seconds_until(kiosk.wait_for('ready', 240)):.1f} s", flush=True)
        for round_number in range(arguments.rounds):
            for i, question in enumerate(QUESTIONS):
                turns.append(ask_aloud(stage_set, kiosk, tape, question, voice=i + round_number))
                print(turns[-1].question.text, turns[-1].transcript, turns[-1].wait_s, turns[-1].parts_ms, flush=True)
        tape.stop()
        code, seconds, stderr = kiosk.close(30)
        print(f"closed with {code} in {seconds:.1f} s {stderr}")
    judge = Judge()
    for turn in turns:
        turn.heard_reply = judge.read(turn.answer_sound, turn.question.language)
    print(table(turns))


def replay(arguments: Arguments) -> None:
    """Play recordings as visitors, one after the other, and print what was understood and answered."""
    with Session(Setting(program=tuple(arguments.program))) as session:
        for path, sound in recordings(arguments.recordings):
            session.wait_until_quiet()
            said = session.room.say(sound)
            said.wait()
            found = session.wait_for(said.start_ns, 20, "question", "nothing_heard")
            if found is None or found["what"] != "question":
                print(f"{path.name}: nothing understood", flush=True)
                continue
            asked = Question(found["text"], found["language"], ".", ".")
            answer = session.finish(session.answer_of(asked, said, found))
            wait = f"{answer.wait_s:.2f} s" if answer.wait_s is not None else "no sound"
            print(f"{path.name}: {answer.transcript} | {answer.written} | {wait}", flush=True)


def echo(arguments: Arguments) -> None:
    """Count what the kiosk does to itself."""
    with Session(_setting(arguments)) as session:
        found = talk_into_own_microphone(session, 60 * arguments.minutes, arguments.talk_overs)
    rows = found.talk_overs
    alone = {name: value for name, value in dataclasses.asdict(found).items() if name != "talk_overs"}
    _report(
        arguments,
        rows,
        **alone,
        talk_overs_heard=f"{sum(row.is_heard for row in rows)} of {len(rows)}",
        noticed=spread([row.noticed_ms for row in rows]),
        room=_room(session),
        closing=session.stderr or "clean",
    )


def interruptions(arguments: Arguments) -> None:
    """Interrupt and measure."""
    setting = _setting(arguments)
    if not setting.is_scripted:
        setting = dataclasses.replace(setting, config=UNPREPARED)
    with Session(setting) as session:
        rows = interrupt_often(session, Judge(), arguments.count, films=not arguments.no_film)
    _report(
        arguments,
        rows,
        sound_gone=spread([row.gone_ms for row in rows]),
        sound_gone_after_decision=spread([row.gone_after_notice_ms for row in rows]),
        noticed=spread([row.noticed_ms for row in rows]),
        decided=spread([row.decided_ms for row in rows]),
        mouth_at_rest=spread([row.rest_ms for row in rows]),
        nothing_of_the_old_answer=f"{sum(row.is_clean for row in rows)} of {len(rows)}",
        next_answer_right=f"{sum(row.is_next_right for row in rows)} of {len(rows)}",
        room=_room(session),
        closing=session.stderr or "clean",
    )


def backchannels(arguments: Arguments) -> None:
    """Murmur and measure."""
    with Session(_setting(arguments)) as session:
        rows = listen_often(session, arguments.count)
    late = [row for row in rows if row.resumed_ms is not None and row.resumed_ms > 1000 * RESUME_WITHIN_S]
    _report(
        arguments,
        rows,
        ended_for_good=f"{sum(row.is_ended for row in rows)} of {len(rows)}",
        held=f"{sum(row.was_held for row in rows)} of {len(rows)}",
        heard_again=spread([row.resumed_ms for row in rows]),
        heard_again_too_late=len(late),
        room=_room(session),
        closing=session.stderr or "clean",
    )


def faults(arguments: Arguments) -> None:
    """Break the model and measure."""
    setting = _setting(arguments)
    with ModelProcess() as model:
        setting.config, setting.has_scripted_answers = model.config, True
        with Session(setting) as session:
            rows = break_often(session, model, arguments.count)
    _report(
        arguments,
        rows,
        person_called=f"{sum(row.silence_ms is not None for row in rows)} of {len(rows)}",
        silence=spread([row.silence_ms for row in rows]),
        next_right=f"{sum(row.is_next_right for row in rows)} of {len(rows)}",
        closing=session.stderr or "clean",
    )


def latency(arguments: Arguments) -> None:
    """Ask and compare."""
    setting = _setting(arguments)
    rows = compare(setting)
    before, after = [row.before_ms for row in rows], [row.after_ms for row in rows]
    ready = prepared(setting, arguments.prepare_s)
    print("suggested questions, not prepared and prepared:\n" + columns(ready))
    _report(
        arguments,
        rows,
        before=spread(before),
        after=spread(after),
        suggested_not_prepared=spread([row.before_ms for row in ready]),
        suggested_prepared=spread([row.after_ms for row in ready]),
    )


def soak_long(arguments: Arguments) -> None:
    """Let things happen."""
    setting = _setting(arguments)
    setting.config = SHORT_VISITS
    with Session(setting) as session:
        found = soak(session, arguments.events, report=True)
    rows = found.happened
    again = [row for row in rows if row.misheard]
    at_once = [row for row in rows if not row.misheard]
    _report(
        arguments,
        rows,
        answered_in_time=f"{sum(bool(row.is_answered) for row in at_once)} of {len(rows)}",
        answered_right=f"{sum(bool(row.is_right) for row in at_once)} of {len(rows)}",
        answered_when_asked_again=f"{sum(bool(row.is_answered) for row in again)} of {len(again)}",
        wait=spread([row.wait_ms for row in rows]),
        size_at_start=str(found.start),
        size_after_warm_up=str(found.warm),
        size_at_end=str(found.end),
        growth_in_per_cent={name: round(value, 2) for name, value in found.growth.items()},
        errors=found.errors,
        room=_room(session),
        closing=session.stderr or "clean",
    )


def _room(session: Session) -> str:
    room = session.room
    seconds = room.microphone.length / room.microphone.rate
    return (
        f"{100 * room.busy_s / seconds:.1f} % of a core over {seconds:.0f} s, {room.late_frames} echo frames late, "
        f"{room.unsent_frames} frames not taken"
    )


if __name__ == "__main__":
    main()
