"""The trend of a daily series and where it leads: a level that may wander, a drift, a factor for each weekday.

The model is the local level with fixed drift of statsmodels (`UnobservedComponents`, a Kalman filter): it takes missing
days as they are, a straight line and a random walk are both cases of it, and its interval widens with the horizon by
what the level may wander and by how little is known of the drift. Weekday factors are taken out before and put back
after. Days far off the pattern are set aside first, since one burst would bend the line. `backtested` hides the end of
the history, predicts it, and says by how much the interval has to be widened to hold what it promises.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats  # type: ignore[import-untyped,unused-ignore]
from statsmodels.tsa.statespace.structural import (  # type: ignore[import-untyped,unused-ignore]
    UnobservedComponents,
)

Floats = npt.NDArray[np.float64]

CONFIDENCE = 0.90
"""Of 100 ordinary days so many should fall between the bounds."""
DAYS_MIN = 14
"""Fewer observed days tell no growth from a week's ups and downs."""
DAYS_MAX = 400
"""Older days say little about the growth of now."""
TRAINING_DAYS_MIN = 10
ORIGINS = (0.5, 0.6, 0.7, 0.8, 0.9)
"""Where the history is cut for a backtest, as shares of it."""
WIDENED_MAX = 10.0

OUTLIER_DISTANCE = 5.0
"""In robust standard deviations from the median of the days around."""
OUTLIER_WINDOW = 7
"""Days to either side."""
OUTLIERS_MAX_SHARE = 0.10
"""More than that are no outliers but how the series is."""
IDLE_SHARE = 0.05
"""A weekday with less than this part of the busiest one's load is one on which nothing runs."""
SHIFT_DAYS_MIN = 5
"""Days on either side of a level shift; fewer are a burst."""
SHIFT_DISTANCE = 4.0
"""In robust standard deviations of the days around their level."""
SHIFT_SHARE = 0.10
"""Of the higher level: less is no matter."""
SHIFT_BETTER = 0.4
"""What two levels may leave unexplained, of what a line leaves."""
SHIFT_LEVEL = 0.5
"""How much of the step either side may go up or down by itself."""
LOG_GAIN_MIN = 2.0
"""How much better (AIC) growth in percent must fit than growth in a straight line."""
LOG_DAYS_MIN = 28


class NoFit(ValueError):
    """No model could be fitted; the text says why."""


@dataclass(frozen=True, slots=True)
class Projection:
    """Middle and bounds for each day after the history; growth in percent of the present level a week."""

    middle: Floats
    low: Floats
    high: Floats
    working: npt.NDArray[np.bool_]
    """Days on whose weekday something runs."""
    growth: float | None
    growth_low: float | None
    growth_high: float | None


@dataclass(frozen=True, slots=True)
class Backtest:
    coverage: float
    error: float | None
    """Mean miss over mean value; None where all values are zero."""
    days: int
    widen: float
    """Factor for the interval, at least 1."""


def without_outliers(values: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The series with days far off their surroundings unknown, and which days these are."""
    known = np.flatnonzero(np.isfinite(values))
    if len(known) < TRAINING_DAYS_MIN:
        return values, np.empty(0, dtype=np.int64)
    factors = weekday_factors(values)
    flat = values / factors[np.arange(len(values)) % 7]
    working = np.flatnonzero(np.isfinite(flat))
    slope, _ = _line(working, flat[working])
    # At either end the days around lie on one side only: growth would look like distance.
    level = flat - slope * np.arange(len(values))
    around = np.full(len(values), np.nan)
    for day in working:
        around[day] = np.nanmedian(level[max(0, day - OUTLIER_WINDOW) : day + OUTLIER_WINDOW + 1])
    apart = np.abs(level - around)
    spread = 1.4826 * float(np.nanmedian(apart))
    # Where most days are equal the spread is nothing; one part in a hundred is no outlier yet.
    spread = max(spread, 0.01 * float(np.nanmedian(np.abs(flat))), 1e-12)
    found = known[apart[known] > OUTLIER_DISTANCE * spread]
    if len(found) > OUTLIERS_MAX_SHARE * len(known):
        return values, np.empty(0, dtype=np.int64)
    cleaned = values.copy()
    cleaned[found] = np.nan
    return cleaned, found


@dataclass(frozen=True, slots=True)
class LevelShift:
    """A day from which on all is higher or lower than before, without growth on either side."""

    day: int
    """The first one at the new level."""
    before: float
    after: float

    def removed(self, values: Floats) -> Floats:
        """The series with the days before at the new level: what it would have been."""
        moved = values.copy()
        if self.before > 0 and self.after > 0:
            moved[: self.day] *= self.after / self.before
        else:
            moved[: self.day] += self.after - self.before
        return moved


def level_shift(values: Floats) -> LevelShift | None:
    """The shift that explains the series far better than a line does; None where there is none.

    A step is what a changed configuration, a moved application or another machine leaves. A line through it would
    grow for ever.
    """
    factors = weekday_factors(values)
    flat = values / factors[np.arange(len(values)) % 7]
    day = np.flatnonzero(np.isfinite(flat))
    if len(day) < 2 * SHIFT_DAYS_MIN:
        return None
    known = flat[day]
    slope, intercept = np.polyfit(day, known, 1)
    by_line = float(np.sum((known - intercept - slope * day) ** 2))
    places = range(SHIFT_DAYS_MIN, len(day) - SHIFT_DAYS_MIN + 1)

    def rest(place: int) -> float:
        return float(sum(np.sum((part - np.median(part)) ** 2) for part in (known[:place], known[place:])))

    place = min(places, key=rest)
    parts = (known[:place], known[place:])
    before, after = (float(np.median(part)) for part in parts)
    apart = abs(after - before)
    noise = 1.4826 * float(np.median(np.abs(np.concatenate([part - np.median(part) for part in parts]))))
    clear = apart > SHIFT_DISTANCE * noise and apart > SHIFT_SHARE * max(abs(before), abs(after))
    if not clear or rest(place) > SHIFT_BETTER * by_line:
        return None
    # On either side it has to be level: growth in a bend is no step.
    for part, days in zip(parts, (day[:place], day[place:])):
        own, _ = _line(days, part)
        if abs(own) * (days[-1] - days[0]) > SHIFT_LEVEL * apart:
            return None
    return LevelShift(int(day[place]), before, after)


def weekday_factors(values: Floats) -> Floats:
    """What each weekday has of an average one; index 0 is the weekday of the first day. NaN: nothing runs on it.

    All 1 where the history is short of two of each, where values are below zero, or where weekdays tell too little.
    """
    ones = np.ones(7)
    day = np.arange(len(values))
    known = np.isfinite(values)
    seen = np.array([int(np.count_nonzero(known[day % 7 == weekday])) for weekday in range(7)])
    if known.sum() < DAYS_MIN // 2 or np.any(seen == 1) or np.nanmin(values) < 0:
        return ones
    usual = np.array([float(np.nanmedian(values[day % 7 == w])) if seen[w] else 0.0 for w in range(7)])
    idle = usual <= IDLE_SHARE * usual.max()
    if idle.all():
        return ones
    at_work = known & ~idle[day % 7]
    factors = np.where(idle, np.nan, 1.0)
    before = _spread(values[at_work], day[at_work])
    for _ in range(2):
        flat = values / factors[day % 7]
        slope, intercept = _line(day[at_work], flat[at_work])
        floor = 0.1 * float(np.median(flat[at_work]))
        ratio = values / np.maximum(intercept + slope * day, floor)
        factors = np.array([np.nan if idle[w] else float(np.median(ratio[known & (day % 7 == w)])) for w in range(7)])
        factors /= np.nanmean(factors)
        if not np.nanmin(factors) > 0:
            return np.where(idle, np.nan, 1.0)
    after = _spread((values / factors[day % 7])[at_work], day[at_work])
    return factors if after < 0.9 * before else np.where(idle, np.nan, 1.0)


def _line(day: npt.NDArray[np.int64], values: Floats) -> tuple[float, float]:
    """Slope and intercept of a line that outliers do not bend."""
    if len(day) < 2:
        return 0.0, float(np.median(values))
    slope, intercept, _, _ = stats.theilslopes(values, day)
    return float(slope), float(intercept)


def _spread(values: Floats, day: npt.NDArray[np.int64]) -> float:
    slope, intercept = _line(day, values)
    return float(np.mean(np.abs(values - intercept - slope * day)))


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A fitted model, able to say middle and bounds of days to come."""

    mean: Floats
    error: Floats
    level: float
    drift: float
    drift_error: float
    factors: Floats
    log: bool
    scale: float
    quantile: float

    def bounds(self, widen: float) -> tuple[Floats, Floats, Floats]:
        reach = widen * self.quantile * self.error
        low, middle, high = self.mean - reach, self.mean, self.mean + reach
        if self.log:
            low, middle, high = np.exp(low), np.exp(middle), np.exp(high)
        return low, middle, high

    def flattened(self, values: Floats, first: int) -> Floats:
        """Observed days as the model sees them."""
        flat = values / self.scale / self.factors[(first + np.arange(len(values))) % 7]
        return np.log(np.where(flat > 0, flat, np.nan)) if self.log else flat

    def weekly_growth(self, drift: float) -> float | None:
        if self.log:
            return 100.0 * math.expm1(7.0 * drift)
        return 700.0 * drift / self.level if self.level > 1e-6 else None


def _fitted(values: Floats, horizon: int) -> _Fitted:
    """Fit the days given; NaN are days not known."""
    factors = weekday_factors(values)
    scale = float(np.nanmedian(np.abs(values))) or float(np.nanmax(np.abs(values)))
    flat = values / scale / factors[np.arange(len(values)) % 7]
    known = int(np.count_nonzero(np.isfinite(flat)))
    if known < TRAINING_DAYS_MIN:
        raise NoFit(f"only {known} days with data on which something runs")
    result, log = _result(flat), False
    if known >= LOG_DAYS_MIN and float(np.nanmin(flat)) > 0.02:
        growing = _result(np.log(flat))
        # Both on the scale of the data: the logarithm's likelihood is less by the sum of the logarithms.
        log = float(growing.aic) + 2 * float(np.nansum(np.log(flat))) < float(result.aic) - LOG_GAIN_MIN
        result = growing if log else result
    ahead = result.get_forecast(horizon)
    mean, error = np.asarray(ahead.predicted_mean), np.asarray(ahead.se_mean)
    level, drift = (float(part) for part in result.smoothed_state[:2, -1])
    drift_error = math.sqrt(max(0.0, float(result.smoothed_state_cov[1, 1, -1])))
    if not (np.isfinite(mean).all() and np.isfinite(error).all() and math.isfinite(level)):
        raise NoFit("the model did not converge")
    # Weekday factors, level, drift and two variances were estimated: the shorter the history, the heavier the tails.
    # The model does not know of the factors, whose fitting made its rest look smaller than it is.
    spent = max(0, int(np.count_nonzero(factors[np.isfinite(factors)] != 1.0)) - 1)
    blind = math.sqrt(known / max(1, known - spent))
    quantile = blind * float(stats.t.ppf(0.5 + CONFIDENCE / 2, max(2, known - 4 - spent)))
    return _Fitted(mean, error, level, drift, drift_error, factors, log, scale, quantile)


def _result(flat: Floats) -> Any:
    """The model of statsmodels on one series; its warnings about convergence stay here, the backtest judges it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = UnobservedComponents(flat, level="local linear deterministic trend", use_exact_diffuse=True)
            return model.fit(disp=False, maxiter=100, cov_type="none")
        except (np.linalg.LinAlgError, ValueError, FloatingPointError, ZeroDivisionError) as error:
            raise NoFit("the model did not converge") from error


def backtested(values: Floats, horizon: int) -> Backtest | None:
    """How predictions from earlier days would have done; None where the history is too short to hide a part of it."""
    misses: list[Floats] = []
    ratios: list[Floats] = []
    truths: list[Floats] = []
    for share in ORIGINS:
        cut = round(share * len(values))
        hidden = values[cut : cut + horizon]
        if np.count_nonzero(np.isfinite(values[:cut])) < TRAINING_DAYS_MIN or not np.isfinite(hidden).any():
            continue
        if _constant(values[:cut]):
            continue
        try:
            fitted = _fitted(values[:cut], len(hidden))
        except NoFit:
            continue
        seen = fitted.flattened(hidden, cut)
        _, middle, _ = fitted.bounds(1.0)
        predicted = middle * fitted.factors[(cut + np.arange(len(hidden))) % 7] * fitted.scale
        reach = fitted.quantile * fitted.error
        good = np.isfinite(seen) & np.isfinite(predicted) & (reach > 0)
        ratios.append((np.abs(seen - fitted.mean) / np.where(reach > 0, reach, 1.0))[good])
        misses.append(np.abs(hidden - predicted)[good])
        truths.append(np.abs(hidden)[good])
    ratio = np.concatenate(ratios) if ratios else np.empty(0)
    if len(ratio) < 5:
        return None
    total = float(np.sum(np.concatenate(truths)))
    error = float(np.sum(np.concatenate(misses))) / total if total > 0 else None
    coverage = float(np.mean(ratio <= 1.0))
    # The factor that would have held the promise on the hidden days (split conformal).
    place = min(1.0, math.ceil((len(ratio) + 1) * CONFIDENCE) / len(ratio))
    widen = max(1.0, min(WIDENED_MAX, float(np.quantile(ratio, place)))) if coverage < CONFIDENCE else 1.0
    return Backtest(coverage, error, len(ratio), widen)


def _constant(values: Floats) -> bool:
    known = values[np.isfinite(values)]
    return len(known) == 0 or float(np.ptp(known)) <= 1e-9 * float(np.max(np.abs(known)))


def projected(values: Floats, horizon: int, widen: float = 1.0) -> Projection:
    """Where the series leads. `values` are days in a row, NaN where not known; NoFit if no model holds.

    A series that never changed is taken to stay, without an interval: it tells nothing of how it would change.
    """
    days = np.arange(len(values), len(values) + horizon)
    if _constant(values):
        known = values[np.isfinite(values)]
        if len(known) == 0:
            raise NoFit("no day with data")
        level = np.full(horizon, float(known[-1]))
        growth = 0.0 if level[0] else None
        return Projection(level, level, level, np.ones(horizon, dtype=bool), growth, growth, growth)
    fitted = _fitted(values, horizon)
    low, middle, high = fitted.bounds(widen)
    factor = fitted.factors[days % 7] * fitted.scale
    floor = 0.0 if float(np.nanmin(values)) >= 0 else -np.inf
    biggest = np.finfo(np.float64).max / 4
    low, middle, high = (np.clip(part * factor, max(floor, -biggest), biggest) for part in (low, middle, high))
    reach = widen * fitted.quantile * fitted.drift_error
    growth, one, other = (
        fitted.weekly_growth(drift) for drift in (fitted.drift, fitted.drift - reach, fitted.drift + reach)
    )
    return Projection(middle, low, high, np.isfinite(factor), growth, one, other)
