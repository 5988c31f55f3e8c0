"""What is usual at each hour of the day and on each weekday.

With two weeks of hours and few gaps the series is taken apart by MSTL (statsmodels), robustly, into trend, day, week
and rest; the profile is what remains without the rest. With less the medians have to do.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from statsmodels.tsa.seasonal import MSTL  # type: ignore[import-untyped,unused-ignore]

Floats = npt.NDArray[np.float64]

WEEK_HOURS = 168
HOURS_MAX = 6 * WEEK_HOURS
"""Profiles are of the last six weeks."""
GAPS_MAX_SHARE = 0.25
HOURS_SEEN_MIN = 20
"""Of 24; with fewer there is no profile of the day."""

_STEPS = {"robust": True, "trend_jump": 24, "seasonal_jump": 3, "low_pass_jump": 24}
"""Smoothers are worked out at some points and joined by lines: ten times as fast, and no different to the eye."""


@dataclass(frozen=True, slots=True)
class Profile:
    hours: list[float] | None
    weekdays: list[float | None]
    """Monday first."""
    decomposed: bool
    """By MSTL, else by medians."""


def profile(hours: npt.NDArray[np.datetime64], values: Floats) -> Profile:
    """The profile of one series: hours (in order, none twice) and what was measured in each."""
    good = np.isfinite(values)
    hours, values = hours[good].astype("datetime64[h]"), values[good]
    if not len(hours):
        return Profile(None, [None] * 7, False)
    recent = hours > hours[-1] - np.timedelta64(HOURS_MAX, "h")
    hours, values = hours[recent], values[recent]
    number = (hours - hours[0]).astype(np.int64)
    first = _hour_of_week(hours[0])
    usual = _denoised(number, values, first)
    decomposed = usual is not None
    if usual is None:
        position = first + number
        seen = values
    else:
        position = first + np.arange(len(usual))
        seen = usual
    middle = np.mean if decomposed else np.median
    by_hour = [seen[position % 24 == hour] for hour in range(24)]
    by_weekday = [seen[position % WEEK_HOURS // 24 == weekday] for weekday in range(7)]
    of_day = None
    if sum(len(part) > 0 for part in by_hour) >= HOURS_SEEN_MIN:
        of_day = _without_holes([float(middle(part)) if len(part) else np.nan for part in by_hour])
    return Profile(of_day, [float(middle(part)) if len(part) else None for part in by_weekday], decomposed)


def _hour_of_week(hour: np.datetime64) -> int:
    """0 is Monday, midnight. The count of hours starts on a Thursday, 1970-01-01."""
    return int((hour.astype("datetime64[h]").astype(np.int64) + 3 * 24) % WEEK_HOURS)


def _without_holes(of_day: list[float]) -> list[float]:
    known = [hour for hour in range(24) if np.isfinite(of_day[hour])]
    return [float(value) for value in np.interp(range(24), known, [of_day[hour] for hour in known], period=24)]


def _denoised(number: npt.NDArray[np.int64], values: Floats, first: int) -> Floats | None:
    """Trend, day and week of the series without the rest; None where it is too short or has too many gaps."""
    length = int(number[-1]) + 1
    if length < 2 * WEEK_HOURS or len(values) < (1 - GAPS_MAX_SHARE) * length:
        return None
    place = (first + number) % WEEK_HOURS
    medians = np.full(WEEK_HOURS, np.nan)
    for hour in np.unique(place):
        medians[hour] = np.median(values[place == hour])
    whole = medians[(first + np.arange(length)) % WEEK_HOURS]
    whole[number] = values
    scale = float(np.max(np.abs(values)))
    if not np.isfinite(whole).all() or scale == 0:
        return None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        # One hour more than two weeks is what the weekly part needs.
        periods = (24, WEEK_HOURS) if length > 2 * WEEK_HOURS else (24,)
        rest = np.asarray(MSTL(whole / scale, periods=periods, stl_kwargs=_STEPS).fit().resid) * scale
    usual = whole - rest
    if not np.isfinite(usual).all():
        return None
    return np.clip(usual, float(values.min()), float(values.max()))
