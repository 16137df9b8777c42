"""What a run of the lobby found, as a table for people and for docs/performance.md."""

from __future__ import annotations

import dataclasses
import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.lobby.visit import Turn

PARTS = ("end_of_turn", "recogniser", "first_token", "first_clause", "synthesis", "output")


def table(turns: list[Turn]) -> str:
    """One line per question, then the percentiles of the wait and of its parts."""
    lines = [f"{'heard':6}{'right':6}{'wait s':>7}  question | transcript | answer as heard"]
    for turn in turns:
        noise = f" [noise {turn.question.snr_db:.0f} dB]" if turn.question.snr_db is not None else ""
        lines.append(
            f"{'yes' if turn.was_heard else 'NO':6}{'yes' if turn.is_right else 'NO':6}"
            f"{turn.wait_s if turn.wait_s is not None else float('nan'):7.2f}  "
            f"{turn.question.text}{noise} | {turn.transcript} | {turn.heard_reply}"
        )
    waits = [turn.wait_s for turn in turns if turn.wait_s is not None]
    if waits:
        p50, p95 = np.percentile(waits, [50, 95])
        lines.append(
            f"last voiced sample -> first audible sample: p50 {p50:.2f} s, p95 {p95:.2f} s, {len(waits)} turns"
        )
    for part in PARTS:
        values = [turn.parts_ms[part] for turn in turns if part in turn.parts_ms]
        if values:
            lines.append(f"  {part:14} median {statistics.median(values):7.0f} ms, largest {max(values):7.0f} ms")
    heard, right = sum(t.was_heard for t in turns), sum(t.is_right for t in turns)
    lines.append(f"heard right {heard} of {len(turns)}, answered right {right} of {len(turns)}")
    return "\n".join(lines)


def spread(values: Sequence[float | None], unit: str = "ms") -> str:
    """Median, 95th percentile and largest of those that are there."""
    there = [value for value in values if value is not None]
    if not there:
        return "none"
    p50, p95 = np.percentile(there, [50, 95])
    return (
        f"p50 {p50:.0f} {unit}, p95 {p95:.0f} {unit}, largest {max(there):.0f} {unit}, {len(there)} of {len(values)}"
    )


def columns(rows: Sequence[Any]) -> str:
    """Dataclasses of one kind as a table, a column a field."""
    if not rows:
        return "(none)"
    names = [field.name for field in dataclasses.fields(rows[0])]
    cells = [names] + [[_cell(getattr(row, name)) for name in names] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)


def write_json(path: Path, trial: str, rows: Sequence[Any], **figures: Any) -> None:
    """The rows and whatever sums them up, as one object."""
    data = {"trial": trial, **figures, "rows": [dataclasses.asdict(row) for row in rows]}
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1), encoding="utf-8")


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return f"{value:.0f}" if isinstance(value, float) else str(value)
