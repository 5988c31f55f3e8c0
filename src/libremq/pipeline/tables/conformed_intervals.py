"""Intervals: one list for each queue manager, and every row placed in it.

The statistics records of one interval start within microseconds of each other, those of the channel initiator a tenth
of a millisecond later; task records end when the interval or the task does; storage records carry no interval at all.
So starts that lie close together make one interval, and a row belongs to the interval in which its own time ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.window import Window

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame

TOLERANCE_SECONDS = 2.0
"""Starts this close are of one interval. Intervals take a minute and more, their records lie milliseconds apart."""

_STRETCH_SECONDS = 600
"""Rows and intervals meet by stretches of time, so that Spark can join on equality."""


def seconds(moment: Expression) -> Expression:
    """A timestamp as seconds since 1970, with its fraction."""
    return F.unix_micros(moment) / 1_000_000


def intervals_of(recorded: DataFrame, tolerance_seconds: float = TOLERANCE_SECONDS) -> DataFrame:
    """The intervals (`system`, `qmgr`, `interval_start`, `interval_end`) in rows that have a recorded interval."""
    starts = (
        recorded.select("system", "qmgr", "interval_start", "interval_end")
        .where("interval_start is not null and interval_end > interval_start")
        .distinct()
    )
    of_one = Window.partitionBy("system", "qmgr").orderBy("interval_start", "interval_end")
    gap = seconds(F.col("interval_start")) - seconds(F.lag("interval_start").over(of_one))
    numbered = starts.withColumn("_new", F.when(gap <= tolerance_seconds, 0).otherwise(1)).withColumn(
        "_number", F.sum("_new").over(of_one.rowsBetween(Window.unboundedPreceding, Window.currentRow))
    )
    merged = numbered.groupBy("system", "qmgr", "_number").agg(
        F.min("interval_start").alias("interval_start"), F.max("interval_end").alias("interval_end")
    )
    following = F.lead("interval_start").over(Window.partitionBy("system", "qmgr").orderBy("interval_start"))
    # An interval cannot reach into the next one: else a row could be placed in both.
    return merged.withColumn("interval_end", F.least("interval_end", F.coalesce(following, "interval_end"))).drop(
        "_number"
    )


def by_stretch(intervals: DataFrame, tolerance_seconds: float = TOLERANCE_SECONDS) -> DataFrame:
    """The intervals as `placed` takes them: once for each stretch of time that they touch."""
    known = intervals.withColumnsRenamed({"interval_start": "_start", "interval_end": "_end"})
    first = F.floor(seconds(F.col("_start")) / _STRETCH_SECONDS)
    last = F.floor((seconds(F.col("_end")) + tolerance_seconds) / _STRETCH_SECONDS)
    return known.withColumn("_stretch", F.explode(F.sequence(first, last)))


def placed(
    rows: DataFrame,
    known: DataFrame,
    ends: Sequence[str],
    starts: Sequence[str] = (),
    tolerance_seconds: float = TOLERANCE_SECONDS,
) -> DataFrame:
    """Give each row the interval in which its time ends, as `interval_start`, `interval_end` and `interval_seconds`.

    `known` are the intervals `by_stretch`. A row's time ends with the first of `ends` that is there. A row that meets
    no interval keeps its own times: the first of `starts` and `ends` that is there.
    """
    end = F.coalesce(*(F.col(name) for name in ends))
    start = F.coalesce(*(F.col(name) for name in (*starts, *ends)))
    timed = (
        rows.withColumn("_row_end", end)
        .withColumn("_row_start", start)
        .withColumn("_row_stretch", F.floor(seconds(F.col("_row_end")) / _STRETCH_SECONDS))
        .drop("interval_start", "interval_end")
        .alias("timed")
    )
    within = (
        (F.col("timed.system") == F.col("known.system"))
        & (F.col("timed.qmgr") == F.col("known.qmgr"))
        & (F.col("_row_stretch") == F.col("_stretch"))
        & (seconds(F.col("_row_end")) > seconds(F.col("_start")) + tolerance_seconds)
        & (seconds(F.col("_row_end")) <= seconds(F.col("_end")) + tolerance_seconds)
    )
    # There are few intervals: each worker gets them all, and no row need move to meet its own.
    joined = timed.join(F.broadcast(known.alias("known")), within, "left").select("timed.*", "_start", "_end")
    return (
        joined.withColumn("interval_start", F.coalesce("_start", "_row_start"))
        .withColumn("interval_end", F.coalesce("_end", "_row_end"))
        .withColumn("interval_seconds", (F.unix_micros("interval_end") - F.unix_micros("interval_start")) / 1_000_000)
        .withColumn("day", F.to_date("interval_start"))
        .drop("_start", "_end", "_row_start", "_row_end", "_row_stretch")
    )
