"""Figures of late and over a longer time."""

from __future__ import annotations

from libremq.common.indicator import Indicator


def test_a_clock_that_jumps_makes_no_figure_that_cannot_be_told() -> None:
    found = Indicator()
    for _ in range(3):
        found.add(20 * 365 * 86400 * 1e6)
    assert found.shown == (999_999_999, 999_999_999)
    found.add(0.0)
    assert found.shown == (999_999_999, 999_999_999)


def test_the_short_one_follows_faster() -> None:
    found = Indicator()
    for value in [100.0] * 50 + [200.0]:
        found.add(value)
    short, long = found.shown
    assert 100 < long < short < 200
