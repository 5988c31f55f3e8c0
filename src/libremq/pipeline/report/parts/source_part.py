"""Where the parts read: the tables of one site, and series of them thinned to what a chart can show.

Size is bounded here. Spark picks the series that matter most and the worst value of each stretch of time; what comes
back is a few thousand rows whether the site has one queue manager for a day or hundreds for years.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from pyspark.sql import functions as F
from pyspark.sql.window import Window

from libremq.pipeline.report.content import Limit, Line
from libremq.pipeline.rules.rule_catalogue import BY_ID
from libremq.pipeline.rules.site_facts import SiteFacts
from libremq.pipeline.tables import conformed, marts
from libremq.pipeline.tables.conformed_intervals import telling

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame, Row, SparkSession

STRETCHES = 250
"""Points of a series at most, but for the gaps."""

GAPS_MAX = 50
"""Breaks shown in a series at most."""

_RATES = ("_per_second", "busy_pct", "busiest_pct")
"""Columns of which an interval of a start tells nothing."""

LINES_MAX = 8
"""Series in a chart at most: as many as can be told apart."""

ROWS_MAX = 50
"""Rows of a table at most."""


@dataclass(frozen=True, slots=True)
class Series:
    """The series a chart shows, worst first, and how many there are."""

    lines: tuple[Line, ...]
    in_all: int
    worst: float | None = None
    worst_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Source:
    spark: SparkSession
    root: str | os.PathLike[str]
    facts: SiteFacts
    first: datetime | None = None
    last: datetime | None = None

    def table(self, name: str) -> DataFrame:
        return conformed.table(self.spark, self.root, name)

    def mart(self, name: str) -> DataFrame:
        return marts.table(self.spark, self.root, name)

    def limit(self, rule: str, text: str) -> tuple[Limit, ...]:
        """The threshold of a rule as a level in a chart, the site's own if it has one."""
        value = self.facts.thresholds.get(rule, BY_ID[rule].threshold)
        if not isinstance(value, int | float):
            return ()
        return (Limit(float(value), f"{text} {value:g} %"),)

    def series(
        self, rows: DataFrame, name: Expression, value: str, worst: Literal["high", "low"], most: int = LINES_MAX
    ) -> Series:
        """The worst series of a column over time; each point is the worst of its stretch, at its own time.

        `rows` need `interval_start`; `name` tells the series apart.
        """
        if self.first is None or self.last is None:
            return Series((), 0)
        if value.endswith(_RATES):
            rows = rows.where(telling(rows))
        width = max(1.0, (self.last - self.first).total_seconds() / STRETCHES)
        named = rows.select(
            name.alias("name"), F.unix_micros("interval_start").alias("at"), F.col(value).alias("value")
        )
        known = named.where("name is not null and value is not null and not isnan(value)")
        extreme = F.max("value") if worst == "high" else F.min("value")
        found = first_at("at", "value", worst)
        ranked = known.groupBy("name").agg(extreme.alias("extreme"))
        order = F.col("extreme").desc() if worst == "high" else F.col("extreme").asc()
        chosen = ranked.withColumn("in_all", F.count(F.lit(1)).over(Window.partitionBy())).orderBy(order, "name")
        begin = int(self.first.timestamp() * 1_000_000)
        stretch = F.floor((F.col("at") - begin) / (width * 1_000_000))
        points = (
            known.join(F.broadcast(chosen.limit(most)), "name")
            .groupBy("name", "extreme", "in_all", stretch.alias("stretch"))
            .agg(extreme.alias("value"), found.alias("at"))
            .collect()
        )
        return _as_series(points, worst, width)


def _as_series(points: Sequence[Row], worst: str, width: float) -> Series:
    by_name: dict[str, list[tuple[int, float]]] = {}
    extremes: dict[str, float] = {}
    for point in points:
        by_name.setdefault(point["name"], []).append((point["at"], float(point["value"])))
        extremes[point["name"]] = float(point["extreme"])
    if not by_name:
        return Series((), 0)
    sign = -1 if worst == "high" else 1
    names = sorted(by_name, key=lambda name: (sign * extremes[name], name))
    lines = tuple(line_of(name, [(moment(at), value) for at, value in sorted(by_name[name])], width) for name in names)
    at, value = min(by_name[names[0]], key=lambda pair: (sign * pair[1], pair[0]))
    return Series(lines, int(points[0]["in_all"]), value, moment(at))


def line_of(name: str, points: Sequence[tuple[datetime, float]], width_seconds: float = 0.0) -> Line:
    """A line through the points, broken where nothing was recorded for longer than usual."""
    times: list[datetime] = []
    values: list[float | None] = []
    apart = [(after[0] - before[0]).total_seconds() for before, after in pairwise(points)]
    usual = max(width_seconds, median(apart)) if apart else width_seconds
    gaps = 0
    for number, (at, value) in enumerate(points):
        if number and apart[number - 1] > 3 * usual and gaps < GAPS_MAX:
            gaps += 1
            times.append(points[number - 1][0] + timedelta(seconds=usual))
            values.append(None)
        times.append(at)
        values.append(value)
    return Line(name, tuple(times), tuple(values))


def first_at(at: str, value: str, worst: Literal["high", "low"]) -> Expression:
    """When a column had its worst value, the first time if it was there several times."""
    if worst == "low":
        return F.min_by(at, F.struct(value, at))
    return F.max_by(at, F.struct(F.col(value), -F.col(at)))


def moment(micros: int | None) -> datetime:
    """A time as Spark's `unix_micros` has it. Times are fetched so: PySpark would give them in the local zone."""
    assert micros is not None
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)


def moment_or_none(micros: int | None) -> datetime | None:
    return None if micros is None else moment(micros)


def number(value: Any) -> float | None:
    """A figure of a row as a number that can be written anywhere."""
    if value is None:
        return None
    whole = float(value)
    return whole if math.isfinite(whole) else None


def rows_in_all() -> Expression:
    """A column with the number of all rows of a small table, to be made before it is cut."""
    return F.count(F.lit(1)).over(Window.partitionBy()).alias("in_all")


def more_series(series: Series, of: str) -> str:
    """Says in brackets that a chart does not show all."""
    return f" ({len(series.lines)} of {series.in_all} {of} are drawn.)" if series.in_all > len(series.lines) else ""
