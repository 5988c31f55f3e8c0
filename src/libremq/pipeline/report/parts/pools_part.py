"""Buffer pools: how few buffers were free, and what came of it."""

from __future__ import annotations

from pyspark.sql import functions as F
from pyspark.sql.window import Window

from libremq.pipeline.report.content import Column, LineChart, Section, Table
from libremq.pipeline.report.parts.source_part import (
    ROWS_MAX,
    Source,
    first_at,
    moment_or_none,
    more_series,
    number,
    rows_in_all,
)
from libremq.pipeline.report.wording import counted, day_and_time

_ID, _TITLE = "buffer-pools", "Buffer pools"


def look(source: Source) -> Section:
    pools = source.table("buffer_pool")
    name = F.concat("qmgr", F.lit(" pool "), F.col("buffer_pool").cast("string"))
    drawn = source.series(pools, name, "stealable_lowest_pct", "low")
    short = source.limit("pool-system-short-of-buffers", "short below")
    full = source.limit("pool-nearly-full", "applications write themselves below")
    bars = [limit.value for limit in (*short, *full)]
    low = F.col("stealable_lowest_pct")
    rows = (
        pools.withColumn("at", F.unix_micros("interval_start"))
        .groupBy("qmgr", "buffer_pool")
        .agg(
            (F.max("buffers") * 4096 / 1048576).alias("size_mb"),
            F.max("buffers").alias("buffers"),
            F.min(low).alias("lowest"),
            first_at("at", "stealable_lowest_pct", "low").alias("lowest_at"),
            F.count_if(low < (bars[0] if bars else 0)).alias("short"),
            F.count(F.lit(1)).alias("intervals"),
            F.sum("pages_read").alias("pages_read"),
            F.sum("pages_written").alias("pages_written"),
            F.sum("synchronous_writes").alias("synchronous_writes"),
            F.sum("no_buffer_suspensions").alias("no_buffer_suspensions"),
        )
        .select("*", rows_in_all(), F.count_if(F.col("short") > 0).over(Window.partitionBy()).alias("pools_short"))
        .orderBy(F.asc_nulls_last("lowest"), "qmgr", "buffer_pool")
        .limit(ROWS_MAX)
        .collect()
    )
    if not rows:
        return Section(_ID, _TITLE, notes=("No buffer pool records (QPST of SMF 115): nothing is known of the pools.",))
    in_all, pools_short = rows[0]["in_all"], rows[0]["pools_short"]
    charts = []
    if drawn.lines and drawn.worst_at is not None:
        line = f"below {bars[0]:g} %" if bars else "short"
        went = f"{counted(pools_short, 'pool')} of {in_all} went {line} at some time"
        reading = (
            f"{drawn.lines[0].name} fell lowest, to {drawn.worst:.1f} % free buffers on"
            f" {day_and_time(drawn.worst_at)} UTC; {went if pools_short else f'no pool went {line}'}."
        )
        charts.append(
            LineChart(
                "pool-free-buffers",
                "Lowest share of free buffers",
                reading + more_series(drawn, "pools"),
                "% free",
                drawn.lines,
                (*short, *full),
            )
        )
    columns = (
        Column("Queue manager"),
        Column("Pool"),
        Column("Buffers"),
        Column("Size", "MB"),
        Column("Lowest free", "%"),
        Column("Lowest at", "UTC"),
        Column("Intervals short"),
        Column("Intervals"),
        Column("Pages read"),
        Column("Pages written"),
        Column("Synchronous writes"),
        Column("Waits for a buffer"),
    )
    cells = tuple(
        (
            row["qmgr"],
            row["buffer_pool"],
            row["buffers"],
            number(row["size_mb"]),
            number(row["lowest"]),
            moment_or_none(row["lowest_at"]),
            row["short"],
            row["intervals"],
            row["pages_read"],
            row["pages_written"],
            row["synchronous_writes"],
            row["no_buffer_suspensions"],
        )
        for row in rows
    )
    return Section(_ID, _TITLE, tuple(charts), (Table("pools", "Pools, the shortest first", columns, cells, in_all),))
