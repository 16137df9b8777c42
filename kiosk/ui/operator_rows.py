"""From the operator's facts to lines of text: pure functions, one per card of the operator page."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from kiosk.operator_facts import DeviceFacts, OperatorFacts, StageFacts
from kiosk.ui.operator_texts import OperatorTexts

Row = tuple[str, ...]
"""Cells from the left; rows of one card have equally many."""

MEGABYTE = 1_000_000
TOGETHER_MS = 1.0
"""Below this, picture and sound are together."""
MISSING = "–"


def stage_rows(facts: OperatorFacts, texts: OperatorTexts, now_s: float) -> list[Row]:
    """Name; state with its turn; since when; restarts. `now_s` is time.time()."""
    return [_stage_row(stage, texts, now_s) for stage in facts.stages]


def _stage_row(stage: StageFacts, texts: OperatorTexts, now_s: float) -> Row:
    state = texts.named("state", stage.state)
    if stage.turn_id is not None:
        state = texts.turn.format(state=state, number=stage.turn_id)
    restarts = texts.never_restarted
    if stage.restarts and stage.restarted_at_s is not None:
        restarts = texts.restarted.format(count=stage.restarts, clock=clock(stage.restarted_at_s))
    since = texts.since.format(time=texts.duration(now_s - stage.since_s))
    return texts.named("stage", stage.name), state, since, restarts


def sound_rows(facts: OperatorFacts, texts: OperatorTexts) -> list[Row]:
    """Which one; state; name of the device. The microphone comes last: its level is shown below."""

    def row(title: str, device: DeviceFacts) -> Row:
        return title, texts.named("device", device.state), device.name or MISSING

    return [row(texts.loudspeaker, facts.loudspeaker), row(texts.microphone, facts.microphone)]


def turn_rows(facts: OperatorFacts, texts: OperatorTexts) -> list[Row]:
    """A heading, then a line per turn: the time of day and each part that occurs, in order."""
    if not facts.turns:
        return [(texts.no_turns,)]
    parts = list(dict.fromkeys(part for turn in facts.turns for part in turn.parts_ms if part != "total"))
    columns = [*parts, "total"]
    heading = ("", *(texts.named("part", part) for part in columns))
    return [heading, *((clock(turn.at_s), *_milliseconds(turn.parts_ms, columns)) for turn in facts.turns)]


def figure_rows(facts: OperatorFacts, texts: OperatorTexts) -> list[Row]:
    """Offset between picture and sound; memory."""
    used, free = facts.resident_bytes // MEGABYTE, facts.available_bytes // MEGABYTE
    return [
        (texts.offset, _offset(facts.av_offset_ms, texts)),
        (texts.memory, texts.memory_figures.format(used=used, free=free)),
    ]


def error_rows(facts: OperatorFacts, texts: OperatorTexts) -> list[Row]:
    """Time of day; what happened."""
    return [(clock(error.at_s), error.message) for error in facts.errors] or [(texts.no_errors,)]


def clock(at_s: float) -> str:
    """The time of day, local, of a time.time()."""
    return time.strftime("%H:%M:%S", time.localtime(at_s))


def _milliseconds(parts_ms: Mapping[str, float], columns: Sequence[str]) -> Row:
    return tuple(f"{parts_ms[part]:.0f}" if part in parts_ms else MISSING for part in columns)


def _offset(offset_ms: float | None, texts: OperatorTexts) -> str:
    if offset_ms is None:
        return texts.offset_unknown
    if abs(offset_ms) < TOGETHER_MS:
        return texts.offset_none
    text = texts.offset_ahead if offset_ms > 0 else texts.offset_behind
    return text.format(ms=f"{abs(offset_ms):.0f}")
