"""Gathers what staff may know about the running kiosk; the controller tells it the news and asks for the whole."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable, Mapping

import psutil

from kiosk.events import StageError
from kiosk.health_file import started_after_boot_s
from kiosk.operator_facts import DeviceFacts, ErrorFacts, OperatorFacts, StageFacts, TurnFacts
from kiosk.pipeline.progress import StageReport

KEPT = 5
"""Turns and errors that are remembered."""


class OperatorLog:
    """Remembers the last turns and errors of this process."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._began_s = time.monotonic()
        self._started_after_boot_s = started_after_boot_s(os.getpid())
        self._turns: deque[TurnFacts] = deque(maxlen=KEPT)
        self._errors: deque[ErrorFacts] = deque(maxlen=KEPT)

    def note_turn(self, parts_ms: Mapping[str, float]) -> None:
        """An answer has begun to sound; `parts_ms` as `TurnLatency` gives them."""
        self._turns.appendleft(TurnFacts(at_s=time.time(), parts_ms=dict(parts_ms)))

    def note_error(self, error: StageError) -> None:
        """A stage failed."""
        self._errors.appendleft(ErrorFacts(at_s=time.time(), stage=error.stage, message=error.message))

    def facts(
        self,
        phase: str,
        stages: Iterable[StageReport],
        microphone: DeviceFacts,
        loudspeaker: DeviceFacts,
        av_offset_ms: float | None,
    ) -> OperatorFacts:
        """Everything as it is now.

        Args:
            phase: What the screen shows.
            stages: As the watchdog reports them.
            microphone: With its level.
            loudspeaker: Without one.
            av_offset_ms: How far the picture is ahead of the sound; None while unknown.
        """
        now_ns = time.monotonic_ns()
        return OperatorFacts(
            pid=os.getpid(),
            started_after_boot_s=self._started_after_boot_s,
            written_ns=now_ns,
            uptime_s=round(now_ns / 1e9 - self._began_s, 1),
            phase=phase,
            stages=tuple(_stage_facts(report, now_ns) for report in stages),
            microphone=microphone,
            loudspeaker=loudspeaker,
            turns=tuple(self._turns),
            av_offset_ms=av_offset_ms,
            resident_bytes=self._process.memory_info().rss,
            available_bytes=psutil.virtual_memory().available,
            errors=tuple(self._errors),
        )


def _stage_facts(report: StageReport, now_ns: int) -> StageFacts:
    return StageFacts(
        name=report.name,
        state=report.state.value,
        since_s=round(time.time() - (now_ns - report.since_ns) / 1e9, 1),
        turn_id=report.turn_id,
        restarts=report.restarts,
        restarted_at_s=report.restarted_at_s,
    )
