"""One line of `doctor`: does a kiosk run on this machine, and how is it?"""

from __future__ import annotations

import time

from kiosk.health_file import SILENT_AFTER_S, silent_for_s
from kiosk.operator_facts import OperatorFacts, StageFacts

UNHEALTHY = ("failed", "given up", "restarting")
"""States of a stage that staff should know about."""


def describe(facts: OperatorFacts | None, now_ns: int) -> tuple[bool, str]:
    """Judge the running kiosk.

    Args:
        facts: What its health file says; None when none runs.
        now_ns: time.monotonic_ns().

    Returns:
        Whether all is well, and the line.
    """
    if facts is None:
        return True, "not running"
    running = f"running for {duration(facts.uptime_s)}"
    silent_s = silent_for_s(facts, now_ns)
    if silent_s > SILENT_AFTER_S:
        return (
            False,
            f"{running}, but it has not moved for {duration(silent_s)}; end process {facts.pid}, start it again",
        )
    if facts.phase == "error":
        reason = facts.errors[0].message if facts.errors else "see the log file"
        return False, f"{running}, out of service: {reason}"
    states = [f"{stage.name} {stage.state}" for stage in facts.stages if stage.state in UNHEALTHY]
    restarts = [_restarts(stage) for stage in facts.stages if stage.restarts]
    return not states, ", ".join([running, *states, *restarts])


def duration(seconds: float) -> str:
    """Such as "40 s", "12 min", "3 h", "2 days"."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds // 60:.0f} min"
    if seconds < 2 * 86_400:
        return f"{seconds // 3600:.0f} h"
    return f"{seconds // 86_400:.0f} days"


def _restarts(stage: StageFacts) -> str:
    count = "once" if stage.restarts == 1 else f"{stage.restarts} times"
    if stage.restarted_at_s is None:
        return f"{stage.name} restarted {count}"
    last = "" if stage.restarts == 1 else "last at "
    return f"{stage.name} restarted {count} ({last}{time.strftime('%H:%M', time.localtime(stage.restarted_at_s))})"
