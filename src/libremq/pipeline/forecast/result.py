"""One series forecast: what the report draws, what the terminal says, what goes to JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from libremq.pipeline.plain_text import shown

Status = Literal[
    "already over",
    "reached",
    "may be reached",
    "not within the horizon",
    "no limit known",
    "too little history",
    "not forecast",
]
"""Most urgent first.

`reached`: the middle of the projection meets the limit within the horizon. `may be reached`: only its upper bound does.
`not forecast`: no model could be fitted, the note says why.
"""

STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True)
class SeriesForecast:
    """The forecast of one measure of one object of one queue manager. Times are local times of its system."""

    qmgr: str
    measure: str
    object: str
    """Empty where the queue manager has only one."""
    title: str
    unit: str
    limit: float | None
    limit_source: str
    """Where the limit comes from, or what to tell for it to be known."""
    limit_words: str
    """What the limit is: `half of what the log devices take`."""
    history: Sequence[tuple[datetime, float]]
    """Days, thinned to at most 500."""
    predicted: Sequence[tuple[datetime, float, float, float]]
    """Day, middle, lower and upper bound. Weekdays on which nothing runs are left out."""
    hour_profile: Sequence[float] | None
    """What is usual at each hour of the day; None where hours are missing."""
    weekday_profile: Sequence[float | None]
    """What is usual on each weekday, Monday first; None for one never seen."""
    growth_per_week: float | None
    """In percent of the present level; None where that is nothing, or the history too short."""
    growth_low: float | None
    growth_high: float | None
    reached: datetime | None
    reached_early: datetime | None
    reached_late: datetime | None
    status: Status
    note: str
    backtest_coverage: float | None
    """Share of days held back that fell into the interval, before it was widened if it had to be."""
    backtest_error: float | None
    """Mean miss on those days as a share of what they were."""

    @property
    def label(self) -> str:
        return f"{self.qmgr} {self.title}"

    @property
    def urgency(self) -> tuple[int, datetime, str, str]:
        """Sorts the most urgent first."""
        return STATUSES.index(self.status), self.reached or self.reached_early or datetime.max, self.qmgr, self.title

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON: times as ISO text, numbers finite."""

        def moment(time: datetime | None) -> str | None:
            return time.date().isoformat() if time is not None else None

        return {
            "qmgr": self.qmgr,
            "measure": self.measure,
            "object": self.object,
            "title": self.title,
            "unit": self.unit,
            "limit": self.limit,
            "limit_source": self.limit_source,
            "limit_words": self.limit_words,
            "history": [[moment(time), value] for time, value in self.history],
            "predicted": [[moment(time), mid, low, high] for time, mid, low, high in self.predicted],
            "hour_profile": list(self.hour_profile) if self.hour_profile is not None else None,
            "weekday_profile": list(self.weekday_profile),
            "growth_per_week": self.growth_per_week,
            "growth_low": self.growth_low,
            "growth_high": self.growth_high,
            "reached": moment(self.reached),
            "reached_early": moment(self.reached_early),
            "reached_late": moment(self.reached_late),
            "status": self.status,
            "note": self.note,
            "backtest_coverage": self.backtest_coverage,
            "backtest_error": self.backtest_error,
        }

    def as_text(self) -> list[str]:
        """Lines for a terminal: what happens, then what to know about it."""
        parts = [part for part in (self._growth(), self._limit()) if part]
        first = f"{self.label} {'; '.join(parts)}" if parts else self.label
        return [first, *(f"  {sentence}" for sentence in self._remarks())]

    def _growth(self) -> str:
        if self.growth_per_week is None:
            return ""
        rate, low, high = self.growth_per_week, self.growth_low or 0.0, self.growth_high or 0.0
        if max(abs(low), abs(high)) < 0.05:
            return "hardly changes" if low < high else "does not change"
        if low <= 0 <= high:
            return f"neither grows nor falls for sure ({low:+.1f} to {high:+.1f} % a week)"
        if rate > 0:
            return f"grows {rate:.1f} % a week ({low:.1f} to {high:.1f})"
        return f"falls {-rate:.1f} % a week ({-high:.1f} to {-low:.1f})"

    def _limit(self) -> str:
        aim = f"{shown(self.limit)} {self.unit}, {self.limit_words}" if self.limit is not None else ""
        if self.status == "already over":
            since = f", since {self.reached:%Y-%m-%d}" if self.reached else ""
            return f"is already over {aim}{since}"
        if self.status == "reached" and self.reached is not None:
            return f"reaches {aim}, about {self.reached:%Y-%m-%d} ({self._between()})"
        if self.status == "may be reached" and self.reached_early is not None:
            return f"may reach {aim}, from {self.reached_early:%Y-%m-%d} on, though more likely not by {self._last()}"
        if self.status == "not within the horizon":
            return f"stays below {aim}, until {self._last()}"
        if self.status == "no limit known":
            return f"has no limit to hold it against: {self.limit_source}" if self.limit_source else ""
        return f"is not forecast: {self.status}" if self.status == "too little history" else "is not forecast"

    def _between(self) -> str:
        assert self.reached is not None
        early = self.reached_early or self.reached

        def short(time: datetime) -> str:
            return f"{time:%m-%d}" if self.reached and time.year == self.reached.year else f"{time:%Y-%m-%d}"

        if self.reached_late is None:
            return f"{short(early)} at the earliest, not for sure by {self._last()}"
        return f"between {short(early)} and {short(self.reached_late)}"

    def _last(self) -> str:
        return f"{self.predicted[-1][0]:%Y-%m-%d}" if self.predicted else "the end of the horizon"

    def _remarks(self) -> list[str]:
        remarks = [self.note] if self.note else []
        if self.limit is not None and "(assumed:" in self.limit_source:
            remarks.append(f"The limit is {self.limit_source}.")
        if self.backtest_coverage is not None and self.backtest_error is not None:
            remarks.append(
                f"On days held back {100 * self.backtest_coverage:.0f} % fell into the interval"
                f" and the middle missed by {100 * self.backtest_error:.0f} %."
            )
        return remarks
