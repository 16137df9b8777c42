"""How fast the kiosk's own `Capture` finds the microphone's clock to run; PortAudio wants a process of its own.

    python -m tests.lobby.capture_rate SECONDS

Prints one JSON object: `rate` in samples per second of `time.monotonic` at the model's rate, over the longest stretch
without a gap; its `seconds`; and the number of `gaps`, which a busy machine makes.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

from kiosk.audio.capture import Capture
from kiosk.audio.manager import DeviceManager
from kiosk.audio.resample import MODEL_RATE
from kiosk.config import SoundConfig

SETTLE_S = 3.0
GAP_S = 0.06


def main(seconds: float) -> None:
    """Listen and fit a line through the blocks' times."""
    capture = Capture(DeviceManager())
    capture.open(SoundConfig())
    started = time.monotonic()
    ends: list[int] = []
    counts: list[int] = []
    total = 0
    while time.monotonic() < started + SETTLE_S + seconds:
        block = capture.read(1.0)
        if block is not None and time.monotonic() > started + SETTLE_S:
            total += len(block.samples)
            ends.append(block.captured_ns)
            counts.append(total)
    capture.close()
    time_s, seconds_heard = (np.array(ends) - ends[0]) / 1e9, np.array(counts) / MODEL_RATE
    gaps = np.flatnonzero(np.abs(np.diff(time_s - seconds_heard)) > GAP_S) + 1
    whole = max(np.split(np.arange(len(ends)), gaps), key=len)
    rate = MODEL_RATE * np.polyfit(time_s[whole], seconds_heard[whole], 1)[0]
    seconds = time_s[whole[-1]] - time_s[whole[0]]
    sys.stdout.write(json.dumps({"rate": float(rate), "seconds": float(seconds), "gaps": len(gaps)}) + "\n")


if __name__ == "__main__":
    main(float(sys.argv[1]))
