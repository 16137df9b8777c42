"""One visitor's question to the running kiosk, and what came of it, read from the tape."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass, field

import numpy as np
import soxr

from kiosk.paths import checkpoints_dir
from models.asr import load_recogniser
from models.asr.base import Recogniser
from models.types import Language
from tests.lobby.program import Program
from tests.lobby.stage_set import MIC_FEED, RATE, StageSet
from tests.lobby.tape import Sound, Tape, find, first_audible, last_audible, save
from tests.lobby.visitors import Question, add_noise, holds, spoken


@dataclass
class Turn:
    """What one question gave."""

    question: Question
    transcript: str = ""
    reply: str = ""
    """As written on the screen."""
    heard_reply: str = ""
    """As recognised from the recording of the loudspeaker."""
    answer_sound: Sound = field(default_factory=lambda: np.zeros(0, np.float32))
    """The loudspeaker from the end of the question on, at 48 kHz."""
    wait_s: float | None = None
    """Last voiced sample → first audible sample, from the tape."""
    parts_ms: dict[str, float] = field(default_factory=dict)
    """The kiosk's own account of it."""

    @property
    def was_heard(self) -> bool:
        """The transcript holds what carries the question."""
        return holds(self.question.heard, self.transcript, self.question.language)

    @property
    def is_right(self) -> bool:
        """The recording of the answer holds the fact."""
        return holds(self.question.fact, self.heard_reply, self.question.language)


class Judge:
    """Transcribes what the loudspeaker said."""

    def __init__(self) -> None:
        self._recogniser: Recogniser = load_recogniser(
            "faster-whisper", checkpoints_dir() / "whisper-base", threads=1
        )

    def read(self, sound: Sound, language: Language) -> str:
        """The words in a recording at 48 kHz."""
        samples = np.asarray(soxr.resample(sound, RATE, 16_000), np.float32)
        return self._recogniser.transcribe(samples, language).text


def play(stage_set: StageSet, sound: Sound) -> None:
    """Play a sound into the kiosk's microphone and wait for its end."""
    path = stage_set.folder / "visitor.wav"
    save(path, sound)
    subprocess.run(
        ["paplay", f"--device={MIC_FEED}", "--latency-msec=50", str(path)], env=stage_set.env, check=True, timeout=120
    )


def ask_aloud(
    stage_set: StageSet, program: Program, tape: Tape, question: Question, *, voice: int = 0, timeout_s: float = 60
) -> Turn:
    """Speak a question into the microphone and wait until the kiosk listens again."""
    clean = spoken(question, voice)
    sound = clean if question.snr_db is None else add_noise(clean, question.snr_db)
    program.skip()
    start = tape.position
    play(stage_set, sound)
    turn = Turn(question)
    began = program.wait_for("utterance", 20)
    over = ("listening", "attract")
    begun = program.wait_for("phase", timeout_s, lambda line: line["phase"] in ("speaking", *over))
    if begun["phase"] == "speaking":
        program.wait_for("phase", timeout_s, lambda line: line["phase"] in over)
    time.sleep(0.3)  # the tape's own latency
    for line in program.since(began):
        if line["what"] == "question":
            turn.transcript = line["text"]
        elif line["what"] == "clause":
            turn.reply += line["written"]
        elif line["what"] == "latency":
            turn.parts_ms = {k: v for k, v in line.items() if k not in ("t", "what", "turn")}
    speaker, microphone = tape.sound(start)
    last = last_audible(clean)
    assert last is not None
    end_of_speech = find(clean, microphone) + last
    answer = first_audible(speaker, end_of_speech)
    if answer is not None:
        turn.wait_s = (answer - end_of_speech) / RATE
        turn.answer_sound = speaker[end_of_speech:]
    return turn
