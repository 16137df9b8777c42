"""Calls that hang."""

from __future__ import annotations

import threading
import time

import pytest

from kiosk.audio.patience import PatientCaller
from kiosk.errors import AudioError


def test_a_quick_call_gives_its_result_and_its_error() -> None:
    caller = PatientCaller()
    assert caller.call(lambda: 7, 1) == 7

    def fail() -> int:
        raise AudioError("device-refused", "no")

    with pytest.raises(AudioError, match="no"):
        caller.call(fail, 1)
    caller.refuse_if_hanging()


def test_a_hanging_call_is_left_and_its_late_result_thrown_away() -> None:
    caller = PatientCaller()
    release, thrown_away = threading.Event(), threading.Event()
    late: list[str] = []

    def hang() -> str:
        release.wait(5)
        return "stream"

    def discard(result: str) -> None:
        late.append(result)
        thrown_away.set()

    started = time.monotonic()
    with pytest.raises(AudioError, match="does not answer"):
        caller.call(hang, 0.05, discard)
    assert time.monotonic() - started < 1
    with pytest.raises(AudioError, match="hangs"):
        caller.refuse_if_hanging()
    assert caller.call(lambda: "closing still works", 1)
    release.set()
    assert thrown_away.wait(5)
    assert late == ["stream"]
    for thread in caller._late:
        thread.join(5)
    caller.refuse_if_hanging()
