"""The lobby as a command: asks the questions aloud and prints what came of them; `python -m tests.lobby --help`."""

from __future__ import annotations

import argparse

from tests.lobby.program import Program
from tests.lobby.questions import QUESTIONS
from tests.lobby.report import table
from tests.lobby.stage_set import StageSet
from tests.lobby.tape import Tape
from tests.lobby.visit import Judge, ask_aloud
from tests.lobby.visitors import spoken


def main() -> None:
    """Ask the questions, some times over, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.lobby", description=main.__doc__)
    parser.add_argument("--rounds", type=int, default=1, help="how often each question is asked")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=720)
    parser.add_argument("program", nargs="*", help="arguments for main.py, after --")
    arguments = parser.parse_args()
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


if __name__ == "__main__":
    main()
