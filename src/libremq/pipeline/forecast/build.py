"""The forecasts of a site: series gathered from the conformed tables, fitted in parallel, kept under the root.

    build(spark, root, site)     # forecasts all series and writes <root>/forecast
    load(spark, root)            # what was written, for a report

All series are brought under each other in one long table of hours, and each is fitted by a worker of Spark (`fit`): one
job, however many queue managers. Times are local times of the system that wrote the records, for a day's profile means
nothing in another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import functions as F

from libremq.pipeline.forecast.fit import forecast
from libremq.pipeline.forecast.result import SeriesForecast
from libremq.pipeline.forecast.series import MEASURES, KnownLimit, Measure, limit_of
from libremq.pipeline.rules.site_facts import SiteFacts
from libremq.pipeline.storage import Root
from libremq.pipeline.tables import conformed
from libremq.pipeline.tables.conformed_intervals import telling
from libremq.pipeline.tables.conformed_store import Store

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped,unused-ignore]
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame, Row, SparkSession

FOLDER = "forecast"
HORIZON_DAYS_MAX = 730

SCHEMA = (
    "qmgr string, measure string, object string, title string, unit string, limit double, limit_source string,"
    " limit_words string, status string, note string, reached date, reached_early date, reached_late date,"
    " growth_per_week double, growth_low double, growth_high double, backtest_coverage double, backtest_error double,"
    " history_day array<date>, history_value array<double>, predicted_day array<date>, predicted_middle array<double>,"
    " predicted_low array<double>, predicted_high array<double>, hour_profile array<double>,"
    " weekday_profile array<double>"
)
"""Columns of `<root>/forecast`: one row for each series."""

_SERIES = ("qmgr", "measure", "object")
_LONG = (*_SERIES, "hour", "value", "seconds", "limit", "interval_start")


@dataclass(frozen=True, slots=True)
class ForecastReport:
    """What a run found, most urgent first."""

    series: tuple[SeriesForecast, ...]
    without_data: tuple[str, ...]
    """Measures for which no record was found."""

    def as_dict(self) -> dict[str, Any]:
        return {"series": [each.as_dict() for each in self.series], "without_data": list(self.without_data)}

    def as_text(self) -> list[str]:
        lines = [line for each in self.series for line in each.as_text()]
        if not self.series:
            lines.append(
                "Nothing to forecast: the conformed tables are empty. Ingest dumps and build the tables first."
            )
        elif self.without_data:
            lines.append(f"Without data: {', '.join(MEASURES[name].title for name in self.without_data)}.")
        return [line.replace("{object}", "...") for line in lines]


def build(
    spark: SparkSession,
    root: Root,
    site: SiteFacts | None = None,
    horizon_days: int = 90,
    tell: Callable[[str], None] | None = None,
) -> ForecastReport:
    """Forecast every series of the conformed tables and write `<root>/forecast` anew.

    The folder is written aside and moved in whole: a run that breaks off leaves the forecasts of before.
    """
    if not 1 <= horizon_days <= HORIZON_DAYS_MAX:
        raise ValueError(f"a horizon of {horizon_days} days is not between 1 and {HORIZON_DAYS_MAX}")
    tell = tell or (lambda _: None)
    facts = site or SiteFacts()

    def fit_one(_key: tuple[Any, ...], rows: pd.DataFrame) -> pd.DataFrame:
        return _fitted(rows, facts, horizon_days)

    with Store(root).replacing(FOLDER) as fresh:
        tell("gathering series")
        hours = hourly(spark, root, MEASURES.values())
        fitted = (
            spark.createDataFrame([], SCHEMA)
            if hours is None
            else hours.groupBy(*_SERIES).applyInPandas(fit_one, SCHEMA)
        )
        tell("fitting each series")
        fitted.write.option("compression", "zstd").parquet(str(fresh))
    series = load(spark, root)
    tell(f"{len(series)} series forecast")
    seen = {each.measure for each in series}
    return ForecastReport(tuple(series), tuple(name for name in MEASURES if name not in seen))


def load(spark: SparkSession, root: Root) -> list[SeriesForecast]:
    """The forecasts written last, most urgent first; none if there was no run."""
    folder = Store(root).current(FOLDER)
    if folder is None:
        return []
    rows = spark.read.schema(SCHEMA).parquet(str(folder)).collect()
    return sorted((_from_row(row) for row in rows), key=lambda each: each.urgency)


def hourly(spark: SparkSession, root: Root, measures: Iterable[Measure]) -> DataFrame | None:
    """All series in long form: one row for each hour of local time with the mean and the highest value in it.

    Tables without rows are left out of the plan, which they would make longer; None if there are no others.
    """
    store = Store(root)

    def filled(name: str) -> bool:
        return bool(store.conformed.parts(name))

    listed = [measure for measure in measures if filled(measure.table)]
    if not listed:
        return None
    by_row = [measure for measure in listed if not measure.added_up]
    parts = [
        _measured(conformed.table(spark, root, name), [measure for measure in by_row if measure.table == name])
        for name in dict.fromkeys(measure.table for measure in by_row)
    ]
    for measure in listed:
        if measure.added_up:
            amounts = ((measure.table, measure.value), *(each for each in measure.also if filled(each[0])))
            parts.append(_added_up([(conformed.table(spark, root, name), amount) for name, amount in amounts], measure))
    long = reduce(lambda one, other: one.unionByName(other), parts).where("value is not null")
    return long.groupBy(*_SERIES, "hour").agg(
        # Intervals cut short, as at a restart, count for as long as they were.
        F.try_divide(F.sum(F.col("value") * F.col("seconds")), F.sum("seconds")).alias("mean"),
        F.max("value").alias("peak"),
        F.max_by("limit", "interval_start").alias("limit"),
    )


def _local_hour() -> Expression:
    local = F.col("interval_start") + F.make_dt_interval(mins=F.coalesce("utc_offset_minutes", F.lit(0)))
    return F.date_trunc("hour", local)


def _seconds() -> Expression:
    return F.when(F.col("interval_seconds") > 0, F.col("interval_seconds")).otherwise(1.0)


def _measured(table: DataFrame, measures: Sequence[Measure]) -> DataFrame:
    """The measures of one table, read once."""
    rows = F.array(
        *(
            F.struct(
                F.lit(measure.name).alias("measure"),
                F.coalesce(F.col(measure.object).cast("string"), F.lit("")).alias("object")
                if measure.object
                else F.lit("").alias("object"),
                F.expr(measure.value).cast("double").alias("value"),
                F.expr(measure.limit.column if measure.limit and measure.limit.column else "null")
                .cast("double")
                .alias("limit"),
            )
            for measure in measures
        )
    )
    # The rate of an interval of a start would be the peak of its day.
    return (
        table.where(telling(table))
        .select(
            "qmgr",
            "interval_start",
            _local_hour().alias("hour"),
            _seconds().alias("seconds"),
            F.explode(rows).alias("_one"),
        )
        .select(*(name if name not in ("measure", "object", "value", "limit") else f"_one.{name}" for name in _LONG))
    )


def _added_up(amounts: Sequence[tuple[DataFrame, str]], measure: Measure) -> DataFrame:
    """A measure whose rows of one interval have to be added: amounts become what there is of them each second."""
    parts = [
        table.where(telling(table)).select(
            "qmgr",
            "interval_start",
            _local_hour().alias("hour"),
            _seconds().alias("seconds"),
            F.expr(amount).cast("double").alias("value"),
        )
        for table, amount in amounts
    ]
    rows = reduce(lambda one, other: one.unionByName(other), parts)
    seconds = F.max("seconds")
    summed = rows.groupBy("qmgr", "interval_start", "hour").agg(
        (F.sum("value") / seconds).alias("value"), seconds.alias("seconds")
    )
    limit = F.lit(None).cast("double").alias("limit")
    return summed.select(
        *(
            {"measure": F.lit(measure.name).alias(name), "object": F.lit("").alias(name), "limit": limit}.get(
                name, F.col(name)
            )
            for name in _LONG
        )
    )


def _fitted(rows: pd.DataFrame, facts: SiteFacts, horizon_days: int) -> pd.DataFrame:
    """Fit one series, in a worker."""
    import pandas as pd

    rows = rows.sort_values("hour")
    qmgr, name, object_name = (str(rows[key].iloc[0]) for key in _SERIES)
    measure = MEASURES[name]
    in_table = rows["limit"].dropna()
    limit = limit_of(measure, facts, qmgr, object_name, float(in_table.iloc[-1]) if len(in_table) else None)
    known = limit if isinstance(limit, KnownLimit) else None
    found = forecast(
        rows["hour"].to_numpy().astype("datetime64[h]"),
        rows["mean"].to_numpy(dtype=np.float64),
        rows["peak"].to_numpy(dtype=np.float64),
        limit=known.value if known else None,
        daily=measure.daily,
        horizon_days=horizon_days,
        ceiling=100.0 if measure.unit == "%" else None,
    )
    note = found.note
    if len(in_table) and float(in_table.iloc[0]) != float(in_table.iloc[-1]):
        note = f"Its size changed meanwhile; the limit is by the last one. {note}".strip()

    def day(moment: datetime | None) -> date | None:
        return moment.date() if moment is not None else None

    growth, growth_low, growth_high = found.growth
    row = {
        "qmgr": qmgr,
        "measure": name,
        "object": object_name,
        "title": measure.title.format(object=object_name),
        "unit": measure.unit,
        "limit": known.value if known else None,
        "limit_source": known.source if known else limit or "",
        "limit_words": known.words if known else "",
        "status": found.status,
        "note": note,
        "reached": day(found.reached),
        "reached_early": day(found.reached_early),
        "reached_late": day(found.reached_late),
        "growth_per_week": growth,
        "growth_low": growth_low,
        "growth_high": growth_high,
        "backtest_coverage": found.backtest_coverage,
        "backtest_error": found.backtest_error,
        "history_day": [moment.date() for moment, _ in found.history],
        "history_value": [value for _, value in found.history],
        "predicted_day": [point[0].date() for point in found.predicted],
        "predicted_middle": [point[1] for point in found.predicted],
        "predicted_low": [point[2] for point in found.predicted],
        "predicted_high": [point[3] for point in found.predicted],
        "hour_profile": found.profile.hours,
        "weekday_profile": found.profile.weekdays,
    }
    return pd.DataFrame([row])


def _from_row(row: Row) -> SeriesForecast:
    def at_midnight(day: date) -> datetime:
        return datetime.combine(day, time())

    def moment(day: date | None) -> datetime | None:
        return at_midnight(day) if day is not None else None

    return SeriesForecast(
        qmgr=row["qmgr"],
        measure=row["measure"],
        object=row["object"],
        title=row["title"],
        unit=row["unit"],
        limit=row["limit"],
        limit_source=row["limit_source"],
        limit_words=row["limit_words"],
        history=[(at_midnight(day), value) for day, value in zip(row["history_day"], row["history_value"])],
        predicted=[
            (at_midnight(day), *bounds)
            for day, *bounds in zip(
                row["predicted_day"], row["predicted_middle"], row["predicted_low"], row["predicted_high"]
            )
        ],
        hour_profile=row["hour_profile"],
        weekday_profile=row["weekday_profile"],
        growth_per_week=row["growth_per_week"],
        growth_low=row["growth_low"],
        growth_high=row["growth_high"],
        reached=moment(row["reached"]),
        reached_early=moment(row["reached_early"]),
        reached_late=moment(row["reached_late"]),
        status=row["status"],
        note=row["note"],
        backtest_coverage=row["backtest_coverage"],
        backtest_error=row["backtest_error"],
    )
