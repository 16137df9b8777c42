"""Does voice activity hear as well after hours? `python -m tests.hearing.long_stream [--minutes 120]`.

Each minute holds ten seconds of speech over the noise of a room; what was found in the last minutes is compared with
the first.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from kiosk.config import HearingConfig
from kiosk.hearing.results import SpeechBegan, SpeechEnded
from kiosk.hearing.segmenter import Segmenter
from models.types import FloatArray
from models.vad.base import VoiceActivityDetector
from tests.hearing.hearing_sounds import RATE, clip, noise
from tests.hearing.turn_ends import NeverComplete, load_detectors

ROOM_DB = -50.0
BLOCK = 1600  # samples, 100 ms
SENTENCES = ("zh_card_fee", "en_toilet", "zh_where_open")
GAP_S = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Minute:
    """What was found in one minute."""

    num_turns: int
    heard_s: float
    """Length of the turns together."""
    first_onset_s: float
    """From the first sample of speech to where the first turn was said to begin; nan if none did."""


def minute_of_sound(seed: int) -> tuple[FloatArray, float]:
    """A minute with about ten seconds of speech after some quiet; and where the speech begins, in seconds."""
    begins_s = 20.0
    sound = noise(60, ROOM_DB, seed)
    at = int(begins_s * RATE)
    spoken = 0
    for i in range(100):
        words = clip(SENTENCES[i % len(SENTENCES)])
        if spoken + len(words) > 10 * RATE:
            break
        sound[at : at + len(words)] += words
        spoken += len(words)
        at += len(words) + int(GAP_S * RATE)
    return sound, begins_s


def stream(vad: VoiceActivityDetector, minutes: int) -> list[Minute]:
    """Listen without a break."""
    segmenter = Segmenter(vad, NeverComplete(), HearingConfig(max_silence_ms=700))
    found = []
    for number in range(minutes):
        sound, begins_s = minute_of_sound(number)
        turns, onsets = [], []
        for start in range(0, len(sound), BLOCK):
            now_ns = (number * len(sound) + start + BLOCK) * 1_000_000_000 // RATE
            for result in segmenter.push(sound[start : start + BLOCK], now_ns):
                if isinstance(result, SpeechBegan):
                    onsets.append(result.speech_start_ns / 1e9 - 60 * number - begins_s)
                elif isinstance(result, SpeechEnded):
                    turns.append(len(result.samples) / RATE)
        found.append(
            Minute(num_turns=len(turns), heard_s=sum(turns), first_onset_s=onsets[0] if onsets else float("nan"))
        )
    return found


def main() -> None:
    """Print the first and the last ten minutes."""
    parser = argparse.ArgumentParser(prog="python -m tests.hearing.long_stream", description=__doc__)
    parser.add_argument("--minutes", type=int, default=120)
    found = stream(load_detectors()[0], parser.parse_args().minutes)
    for name, part in (("first ten minutes", found[:10]), ("last ten minutes", found[-10:])):
        print(
            f"{name}: {np.mean([m.num_turns for m in part]):.1f} turns and {np.mean([m.heard_s for m in part]):.2f} s"
            f" of speech a minute, onset error {1000 * np.mean([m.first_onset_s for m in part]):+.0f} ms"
        )


if __name__ == "__main__":
    main()
