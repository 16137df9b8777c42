from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kiosk.hearing.sample_buffer import SampleBuffer


@given(st.lists(st.integers(0, 40), max_size=30), st.integers(1, 25), st.integers(0, 30))
def test_the_last_samples_are_those_that_came(sizes: list[int], capacity: int, reach: int) -> None:
    buffer = SampleBuffer(capacity)
    stream = np.arange(sum(sizes), dtype=np.float32)
    at = 0
    for size in sizes:
        buffer.append(stream[at : at + size])
        at += size
    assert buffer.end == len(stream)
    assert len(stream) - buffer.start >= min(capacity, len(stream))
    start = max(buffer.start, len(stream) - reach)
    np.testing.assert_array_equal(buffer.slice(start, buffer.end), stream[start:])
