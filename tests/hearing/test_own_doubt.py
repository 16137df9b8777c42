"""An utterance over the kiosk's own sound: whose is it?"""

from __future__ import annotations

import pytest

from kiosk.hearing.own_doubt import BEYOND_BLOCKS, CLEAR_EVIDENCE, OwnDoubt

BLOCK_NS = 10_000_000


def heard(evidence: list[float | None]) -> tuple[OwnDoubt, int]:
    doubt = OwnDoubt()
    for number, value in enumerate(evidence, 1):
        doubt.note(number * BLOCK_NS, value)
    return doubt, len(evidence) * BLOCK_NS


@pytest.mark.parametrize(
    ("evidence", "is_own"),
    [
        ([0.2] * 30 + [1.1, 1.2, 1.0] + [0.4] * 30, True),  # an echo that looked like a visitor for a moment
        ([0.2] * 30 + [1.1, 1.2, CLEAR_EVIDENCE + 0.1] + [0.4] * 30, False),
        ([1.1] * 30 + [None] * (BEYOND_BLOCKS - 1), True),  # its tail
        ([1.1] * 30 + [None] * 40, False),  # somebody goes on when the kiosk is silent
        ([None] * 60, False),  # the kiosk was silent all the time
        ([], False),
    ],
)
def test_an_echo_never_stands_out_clearly_nor_outlasts_the_sound(evidence: list[float | None], is_own: bool) -> None:
    doubt, end_ns = heard(evidence)
    assert doubt.is_own(BLOCK_NS, end_ns) is is_own


def test_what_was_before_and_after_does_not_count() -> None:
    doubt, end_ns = heard([9.0] * 50 + [1.1] * 30 + [9.0] * 50)
    assert doubt.is_own(70 * BLOCK_NS, 80 * BLOCK_NS)
    assert not doubt.is_own(70 * BLOCK_NS, end_ns)
