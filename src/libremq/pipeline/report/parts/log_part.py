"""The log: how much was written at most and usually, against what the devices take and how busy the writer was."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import functions as F

from libremq.pipeline.plain_text import shown
from libremq.pipeline.report.content import Column, Limit, LineChart, Section, Table
from libremq.pipeline.report.parts.source_part import (
    ROWS_MAX,
    Series,
    Source,
    first_at,
    moment_or_none,
    more_series,
    number,
    rows_in_all,
)
from libremq.pipeline.report.wording import day_and_time

_ID, _TITLE = "log", "Log"
_CAPACITY = "log_mb_per_second_max"


def look(source: Source) -> Section:
    log = source.table("log")
    rate = source.series(log, F.col("qmgr"), "log_mb_per_second", "high")
    busy = source.series(log, F.col("qmgr"), "log_writer_busy_pct", "high")
    charts = []
    notes: tuple[str, ...] = ()
    if rate.lines and rate.worst_at is not None and rate.worst is not None:
        limits = _capacity(source, [line.name for line in rate.lines])
        if not limits:
            notes = (
                f"What the log devices take is not known; give the site fact {_CAPACITY} to see the rate against it.",
            )
        charts.append(
            LineChart(
                "log-rate",
                "Log data made, one copy",
                _rate_reading(source, rate) + more_series(rate, "queue managers"),
                "MB/s",
                rate.lines,
                limits,
            )
        )
    if busy.lines and busy.worst_at is not None:
        saturated = source.limit("log-writer-saturated", "saturated above")
        over = bool(saturated) and busy.worst is not None and busy.worst > saturated[0].value
        verdict = "it had nothing to spare" if over else f"at least {100 - (busy.worst or 0):.0f} % was left"
        charts.append(
            LineChart(
                "log-writer",
                "Log writer at work",
                f"The log writer of {busy.lines[0].name} was busiest, {busy.worst:.0f} % on"
                f" {day_and_time(busy.worst_at)} UTC: {verdict}." + more_series(busy, "queue managers"),
                "% of the time",
                busy.lines,
                saturated,
            )
        )
    table = _table(source)
    if table is None:
        return Section(_ID, _TITLE, notes=("No log records (QJST of SMF 115): nothing is known of the log.",))
    return Section(_ID, _TITLE, tuple(charts), (table,), notes)


def _capacity(source: Source, qmgrs: Sequence[str]) -> tuple[Limit, ...]:
    """What the devices take: one level if all queue managers have the same, else one for each."""
    known: dict[float, list[str]] = {}
    for qmgr in qmgrs:
        value = source.facts.value(_CAPACITY, qmgr)
        if isinstance(value, int | float):
            known.setdefault(float(value), []).append(qmgr)
    everywhere = len(known) == 1 and len(next(iter(known.values()))) == len(qmgrs)
    return tuple(
        Limit(value, f"capacity {value:g} MB/s" if everywhere else f"capacity of {', '.join(names)} {value:g} MB/s")
        for value, names in known.items()
    )


def _rate_reading(source: Source, rate: Series) -> str:
    assert rate.worst is not None and rate.worst_at is not None
    name = rate.lines[0].name
    peak = f"{name} made most, {shown(rate.worst)} MB a second on {day_and_time(rate.worst_at)} UTC"
    capacity = source.facts.value(_CAPACITY, name)
    if not isinstance(capacity, int | float) or not capacity:
        return f"{peak}; how near that is to the limit of the devices is not known."
    return f"{peak}: {100 * rate.worst / capacity:.0f} % of what its devices take."


def _table(source: Source) -> Table | None:
    rows = (
        source.mart("log_rate")
        .withColumn("at", F.unix_micros("peak_interval_start"))
        .groupBy("qmgr")
        .agg(
            F.max("log_mb_per_second_peak").alias("peak"),
            first_at("at", "log_mb_per_second_peak", "high").alias("peak_at"),
            F.max("log_mb_per_second_95").alias("usual_high"),
            F.try_divide(F.sum("log_bytes") / 1048576, F.sum("covered_seconds")).alias("mean"),
            (F.try_divide(F.sum("log_bytes"), F.sum("covered_seconds")) * 86400 / 1073741824).alias("gb_per_day"),
            F.max("log_writer_busy_pct_peak").alias("busy"),
            F.max("log_io_busy_pct_peak").alias("io_busy"),
            F.max("copy1_average_io_us").alias("copy1_us"),
            F.max("copy2_average_io_us").alias("copy2_us"),
            F.sum("no_log_buffer_waits").alias("waits"),
            F.max("checkpoints_per_hour_peak").alias("checkpoints"),
        )
        .select("*", rows_in_all())
        .orderBy(F.desc_nulls_last("peak"), "qmgr")
        .limit(ROWS_MAX)
        .collect()
    )
    if not rows:
        return None
    columns = (
        Column("Queue manager"),
        Column("Highest", "MB/s"),
        Column("Highest at", "UTC"),
        Column("95th percentile, worst day", "MB/s"),
        Column("Mean", "MB/s"),
        Column("Capacity", "MB/s"),
        Column("Log data", "GB a day"),
        Column("Log writer busy at most", "%"),
        Column("I/O busy at most", "%"),
        Column("I/O time copy 1, worst day", "µs"),
        Column("I/O time copy 2, worst day", "µs"),
        Column("Waits for a log buffer"),
        Column("Checkpoints at most", "an hour"),
    )
    cells = tuple(
        (
            row["qmgr"],
            number(row["peak"]),
            moment_or_none(row["peak_at"]),
            number(row["usual_high"]),
            number(row["mean"]),
            source.facts.value(_CAPACITY, row["qmgr"]),
            number(row["gb_per_day"]),
            number(row["busy"]),
            number(row["io_busy"]),
            number(row["copy1_us"]),
            number(row["copy2_us"]),
            row["waits"],
            number(row["checkpoints"]),
        )
        for row in rows
    )
    return Table("log-rates", "Log rates, the highest first", columns, cells, rows[0]["in_all"])
