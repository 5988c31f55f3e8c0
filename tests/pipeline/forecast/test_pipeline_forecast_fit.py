"""One series at a time, made with a seed so that growth and the day of reaching the limit are known."""

from __future__ import annotations

import math
import warnings
from datetime import datetime, timedelta
from typing import Any

import pytest

pytest.importorskip("statsmodels")
import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from libremq.pipeline.forecast.fit import Fit, forecast
from libremq.pipeline.forecast.profile import profile
from libremq.pipeline.forecast.trend import backtested, level_shift, projected, weekday_factors, without_outliers

Floats = npt.NDArray[np.float64]

MONDAY = datetime(2026, 1, 5)
WEEK = np.array([1.0, 1.05, 1.1, 1.05, 1.0, 0.5, 0.4])
OFFICE = np.array([0.2] * 7 + [0.6, 0.9, 1.0, 0.95, 0.9, 0.8, 0.9, 0.95, 0.9, 0.8, 0.6] + [0.3] * 6)


def hours_of(days: int) -> npt.NDArray[np.datetime64]:
    return np.datetime64(MONDAY, "h") + np.arange(24 * days)


def truth(days: int, growth_per_day: float = 0.005, week: Floats = WEEK) -> Floats:
    """The highest hour of each day, without noise: 40 MB/s on the first average day."""
    day = np.arange(days)
    return np.asarray(40.0 * (1 + growth_per_day * day) * week[day % 7], dtype=np.float64)


def measured(days: int, seed: int, noise: float = 0.05, **more: Any) -> Floats:
    """Hours of `truth` with noise of the day and of the hour."""
    chance = np.random.default_rng(seed)
    of_day = truth(days, **more) * (1 + chance.normal(0, noise, days))
    hourly = np.repeat(of_day, 24) * np.tile(OFFICE, days) * (1 + chance.normal(0, 0.01, 24 * days))
    return np.asarray(hourly, dtype=np.float64)


def fit(values: Floats, **more: Any) -> Fit:
    return forecast(hours_of(len(values) // 24), values, values, **more)


def highest_of_days(values: Floats) -> Floats:
    return np.asarray(values.reshape(-1, 24).max(axis=1))


def fit_days(values: Floats, **more: Any) -> Fit:
    """A series measured once a day: no profile to work out, so many seeds take little time."""
    return forecast(np.datetime64(MONDAY, "h") + 24 * np.arange(len(values)), values, values, **more)


def reached_truly(limit: float) -> datetime:
    return MONDAY + timedelta(days=int(np.flatnonzero(truth(400) * 1.02 >= limit)[0]))


def test_true_date_lies_in_the_interval_for_most_seeds() -> None:
    limit = 40 * 1.1 * 1.02 * 1.5
    expected = reached_truly(limit)
    inside, near, growths = 0, 0, []
    for seed in range(16):
        found = fit_days(highest_of_days(measured(60, seed)), limit=limit)
        assert found.reached_early is not None
        inside += found.reached_early <= expected and (found.reached_late is None or expected <= found.reached_late)
        near += found.reached is not None and abs(found.reached - expected) <= timedelta(days=14)
        growths.append(found.growth)
    assert inside >= 14
    assert near >= 11
    # 0.5 % of the first day each day: by the sixtieth day that is 2.7 % of the present level a week.
    assert np.median([growth for growth, _, _ in growths if growth is not None]) == pytest.approx(2.7, abs=0.4)


def test_interval_of_days_to_come_holds_what_it_promises() -> None:
    held, count, widths = 0, 0, []
    for seed in range(10):
        highest = highest_of_days(measured(110, seed))
        found = fit_days(highest[:50], horizon_days=60)
        for day, _, low, high in found.predicted:
            held += low <= highest[(day - MONDAY).days] <= high
            count += 1
        widths.append([high - low for _, _, low, high in found.predicted])
    assert held / count >= 0.8
    # Wider with the distance, the same weekday compared.
    assert np.mean([width[56] / width[0] for width in widths]) > 1.2


def test_wandering_series_gets_an_interval_that_follows_it() -> None:
    held, count = 0, 0
    for seed in range(10):
        walk = 50 + np.cumsum(np.random.default_rng(seed).normal(0.05, 1.0, 100))
        found = projected(walk[:60], 40)
        held += int(np.count_nonzero((found.low <= walk[60:]) & (walk[60:] <= found.high)))
        count += 40
        assert found.high[-1] - found.low[-1] > 2.5 * (found.high[0] - found.low[0])
    assert held / count >= 0.8


def test_short_history_says_so_and_gives_no_number() -> None:
    found = fit(measured(9, 1), limit=50.0)
    assert found.status == "too little history"
    assert (found.predicted, found.reached, found.growth) == ([], None, (None, None, None))
    assert "9 whole days" in found.note
    assert len(found.history) == 9
    assert found.profile.hours is not None and not found.profile.decomposed


def test_two_weeks_are_not_projected_over_a_year() -> None:
    found = fit(measured(16, 2), limit=1e9, horizon_days=365)
    assert found.predicted[-1][0] == MONDAY + timedelta(days=16 + 64 - 1)
    assert "carry a projection of 64 days, not 365" in found.note


def test_nothing_at_all_is_too_little() -> None:
    found = forecast(np.empty(0, dtype="datetime64[h]"), np.empty(0), np.empty(0), limit=1.0)
    assert (found.status, found.history, found.profile.weekdays) == ("too little history", [], [None] * 7)


def test_constant_series_stays_and_admits_to_know_nothing_of_change() -> None:
    found = fit(np.full(24 * 30, 56.0), limit=1200.0)
    assert found.status == "not within the horizon"
    assert {point[1:] for point in found.predicted} == {(56.0, 56.0, 56.0)}
    assert found.growth == (0.0, 0.0, 0.0)
    assert "never changed" in found.note
    assert fit(np.zeros(24 * 30), limit=1.0).status == "not within the horizon"
    assert fit(np.full(24 * 30, 56.0), limit=50.0).status == "already over"


def test_series_over_its_limit_is_already_over() -> None:
    found = fit(measured(40, 3), limit=44.0)
    assert found.status == "already over"
    assert found.reached is not None and found.reached < MONDAY + timedelta(days=14)


def test_falling_series_does_not_reach_its_limit() -> None:
    found = fit(measured(60, 4, growth_per_day=-0.005), limit=60.0)
    assert found.status == "not within the horizon"
    growth, low, high = found.growth
    assert growth is not None and low is not None and high is not None
    assert low < growth < high < 0
    assert all(low >= 0 for _, _, low, _ in found.predicted)


def test_bursts_are_set_aside_and_told() -> None:
    plain = measured(60, 5)
    burst = plain.copy()
    burst[24 * 30 + 10] *= 6
    burst[24 * 58 + 10] *= 5
    without, with_bursts = fit(plain, limit=70.0), fit(burst, limit=70.0)
    assert "2 days far off the pattern were set aside (2026-02-04, 2026-03-04)" in with_bursts.note
    assert "One of them was over the limit" in with_bursts.note
    assert without.reached is not None and with_bursts.reached is not None
    assert abs(without.reached - with_bursts.reached) <= timedelta(days=10)
    assert with_bursts.status == without.status == "reached"


def test_gaps_do_not_bend_the_trend() -> None:
    whole = measured(60, 6)
    holes = whole.copy()
    chance = np.random.default_rng(6)
    holes[24 * 20 : 24 * 29] = np.nan
    holes[chance.random(len(holes)) < 0.1] = np.nan
    found, expected = fit(holes, limit=1e9), fit(whole, limit=1e9)
    assert found.growth[0] == pytest.approx(expected.growth[0], abs=0.6)
    # Rows that are missing and rows without a value are the same.
    there = np.isfinite(holes)
    assert forecast(hours_of(60)[there], holes[there], holes[there], limit=1e9) == found


def test_days_cut_off_at_either_end_are_not_taken_for_quiet_ones() -> None:
    values = measured(31, 7, noise=0.01)
    cut = slice(12, 24 * 30 + 5)
    found = forecast(hours_of(31)[cut], values[cut], values[cut], limit=1e9)
    assert [found.history[0][0], found.history[-1][0]] == [MONDAY + timedelta(days=1), MONDAY + timedelta(days=29)]


def test_weekends_off_do_not_hide_the_growth_of_working_days() -> None:
    closed = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0])
    found = fit(measured(56, 8, week=closed), limit=80.0)
    assert found.growth[0] == pytest.approx(700 * 0.005 / (1 + 0.005 * 56), abs=0.7)
    assert {day.weekday() for day, *_ in found.predicted} == {0, 1, 2, 3, 4}
    # The same where the queue manager does not run at all then.
    hours, values = hours_of(56), measured(56, 8, week=closed)
    running = forecast(hours[values > 0], values[values > 0], values[values > 0], limit=80.0)
    assert running.growth[0] == pytest.approx(found.growth[0], rel=0.05)


def test_restart_that_empties_a_page_set_widens_the_interval() -> None:
    steady = np.repeat(100.0 + np.arange(60), 24) + np.random.default_rng(9).normal(0, 0.5, 24 * 60)
    emptied = steady.copy()
    emptied[24 * 35 :] -= 90
    found, before = fit(emptied, limit=300.0, horizon_days=60), fit(steady, limit=300.0, horizon_days=60)

    def width(one: Fit) -> float:
        return one.predicted[-1][3] - one.predicted[-1][2]

    assert found.predicted and width(found) > 5 * width(before)


def test_bad_backtest_widens_the_interval_and_says_so() -> None:
    # Flat for long, then steep: predictions of before were wrong, and that must show.
    days = np.arange(60)
    values = 50 + np.maximum(0, days - 35) * 1.0 + np.random.default_rng(10).normal(0, 0.4, 60)
    backtest = backtested(values, 60)
    assert backtest is not None
    assert backtest.coverage < 0.8
    assert backtest.widen > 1.2
    plain, wide = projected(values, 60), projected(values, 60, backtest.widen)
    assert wide.high[-1] - wide.low[-1] > 1.2 * (plain.high[-1] - plain.low[-1])
    assert "times as wide" in fit(np.repeat(values, 24), limit=1e9).note


def test_backtest_of_an_honest_series_is_near_its_promise() -> None:
    tests = [backtested(highest_of_days(measured(80, seed)), 40) for seed in range(5)]
    assert np.mean([test.coverage for test in tests if test]) > 0.75
    assert all(test is not None and test.error is not None and 0.02 < test.error < 0.2 for test in tests)


def test_weekday_factors_are_found_in_spite_of_growth() -> None:
    factors = weekday_factors(highest_of_days(measured(56, 11, noise=0.02)))
    assert factors == pytest.approx(WEEK / WEEK.mean(), rel=0.04)
    flat = np.random.default_rng(12).normal(100, 5, 56)
    assert list(weekday_factors(flat)) == [1.0] * 7


def test_ordinary_days_are_rarely_set_aside() -> None:
    series = (highest_of_days(measured(60, seed)) for seed in range(20))
    assert sum(len(without_outliers(values)[1]) for values in series) <= 12  # of 1200


def test_many_far_days_are_how_the_series_is() -> None:
    values = np.random.default_rng(13).normal(10, 0.1, 60)
    values[::5] = 40
    _, found = without_outliers(values)
    assert len(found) == 0


def test_profile_of_day_and_week() -> None:
    values = measured(35, 14)
    found = profile(hours_of(35), values)
    assert found.decomposed and found.hours is not None
    assert found.hours.index(max(found.hours)) in (9, 10)
    assert max(found.hours) / min(found.hours) == pytest.approx(5.0, rel=0.25)
    weekdays = [value or 0.0 for value in found.weekdays]
    assert weekdays[6] < weekdays[5] < weekdays[0] < weekdays[2]
    assert weekdays[2] / weekdays[6] == pytest.approx(1.1 / 0.4, rel=0.2)


def test_profile_with_hours_never_measured_is_none() -> None:
    hours, values = hours_of(20), measured(20, 15)
    morning = np.arange(len(hours)) % 24 < 12
    found = profile(hours[morning], values[morning])
    assert found.hours is None
    assert all(value is not None for value in found.weekdays)


def test_long_history_is_thinned() -> None:
    found = fit_days(np.linspace(1.0, 2.0, 900))
    assert len(found.history) == 500
    assert (found.history[0][0], found.history[-1][0]) == (MONDAY, MONDAY + timedelta(days=899))


def test_a_share_is_not_projected_beyond_the_whole() -> None:
    found = fit(measured(40, 17), limit=95.0, ceiling=60.0, horizon_days=120)
    assert max(high for *_, high in found.predicted) == 60.0
    assert max(high for *_, high in fit(measured(40, 17), horizon_days=120).predicted) > 60.0
    assert found.status == "not within the horizon"


def test_ninety_fifth_percentile_ignores_the_single_hour() -> None:
    values = np.tile(np.r_[np.full(23, 1.0), 9.0], 20)
    assert fit(values, daily="p95").history[0][1] == pytest.approx(1.0)
    assert fit(values, daily="max").history[0][1] == 9.0


def test_no_warning_leaves_the_fit() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fit(np.where(np.arange(24 * 40) % 97 == 0, np.nan, measured(40, 16)), limit=60.0)
        fit(np.zeros(24 * 40))
        fit(np.r_[np.zeros(24 * 39), np.ones(24)])
    assert told == []


_VALUES = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(0, 100),
    st.sampled_from([0.0, 1.0, math.nan, -1.0, 1e308, 5e-324]),
)


@settings(max_examples=60)
@given(
    st.lists(_VALUES, max_size=60),
    st.one_of(st.none(), st.floats(-1e6, 1e6)),
    st.sampled_from([1, 7, 24]),
    st.integers(1, 120),
)
def test_any_numbers_give_an_answer_in_order(
    values: list[float], limit: float | None, step_hours: int, horizon: int
) -> None:
    hours = np.datetime64(MONDAY, "h") + step_hours * np.arange(len(values))
    numbers = np.array(values, dtype=np.float64)
    found = forecast(hours, numbers, numbers, limit=limit, horizon_days=horizon)
    for _, middle, low, high in found.predicted:
        assert -math.inf < low <= middle <= high < math.inf
    assert all(math.isfinite(value) for _, value in found.history)
    assert all(part is None or math.isfinite(part) for part in (*found.growth, *found.profile.weekdays))
    assert found.profile.hours is None or all(map(math.isfinite, found.profile.hours))
    if found.reached is not None and found.reached_early is not None:
        assert found.reached_early <= found.reached
        assert found.reached_late is None or found.reached <= found.reached_late
    if not found.predicted:
        assert found.status in ("too little history", "not forecast")


@pytest.mark.parametrize("seed", range(4))
def test_a_level_shift_is_named_and_not_carried_on(seed: int) -> None:
    noise = np.random.default_rng(seed).normal(1.0, 0.04, 60)
    values = np.where(np.arange(60) < 38, 2.0, 3.1) * noise
    found = fit_days(values, limit=4.0, horizon_days=200)
    assert "The level shifted on 2026-02-12 from" in found.note
    assert found.status in ("not within the horizon", "may be reached")
    assert found.reached is None
    assert found.predicted[-1][1] < 3.9
    assert found.history[0][1] == pytest.approx(values[0])


def test_growth_and_noise_are_no_level_shift() -> None:
    chance = np.random.default_rng(7)
    growing = 2.0 * 1.01 ** np.arange(60) * chance.normal(1.0, 0.04, 60)
    assert level_shift(growing) is None
    assert level_shift(chance.normal(3.0, 0.3, 60)) is None
    assert level_shift(np.full(60, 3.0)) is None
    assert level_shift(np.array([2.0] * 57 + [5.0] * 3)) is None
    shift = level_shift(np.array([2.0] * 30 + [3.0] * 30))
    assert shift is not None
    assert (shift.day, shift.before, shift.after) == (30, 2.0, 3.0)


def test_what_neither_grows_nor_falls_reaches_nothing_for_sure() -> None:
    for seed in range(12):
        walk = 3.0 + np.cumsum(np.random.default_rng(seed).normal(0.004, 0.05, 60))
        found = fit_days(walk, limit=4.0, horizon_days=200)
        _, low, high = found.growth
        if low is not None and high is not None and low <= 0 <= high:
            assert found.status != "reached"
