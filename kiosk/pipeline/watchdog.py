"""Decides which stage is started again, and when to stop trying. Pure: time is given, nothing is started here.

A stage is stuck when it has an event, or is loading, and has given no sign of life for too long. A stage that waits
for an event, for the microphone or for the next stage is never stuck. See `kiosk.pipeline.progress`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from kiosk.pipeline.progress import StageReport, StageState

NS_PER_S = 1_000_000_000


class Supervised(Protocol):
    """What the watchdog looks after; `kiosk.pipeline.supervisor.ThreadSupervisor` is the real one."""

    @property
    def name(self) -> str:
        """Of the stage."""
        ...

    def report(self) -> StageReport:
        """The stage now."""
        ...

    def restart(self, report: StageReport, reason: str) -> bool:
        """Start it afresh; false when it has moved on since the report."""
        ...

    def proceed(self) -> bool:
        """Go on with a restart that waits for memory, if there is enough; true when it no longer waits."""
        ...

    def give_up(self, report: StageReport, reason: str) -> bool:
        """Do not start it again; false when it has moved on since the report."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much patience, in seconds unless said otherwise."""

    working_s: float = 10.0
    """Silence in the middle of an event. Models give a sign with each token, clause or window."""
    slow_factor: float = 2.0
    """A stage that was silent for longer before and went on gets this many times as long (number), …"""
    slow_s: float = 30.0
    """… but never more than this."""
    loading_s: float = 120.0
    """Silence while a model is loaded and warmed up; some of them give no sign until the end."""
    memory_s: float = 60.0
    """Waiting for the memory of the copy that is stuck."""
    restarts: int = 3
    """So many restarts of one stage (number) …"""
    within_s: float = 600.0
    """… within so long; the next time it is given up."""
    pause_s: float = 2.0
    """A thread that died is started again after this, times the restarts it has just had."""
    late_check_s: float = 4.0
    """A check that comes so long after the one before tells of a machine that slept or was too busy for anybody."""


class Watchdog:
    """Looks at each stage about once a second."""

    def __init__(self, stages: Iterable[Supervised], limits: Limits | None = None) -> None:
        self._stages = tuple(stages)
        self._limits = limits or Limits()
        self._restarts_ns: dict[str, deque[int]] = {stage.name: deque() for stage in self._stages}
        self._checked_ns: int | None = None
        self._awake_since_ns = 0

    def reports(self) -> tuple[StageReport, ...]:
        """All stages now, in the order given."""
        return tuple(stage.report() for stage in self._stages)

    def check(self, now_ns: int) -> None:
        """Look at every stage once, and start again those that are stuck or dead.

        Args:
            now_ns: time.monotonic_ns().
        """
        if self._checked_ns is not None and now_ns - self._checked_ns > self._limits.late_check_s * NS_PER_S:
            self._awake_since_ns = now_ns  # silence before this moment was nobody's fault
        self._checked_ns = now_ns
        for stage in self._stages:
            self._look_at(stage, now_ns)

    def _look_at(self, stage: Supervised, now_ns: int) -> None:
        report, limits = stage.report(), self._limits
        silence_s = (now_ns - max(report.heartbeat_ns, self._awake_since_ns)) / NS_PER_S
        if report.state is StageState.WORKING:
            slow_s = min(limits.slow_s, limits.slow_factor * report.slowest_ns / NS_PER_S)
            if silence_s > max(limits.working_s, slow_s):
                self._restart(stage, report, f"no progress for {silence_s:.0f} s", now_ns)
        elif report.state is StageState.LOADING:
            if silence_s > limits.loading_s:
                self._restart(stage, report, f"not loaded within {silence_s:.0f} s", now_ns)
        elif report.state is StageState.FAILED:
            self._revive(stage, report, now_ns)
        elif report.state is StageState.RESTARTING and not stage.proceed():
            if now_ns - report.since_ns > limits.memory_s * NS_PER_S:
                stage.give_up(report, "hangs, and there is no memory to load it again; restart the kiosk")

    def _revive(self, stage: Supervised, report: StageReport, now_ns: int) -> None:
        recent = self._recent(stage, now_ns)
        if not recent or now_ns - recent[-1] >= len(recent) * self._limits.pause_s * NS_PER_S:
            self._restart(stage, report, "it ended by itself", now_ns)

    def _restart(self, stage: Supervised, report: StageReport, reason: str, now_ns: int) -> None:
        recent = self._recent(stage, now_ns)
        if len(recent) >= self._limits.restarts:
            minutes = self._limits.within_s / 60
            count = len(recent) + 1
            stage.give_up(
                report, f"failed {count} times within {minutes:.0f} minutes; restart the kiosk, see the log file"
            )
        elif stage.restart(report, reason):
            recent.append(now_ns)

    def _recent(self, stage: Supervised, now_ns: int) -> deque[int]:
        """When it was restarted lately."""
        recent = self._restarts_ns[stage.name]
        while recent and now_ns - recent[0] > self._limits.within_s * NS_PER_S:
            recent.popleft()
        return recent
