"""The kiosk in a room with a visitor: what the trials of turn-taking have in common."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType

from tests.lobby.acoustics import speech_level_db
from tests.lobby.hand import Hand, Point, places
from tests.lobby.program import Line, Program
from tests.lobby.questions import QUESTIONS
from tests.lobby.room import Room, Said
from tests.lobby.scripted_model import LONG_QUESTION, ScriptedModel
from tests.lobby.stage_set import StageSet
from tests.lobby.tape import Sound
from tests.lobby.track import NS
from tests.lobby.visitors import VISITORS, Question, Visitor, say_as

READY_WITHIN_S = 240.0
VISITOR_DB = -24.0
"""Speech level of a visitor who stands before the kiosk, dB of full scale."""
LONG = {language: Question(text, language, ".", ".") for language, text in LONG_QUESTION.items()}
WAITING = ("listening", "attract", "idle_warning")


@dataclass(kw_only=True)
class Setting:
    """What a session is like."""

    gain_db: float | None = -10.0
    delay_ms: float = 120.0
    drift_ppm: float = 1000.0
    noise_db: float = -65.0
    is_scripted: bool = False
    """With the scripted language model."""
    has_scripted_answers: bool = False
    """The same, but somebody else runs it and `config` tells where."""
    is_approved: bool = False
    """With the approved answers; else a language model answers everything."""
    config: str = ""
    """More lines for the configuration file."""
    seed: int = 0
    program: tuple[str, ...] = ()
    """More arguments for main.py."""


@dataclass
class Answer:
    """What one question gave."""

    question: Question
    said: Said
    turn: int | None = None
    transcript: str = ""
    written: str = ""
    first_sound_ns: int | None = None
    """From the recording of the loudspeaker."""
    ended_ns: int = 0
    parts_ms: dict[str, float] = field(default_factory=dict)

    @property
    def wait_s(self) -> float | None:
        """Last voiced sample → first audible sample."""
        return None if self.first_sound_ns is None else (self.first_sound_ns - self.said.last_voiced_ns) / NS


class Session:
    """A context manager: stage set, room, finger and kiosk, ready to be asked."""

    def __init__(self, setting: Setting, stage_set: StageSet | None = None) -> None:
        self.setting = setting
        self.random = random.Random(setting.seed)
        self._given_set = stage_set
        self._stack = contextlib.ExitStack()
        self.stderr = ""

    def __enter__(self) -> Session:
        with contextlib.ExitStack() as stack:
            self.set = self._given_set or stack.enter_context(StageSet())
            text = self.setting.config
            if not self.setting.is_approved:
                text += "[answers]\napproved = false\n"
            if self.setting.is_scripted:
                text += stack.enter_context(ScriptedModel()).config
            config = self.set.folder / f"session-{time.monotonic_ns()}.toml"
            config.write_text(text, encoding="utf-8")
            setting = self.setting
            self.room = stack.enter_context(
                Room(
                    self.set,
                    setting.delay_ms,
                    setting.gain_db,
                    setting.drift_ppm,
                    setting.noise_db,
                    seed=setting.seed,
                )
            )
            self.places = places(self.set.width, self.set.height)
            self.hand = stack.enter_context(Hand(self.set))
            self.kiosk = stack.enter_context(Program(self.set, "--config", str(config), *setting.program))
            self.kiosk.wait_for("ready", READY_WITHIN_S)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._stack:
            if error is None:
                code, seconds, stderr = self.kiosk.close(30)
                self.stderr = f"closed with {code} after {seconds:.1f} s: {stderr}" if code or stderr else ""

    # The trace

    def seen(self, since_ns: int, *whats: str, turn: int | None = None) -> list[Line]:
        """Lines of these kinds from a time on, of one turn or all."""
        return [
            line
            for line in self.kiosk.after(since_ns)
            if line["what"] in whats and (turn is None or line.get("turn") == turn)
        ]

    def wait_for(
        self, since_ns: int, timeout_s: float, *whats: str, matches: Callable[[Line], bool] = lambda line: True
    ) -> Line | None:
        """The first such line from a time on, waiting for it; None when the time is over."""
        deadline = time.monotonic() + timeout_s
        while True:
            for line in self.seen(since_ns, *whats):
                if matches(line):
                    return line
            if self.kiosk.process is not None and self.kiosk.process.poll() is not None:
                raise RuntimeError(f"the kiosk ended with {self.kiosk.process.returncode}")
            if time.monotonic() > deadline:
                return None
            time.sleep(0.02)

    @property
    def phase(self) -> str:
        """The newest phase."""
        self.kiosk.unread()
        return next((str(line["phase"]) for line in reversed(self.kiosk.lines) if line["what"] == "phase"), "")

    def wait_until_quiet(self, timeout_s: float = 60.0) -> bool:
        """Until the kiosk waits for a visitor; False when the time is over."""
        deadline = time.monotonic() + timeout_s
        while self.phase not in WAITING:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    # The visitor

    def speak(self, sound: Sound, level_db: float | None = VISITOR_DB) -> Said:
        """Say something now."""
        return self.room.say(sound, level_db=level_db)

    def echo_level_db(self, seconds: float = 6.0) -> float:
        """Speech level of the kiosk's own voice at the microphone in the last seconds: as loud is "equally loud"."""
        level = speech_level_db(self.room.loudspeaker.sound(time.monotonic_ns() - round(seconds * NS)))
        return max(-50.0, level + (self.setting.gain_db or 0.0))

    def touch(self, place: str | Point) -> int:
        """Touch a place of the screen; the time of the press."""
        return self.hand.touch(self.places[place] if isinstance(place, str) else place)

    def voice(self, number: int) -> Visitor:
        """One of the visitors."""
        return VISITORS[number % len(VISITORS)]

    def begin(self, question: Question, voice: int = 0, timeout_s: float = 30.0) -> Answer | None:
        """Ask aloud and wait until the kiosk has understood; None when it has not."""
        said = self.speak(say_as(self.voice(voice), question.text, question.language))
        heard = self.wait_for(said.start_ns, len(said.sound) / said.track.rate + timeout_s, "question")
        if heard is None:
            return None
        return self.answer_of(question, said, heard)

    @staticmethod
    def answer_of(question: Question, said: Said, heard: Line) -> Answer:
        """The answer that the trace's line 'question' announces."""
        return Answer(question, said, heard["turn"], heard["text"])

    def wait_for_sound(self, answer: Answer, timeout_s: float = 45.0) -> int | None:
        """Until the answer is heard; gives the time at which it began, as the kiosk says."""
        sound = self.wait_for(
            answer.said.start_ns, timeout_s, "sound", matches=lambda line: bool(line["turn"] == answer.turn)
        )
        if sound is None:
            return None
        time.sleep(max(0.0, (sound["heard_ns"] - time.monotonic_ns()) / NS))
        return int(sound["heard_ns"])

    def finish(self, answer: Answer, timeout_s: float = 90.0) -> Answer:
        """Until the kiosk waits again; then fill in what came."""
        spoke = self.wait_for_sound(answer)
        if spoke is not None:
            self.wait_for(spoke, timeout_s, "phase", matches=lambda line: line["phase"] in WAITING)
        answer.ended_ns = time.monotonic_ns()
        time.sleep(0.3)  # the recording is a little late
        lines = self.seen(answer.said.start_ns, "clause", "latency", turn=answer.turn)
        answer.written = "".join(line["written"] for line in lines if line["what"] == "clause")
        for line in lines:
            if line["what"] == "latency":
                answer.parts_ms = {k: v for k, v in line.items() if k not in ("t", "what", "turn")}
        answer.first_sound_ns = self.room.loudspeaker.first_audible_ns(answer.said.last_voiced_ns)
        return answer

    def ask(self, question: Question, voice: int = 0, timeout_s: float = 90.0) -> Answer | None:
        """Ask aloud and hear the whole answer."""
        answer = self.begin(question, voice)
        return None if answer is None else self.finish(answer, timeout_s)

    def long_question(self, number: int) -> Question:
        """One whose answer is long enough to be interrupted."""
        if self.setting.is_scripted or self.setting.has_scripted_answers:
            return LONG["zh" if number % 2 == 0 else "en"]
        return QUESTIONS[(0, 6, 1, 5, 8)[number % 5]]
