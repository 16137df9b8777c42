"""How well turn ends are found: `python -m tests.hearing.turn_ends`, over a hundred spoken utterances.

Real voice activity, end of turn and recognition; only the time that recognition takes is a figure, so that the
measurement runs faster than the sound and does not depend on what else the machine does. Beside it stands the plain
rule of 0.7 s of silence.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from kiosk.config import HearingConfig
from kiosk.hearing.segmenter import Segmenter
from kiosk.paths import checkpoints_dir
from kiosk.profile import load_profile
from models.asr import load_recogniser
from models.asr.base import Recogniser
from models.endpointing.smart_turn import SmartTurn
from models.types import LANGUAGES, FloatArray
from models.vad.silero import SileroVad
from models.weights import locate
from tests.hearing.turn_sentences import SENTENCES, Sentence
from tests.hearing.visit_by_ear import Recognise, listen
from tests.hearing.visiting_voices import VOICES, Heard, say

Kind: TypeAlias = Literal["whole", "cut", "phrase"]
"""whole: no pause; cut: silence at a word boundary of a fluent sentence; phrase: spoken as if pausing."""

RECOGNITION_S = 0.255
"""From the news of a pause to the words of recognition on trial: the median of these utterances on the two-core CPU
of a kiosk that does nothing else."""
REPAIRED_S = 1.0
"""A pause up to this long is over before the kiosk's first sound: both parts are joined, nobody notices."""
PLAIN_MS = 700
PAUSES_S = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
DICTATION_S = 0.9
SLACK_S = 0.2
"""A turn whose voice ends this much before the last word does not hold all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One utterance as it is spoken."""

    sentence: Sentence
    kind: Kind
    voice: int
    """Number of the visitor in `VOICES`."""
    pause_s: float

    @property
    def mark(self) -> str:
        """What is written at the pauses."""
        if self.kind != "phrase":
            return ""
        comma, ellipsis = {"zh": ("，", "……"), "en": (",", "...")}[self.sentence.language]
        return ellipsis if self.sentence.topic == "hesitation" else comma

    def sound(self, cache: Path | None) -> Heard:
        """As it arrives at the microphone; from the cache if it is there."""
        key = repr((self.sentence.parts, VOICES[self.voice], self.mark, self.pause_s))
        file = cache and cache / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.npz"
        if file and file.is_file():
            with np.load(file) as kept:
                ends, resumes = kept["ends_s"].tolist(), kept["resumes_s"].tolist()
                return Heard(samples=kept["samples"], ends_s=tuple(ends), resumes_s=tuple(resumes))
        parts = self.sentence.parts
        pauses_s = [self.pause_s] * (len(parts) - 1)
        heard = say(parts, self.sentence.language, self.voice, pauses_s=pauses_s, mark=self.mark)
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)
            np.savez(file, samples=heard.samples, ends_s=heard.ends_s, resumes_s=heard.resumes_s)
        return heard


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one utterance."""

    case: Case
    cut_in_at: tuple[float, ...]
    """Of each turn closed too early: how long the visitor went on being silent after the last word, in seconds."""
    wait_s: float
    """From the last voiced sample to the end of the turn."""
    ended_by: str

    @property
    def is_cut_in(self) -> bool:
        """Was the visitor cut off?"""
        return bool(self.cut_in_at)


def cases(kinds: Literal["alternate", "both"]) -> list[Case]:
    """All utterances; those with a pause as one kind, alternately, or as both."""
    chosen: list[Case] = []
    counts = {(language, has): 0 for language in LANGUAGES for has in (False, True)}
    for sentence in SENTENCES:
        number = counts[sentence.language, sentence.has_pause]
        counts[sentence.language, sentence.has_pause] += 1
        pause_s = DICTATION_S if sentence.topic == "number" else PAUSES_S[number % len(PAUSES_S)]
        of_kind: tuple[Kind, ...] = ("whole",)
        if sentence.has_pause:
            of_kind = ("cut", "phrase") if kinds == "both" else (("cut", "phrase")[number % 2],)
        chosen += [
            Case(sentence=sentence, kind=kind, voice=number % len(VOICES), pause_s=pause_s) for kind in of_kind
        ]
    return chosen


def by_visitor(chosen: Sequence[Case]) -> list[list[Case]]:
    """One visitor speaks one language; whole and broken utterances follow each other as they come."""
    visitors: dict[tuple[str, int], list[Case]] = {}
    for case in chosen:
        visitors.setdefault((case.sentence.language, case.voice), []).append(case)
    rng = np.random.default_rng(1)
    return [[visit[i] for i in rng.permutation(len(visit))] for visit in visitors.values()]


def judge(case: Case, sound: Heard, segmenter: Segmenter, recognise: Recognise, takes_s: float) -> Outcome:
    """Play one utterance and see what the segmenter makes of it."""
    end_s = sound.ends_s[-1]
    early, last = [], None
    for found in listen(segmenter, sound.samples, recognise, takes_s):
        voice_end_s = found.turn.speech_end_ns / 1e9
        if voice_end_s < end_s - SLACK_S:
            resumes_s = min((r for r in sound.resumes_s if r > voice_end_s), default=voice_end_s)
            early.append(resumes_s - max((e for e in sound.ends_s if e <= resumes_s), default=voice_end_s))
        else:
            last = found
    if last is None:
        return Outcome(case=case, cut_in_at=tuple(early), wait_s=np.nan, ended_by="never")
    return Outcome(case=case, cut_in_at=tuple(early), wait_s=last.closed_s - end_s, ended_by=last.turn.ended_by)


class NeverComplete:
    """The end-of-turn model of the plain silence rule."""

    def probability(self, samples: FloatArray) -> float:
        """See `EndOfTurnDetector.probability`."""
        return 0.0

    def close(self) -> None:
        """See `EndOfTurnDetector.close`."""


def run(
    visits: Sequence[Sequence[Case]],
    sound_of: Callable[[Case], Heard],
    segmenter: Segmenter,
    recognise: Recognise,
    takes_s: float,
) -> list[Outcome]:
    """All visits, one after the other, each by somebody new."""
    outcomes = []
    for visit in visits:
        segmenter.reset_visitor()
        outcomes += [judge(case, sound_of(case), segmenter, recognise, takes_s) for case in visit]
    return outcomes


def line(name: str, outcomes: Sequence[Outcome]) -> str:
    """One row of the table."""
    if not outcomes:
        return f"{name:<24} {0:>4}"
    cut = [outcome for outcome in outcomes if outcome.is_cut_in]
    lasting = sum(any(pause_s > REPAIRED_S for pause_s in outcome.cut_in_at) for outcome in cut)
    waits = np.array([outcome.wait_s for outcome in outcomes])
    half, most = np.nanpercentile(waits, [50, 95]) * 1000
    return (
        f"{name:<24} {len(outcomes):>4} {len(cut):>4} {100 * len(cut) / len(outcomes):>6.0f} % "
        f"{len(cut) - lasting:>9} {half:>9.0f} {most:>9.0f} {np.isnan(waits).sum():>6}"
    )


HEADER = f"{'':<24} {'n':>4} {'cut in on':>13} {'repaired':>9} {'wait p50':>9} {'p95, ms':>9} {'never':>6}"


def table(outcomes: Sequence[Outcome]) -> str:
    """Figures for all, per language, per kind and for the part that was held out."""
    rows = [HEADER, line("all", outcomes)]
    groups: list[tuple[str, Callable[[Outcome], bool]]] = [
        ("tuned on", lambda o: not o.case.sentence.is_held_out),
        ("held out", lambda o: o.case.sentence.is_held_out),
    ]
    for language in LANGUAGES:
        groups.append((language, lambda o, lang=language: o.case.sentence.language == lang))  # type: ignore[misc]
        for kind in ("whole", "cut", "phrase"):
            groups.append(
                (
                    f"{language} {kind}",
                    lambda o, lang=language, k=kind: o.case.sentence.language == lang and o.case.kind == k,  # type: ignore[misc]
                )
            )
    for topic in ("question", "request", "number", "introduction", "hesitation"):
        groups.append((topic, lambda o, t=topic: o.case.sentence.topic == t))  # type: ignore[misc]
    rows += [line(name, [outcome for outcome in outcomes if test(outcome)]) for name, test in groups]
    return "\n".join(rows)


def load_whisper() -> Recogniser:
    """Whisper-base as the kiosk loads it for a bank."""
    profile = load_profile("bank")
    words = {language: "、".join(profile.text(language).recogniser_words) for language in LANGUAGES}
    return load_recogniser("auto", locate("whisper-base", checkpoints_dir()), device="cpu", prompt_words=words)


def load_detectors() -> tuple[SileroVad, SmartTurn]:
    """Silero and Smart Turn."""
    return (
        SileroVad.load(locate("silero-vad", checkpoints_dir()) / "silero_vad.onnx"),
        SmartTurn.load(locate("smart-turn-v3.2", checkpoints_dir()) / "smart-turn-v3.2-cpu.onnx"),
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.hearing.turn_ends", description=__doc__)
    parser.add_argument("--both", action="store_true", help="speak each utterance with a pause in both ways")
    parser.add_argument("--strangers", action="store_true", help="each utterance is somebody else's first")
    parser.add_argument(
        "--takes", type=float, default=RECOGNITION_S, help="seconds from the news of a pause to its words"
    )
    parser.add_argument("--cache", type=Path, help="folder that keeps the spoken sounds")
    parser.add_argument(
        "--list", action="store_true", help="name each utterance that was cut in on or waited for long"
    )
    options = parser.parse_args()

    visits = by_visitor(cases("both" if options.both else "alternate"))
    if options.strangers:
        visits = [[case] for visit in visits for case in visit]
    sounds = {case: case.sound(options.cache) for visit in visits for case in visit}
    vad, smart_turn = load_detectors()
    whisper = load_whisper()
    segmenter = Segmenter(vad, smart_turn, HearingConfig())
    outcomes = run(
        visits, sounds.__getitem__, segmenter, lambda samples: whisper.transcribe(samples).text, options.takes
    )
    print("voice, words and habit\n" + table(outcomes))
    plain = HearingConfig(max_silence_ms=PLAIN_MS, unfinished_silence_ms=PLAIN_MS)
    waiting = Segmenter(vad, NeverComplete(), plain)
    print("\nplain rule of 0.7 s\n" + table(run(visits, sounds.__getitem__, waiting, lambda _: "", options.takes)))
    if options.list:
        print()
        for outcome in outcomes:
            if outcome.is_cut_in or not outcome.wait_s <= 0.9:
                print(
                    f"{outcome.case.kind:<7} {outcome.case.sentence.text(' |')}: cut in on in pauses of "
                    f"{outcome.cut_in_at} s, waited {outcome.wait_s:.2f} s, {outcome.ended_by}"
                )


if __name__ == "__main__":
    main()
