"""What a smaller output buffer would bring and cost: time from `clear` to silence, and gaps on a busy machine.

python -m tests.audio.output_latency --ms 20 30 40 55
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

from kiosk.audio import host
from kiosk.audio.sound import Sound
from kiosk.config import SoundConfig
from models.types import FloatArray
from tests.audio.virtual_card import RATE, VirtualCard

TONE_HZ = 440
CLEARS = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ms", type=float, nargs="+", default=[20, 30, 40, 55])
    parser.add_argument("--programs", type=int, default=2, help="others that compute meanwhile")
    parser.add_argument("--threads", type=int, default=1, help="of this program that compute meanwhile")
    parser.add_argument("--switch-ms", type=float, default=5, help="for which a Python thread keeps the interpreter")
    parser.add_argument("--seconds", type=float, default=10, help="of tone")
    parser.add_argument("--busy-only", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, VirtualCard(Path(folder)) as card:
        os.environ.update({name: card.env[name] for name in ("XDG_RUNTIME_DIR", "XDG_CONFIG_HOME")})
        for latency_ms in options.ms:
            host.OUTPUT_LATENCY_S = latency_ms / 1000
            for busy in (True,) if options.busy_only else (False, True):
                sound = Sound(SoundConfig(volume=1.0, echo_cancellation=False))
                sys.setswitchinterval(options.switch_ms / 1000)
                sound.playback.open(SoundConfig(volume=1.0))
                with working(options.programs, options.threads) if busy else ExitStack():
                    time.sleep(0.5)
                    gaps, offset_ms = gaps_in_tone(card, sound, options.seconds)
                    silent_ms = [clear_to_silence_ms(card, sound, 0.5 + 0.013 * k) for k in range(CLEARS)]
                sound.close()
                print(
                    f"{latency_ms:3.0f} ms {'busy' if busy else 'idle'}: gaps in {options.seconds:.0f} s {gaps:3d}, "
                    f"silence after {np.median(silent_ms):.0f} ms (at most {max(silent_ms):.0f}), "
                    f"picture offset {offset_ms:+.0f} ms",
                    flush=True,
                )


@contextmanager
def working(num_programs: int, num_threads: int) -> Iterator[None]:
    """Other programs and threads of this one that compute without end."""
    command = ["nice", "-n", "5", sys.executable, "-c", "while True: pass"]
    programs = [subprocess.Popen(command) for _ in range(num_programs)]
    done = threading.Event()

    def compute() -> None:
        while not done.is_set():
            sum(range(10_000))

    threads = [threading.Thread(target=compute) for _ in range(num_threads)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()
        for program in programs:
            program.kill()
            program.wait()


def tone(seconds: float) -> FloatArray:
    at = np.arange(round(seconds * 48_000)) / 48_000
    return (0.5 * np.sin(2 * np.pi * TONE_HZ * at)).astype(np.float32)


def gaps_in_tone(card: VirtualCard, sound: Sound, seconds: float) -> tuple[int, float]:
    """Places where the recorded tone breaks, and the worst offset that the playback saw, in ms."""
    with card.record() as recorder:
        time.sleep(0.3)
        sound.playback.enqueue(tone(seconds), 48_000)
        time.sleep(seconds + 0.5)
        recording = recorder.samples.astype(np.float64)
    sounding = np.flatnonzero(np.abs(recording) > 0.1)
    middle = recording[sounding[0] + 500 : sounding[-1] - 500]
    residue = middle[2:] - 2 * np.cos(2 * np.pi * TONE_HZ / RATE) * middle[1:-1] + middle[:-2]
    breaks = np.flatnonzero(np.abs(residue) > 0.002)
    return int(np.count_nonzero(np.diff(breaks, prepend=-RATE) > RATE // 200)), sound.playback.worst_offset_ms


def clear_to_silence_ms(card: VirtualCard, sound: Sound, after_s: float) -> float:
    with card.record() as recorder:
        time.sleep(0.2)
        sound.playback.enqueue(tone(5), 48_000)
        time.sleep(after_s)
        cleared_ns = time.monotonic_ns()
        sound.playback.clear()
        time.sleep(0.4)
        last = int(np.flatnonzero(np.abs(recorder.samples) > 0.001)[-1])
        return (recorder.time_of(last) - cleared_ns) / 1e6


if __name__ == "__main__":
    main()
