"""One series in, one forecast out: hours to days, profile, trend, backtest, and the day on which the limit is met.

Nothing here knows of Spark. `forecast` never raises on data, whatever it holds: what cannot be said is said to be so.

The day of reaching the limit is the first on which the middle of the projection meets it, that is, on which an ordinary
day of that weekday does; the early date is that of the upper bound, when one bad day may touch it, the late date that
of the lower bound, when hardly a day stays below.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

from libremq.pipeline.forecast.profile import Profile, profile
from libremq.pipeline.forecast.result import Status
from libremq.pipeline.forecast.series import Daily
from libremq.pipeline.forecast.trend import (
    CONFIDENCE,
    DAYS_MAX,
    DAYS_MIN,
    Floats,
    NoFit,
    Projection,
    backtested,
    level_shift,
    projected,
    without_outliers,
)
from libremq.pipeline.plain_text import shown

HISTORY_POINTS_MAX = 500
HORIZON_PER_HISTORY = 4
"""A projection goes at most so many times as far as the history goes back."""
DAY_HOURS_SHARE_MIN = 0.5
"""A day with less of its hours measured tells no peak of the day."""
EDGE_HOURS_SHARE_MIN = 0.9
"""The same for the first and the last day, which a dump often cuts."""
VALUE_MAX = 1e300
"""What lies beyond is not a measurement."""

Point = tuple[datetime, float]


@dataclass(frozen=True, slots=True)
class Fit:
    """What `forecast` found; `result.SeriesForecast` says what the fields are."""

    history: list[Point]
    predicted: list[tuple[datetime, float, float, float]]
    profile: Profile
    growth: tuple[float | None, float | None, float | None]
    reached: datetime | None
    reached_early: datetime | None
    reached_late: datetime | None
    status: Status
    note: str
    backtest_coverage: float | None = None
    backtest_error: float | None = None


def forecast(
    hours: npt.NDArray[np.datetime64],
    means: Floats,
    peaks: Floats,
    *,
    limit: float | None = None,
    daily: Daily = "max",
    horizon_days: int = 90,
    ceiling: float | None = None,
) -> Fit:
    """Forecast one series: hours of local time, the mean and the highest value measured in each.

    `ceiling` is what the value cannot pass, as a share cannot pass 100 %.
    """
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # Empty medians and the like: handled where they occur, and workers print nothing.
        warnings.simplefilter("ignore")
        return _forecast(hours, means, peaks, limit, daily, horizon_days, np.inf if ceiling is None else ceiling)


def _forecast(
    hours: npt.NDArray[np.datetime64],
    means: Floats,
    peaks: Floats,
    limit: float | None,
    daily: Daily,
    horizon_days: int,
    ceiling: float,
) -> Fit:
    means, peaks = (np.where(np.abs(part) < VALUE_MAX, part, np.nan) for part in (means, peaks))
    good = np.isfinite(means) & np.isfinite(peaks) & ~np.isnat(hours)
    order = np.argsort(hours[good], kind="stable")
    hours, means, peaks = _once(hours.astype("datetime64[h]")[good][order], means[good][order], peaks[good][order])
    usual = profile(hours, means)
    first, values = daily_values(hours, peaks, daily)
    history = _thinned(first, values)
    days = int(np.count_nonzero(np.isfinite(values)))
    if days < DAYS_MIN:
        nothing = (None, None, None)
        note = f"{days} whole days with data; growth needs {DAYS_MIN}."
        return Fit(history, [], usual, nothing, None, None, None, "too little history", note)
    skipped = max(0, len(values) - DAYS_MAX)
    first, values = first + timedelta(days=skipped), values[skipped:]
    return _with_projection(first, values, history, usual, limit, horizon_days, ceiling)


def _with_projection(
    first: datetime,
    values: Floats,
    history: list[Point],
    usual: Profile,
    limit: float | None,
    horizon_days: int,
    ceiling: float = np.inf,
) -> Fit:
    nothing = (None, None, None)
    recorded = values
    shift = level_shift(values)
    if shift is not None:
        values = shift.removed(values)
    cleaned, outliers = without_outliers(values)
    notes = _outlier_notes(first, recorded, outliers, limit)
    if shift is not None:
        when = first + timedelta(days=shift.day)
        notes.insert(
            0,
            f"The level shifted on {when:%Y-%m-%d} from {shown(shift.before)} to {shown(shift.after)}: a change, not"
            " growth, so it is not carried on.",
        )
    horizon = max(1, min(horizon_days, HORIZON_PER_HISTORY * len(values)))
    if horizon < horizon_days:
        notes.append(f"{len(values)} days of history carry a projection of {horizon} days, not {horizon_days}.")
    try:
        backtest = backtested(cleaned, horizon)
        widen = backtest.widen if backtest else 1.0
        projection = projected(cleaned, horizon, widen)
    except NoFit as error:
        return Fit(history, [], usual, nothing, None, None, None, "not forecast", f"{error}.".capitalize())
    if np.array_equal(projection.low, projection.high):
        notes.append(f"The value never changed in {len(values)} days, so nothing is known of how it would.")
    elif backtest is None:
        notes.append("The history is too short to test the interval on it.")
    elif widen > 1:
        notes.append(
            f"The interval held {100 * backtest.coverage:.0f} % of the days held back instead of"
            f" {100 * CONFIDENCE:.0f} %, so it was made {widen:.1f} times as wide."
        )
    after = first + timedelta(days=len(values))
    predicted = [
        (after + timedelta(days=day), *_ordered(projection, day, ceiling))
        for day in range(horizon)
        if projection.working[day]
    ]
    seen = cleaned if shift is None else np.where(np.arange(len(cleaned)) < shift.day, recorded, cleaned)
    status, reached, early, late = _crossing(first, seen, predicted, limit)
    growth = _growth(projection)
    if status == "reached" and growth[1] is not None and growth[2] is not None and growth[1] <= 0 <= growth[2]:
        # What neither grows nor falls for sure reaches nothing for sure.
        status, reached, early, late = "may be reached", None, early or reached, None
    return Fit(
        history, predicted, usual, growth, reached, early, late, status, " ".join(notes),
        backtest.coverage if backtest else None, backtest.error if backtest else None,
    )  # fmt: skip


def daily_values(hours: npt.NDArray[np.datetime64], peaks: Floats, daily: Daily) -> tuple[datetime, Floats]:
    """The first day and one value for each day from it on, NaN where a day was not measured or hardly."""
    if not len(hours):
        return datetime(1970, 1, 1), np.empty(0)
    day = hours.astype("datetime64[D]").astype(np.int64)
    number_of_day = day - day[0]
    values = np.full(int(number_of_day[-1]) + 1, np.nan)
    counts = np.bincount(number_of_day, minlength=len(values))
    usual = float(np.median(counts[counts > 0]))
    starts = np.flatnonzero(np.r_[True, np.diff(number_of_day) > 0])
    for place, part in zip(number_of_day[starts], np.split(peaks, starts[1:])):
        edge = place in (0, len(values) - 1)
        if len(part) >= (EDGE_HOURS_SHARE_MIN if edge else DAY_HOURS_SHARE_MIN) * usual:
            values[place] = np.max(part) if daily == "max" else np.quantile(part, 0.95)
    start = datetime(1970, 1, 1) + timedelta(days=int(day[0]))
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return start, np.empty(0)
    return start + timedelta(days=int(known[0])), values[known[0] : known[-1] + 1]


def _once(
    hours: npt.NDArray[np.datetime64], means: Floats, peaks: Floats
) -> tuple[npt.NDArray[np.datetime64], Floats, Floats]:
    """An hour that is there twice, as when clocks go back, counts once."""
    unique, starts = np.unique(hours, return_index=True)
    if len(unique) == len(hours):
        return hours, means, peaks
    counts = np.diff(np.r_[starts, len(hours)])
    # Halves first, so that the sum of two very large values stays a number.
    return unique, np.add.reduceat(means / np.repeat(counts, counts), starts), np.maximum.reduceat(peaks, starts)


def _thinned(first: datetime, values: Floats) -> list[Point]:
    known = np.flatnonzero(np.isfinite(values))
    if len(known) > HISTORY_POINTS_MAX:
        known = known[np.unique(np.linspace(0, len(known) - 1, HISTORY_POINTS_MAX).round().astype(int))]
    return [(first + timedelta(days=int(day)), float(values[day])) for day in known]


def _ordered(projection: Projection, day: int, ceiling: float) -> tuple[float, float, float]:
    middle, low, high = (
        min(ceiling, float(part[day])) for part in (projection.middle, projection.low, projection.high)
    )
    return middle, min(middle, low), max(middle, high)


def _growth(projection: Projection) -> tuple[float | None, float | None, float | None]:
    three = (projection.growth, projection.growth_low, projection.growth_high)
    return three if all(part is not None and np.isfinite(part) for part in three) else (None, None, None)


def _outlier_notes(first: datetime, values: Floats, outliers: npt.NDArray[np.int64], limit: float | None) -> list[str]:
    if not len(outliers):
        return []
    days = ", ".join(f"{first + timedelta(days=int(day)):%Y-%m-%d}" for day in outliers[-3:])
    one = len(outliers) == 1
    notes = [
        f"{len(outliers)} {'day' if one else 'days'} far off the pattern {'was' if one else 'were'} set aside"
        f" ({'' if len(outliers) <= 3 else 'the last '}{days})."
    ]
    over = outliers[values[outliers] >= limit] if limit is not None else outliers[:0]
    if len(over):
        highest = over[np.argmax(values[over])]
        notes.append(
            f"One of them was over the limit: {shown(float(values[highest]))}"
            f" on {first + timedelta(days=int(highest)):%Y-%m-%d}."
        )
    return notes


def _crossing(
    first: datetime,
    cleaned: Floats,
    predicted: list[tuple[datetime, float, float, float]],
    limit: float | None,
) -> tuple[Status, datetime | None, datetime | None, datetime | None]:
    if limit is None:
        return "no limit known", None, None, None
    last_week = cleaned[-7:]
    next_week = [middle for _, middle, _, _ in predicted[:7]]
    # Both have to say so: a single day over the limit is not yet the usual, nor a line over it a fact.
    if np.any(last_week >= limit) and any(middle >= limit for middle in next_week):
        since = first + timedelta(days=int(np.flatnonzero(cleaned >= limit)[0]))
        return "already over", since, since, since
    middle, low, high = (
        next((point[0] for point in predicted if point[which] >= limit), None)  # type: ignore[operator]
        for which in (1, 2, 3)
    )
    if middle is not None:
        return "reached", middle, high, low
    return ("may be reached" if high is not None else "not within the horizon"), None, high, None
