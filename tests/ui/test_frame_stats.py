import pytest

from kiosk.ui.frame_stats import FrameCounter


def test_even_frames():
    counter = FrameCounter(30)
    for index in range(31):
        counter.count(index / 30, index / 30 + 0.004)
    stats = counter.stats()
    assert stats.drawn == 31
    assert stats.late == 0
    assert stats.fps == pytest.approx(30)
    assert stats.longest_gap_ms == pytest.approx(1000 / 30)
    assert stats.mean_draw_ms == pytest.approx(4)


def test_a_stall_is_counted_once_with_its_length():
    counter = FrameCounter(25)
    for begin in (0.0, 0.04, 0.08, 0.38, 0.42):
        counter.count(begin, begin)
    assert counter.stats().late == 1
    assert counter.stats().longest_gap_ms == pytest.approx(300)


def test_time_hidden_or_a_new_rate_is_no_gap():
    counter = FrameCounter(30)
    counter.count(0.0, 0.0)
    counter.pause()
    counter.count(60.0, 60.0)
    counter.set_rate(10)
    counter.count(60.5, 60.5)
    counter.count(60.6, 60.6)
    stats = counter.stats()
    assert (stats.late, stats.drawn) == (0, 4)
    assert stats.longest_gap_ms == pytest.approx(100)


def test_no_frames_no_rate():
    assert FrameCounter(30).stats().fps == 0
