"""Intervals: one list for each queue manager, what each of them is, and every row placed in one.

The statistics records of one interval start within microseconds of each other, those of the channel initiator a tenth
of a millisecond later; task records end when the interval or the task does; storage records carry no interval at all.
So records whose starts and whose ends lie close together are of one interval; a row with an interval of its own belongs
to the one that is like it, any other to the one in which its time ends. How close is close depends on the length: a
queue manager that starts writes an interval of less than a second, and some sites take one each second.

What an interval is follows from those around it. One that is much shorter than the next and that none leads up to is
what a queue manager records when it starts; one that is much shorter than the one before and that none follows was cut
off when it ended. Any other that is much shorter than usual is short, for whatever reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.window import Window

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame, WindowSpec

TOLERANCE_SECONDS = 2.0
"""Starts this close are of one interval, if it is a long one: its records lie milliseconds apart."""

TOLERANCE_PART = 0.25
"""Of a short interval, this part of its length: neighbours are a whole length apart."""

START_UP, SHUT_DOWN, SHORT, NORMAL = "start-up", "shut-down", "short", "normal"
INTERVAL_KINDS = (START_UP, SHUT_DOWN, SHORT, NORMAL)

SHORT_SECONDS = 10.0
"""Whatever the others are, no interval of this length tells a rate."""

RATE_SECONDS = 50.0
"""A STATIME of one minute gives 59.8 s; a rate of less is no rate."""

USUAL_PART = 0.5
"""Below this part of the length of its neighbour, or of the middle one of those around it, an interval is short."""

START_SEEN_SECONDS = 12 * 3600.0
"""How far back a start is looked for. All of it lies in the days beside the one that is built."""

_AROUND = 3
"""Intervals before and behind that tell what length is usual."""

_STRETCH_SECONDS = 600
"""Rows and intervals meet by stretches of time, so that Spark can join on equality."""

_DAY_SECONDS = 86_400.0

_KNOWN = ("_start", "_end", "_until", "_close", "_early", "_late", "_kind", "_running")


def seconds(moment: Expression) -> Expression:
    """A timestamp as seconds since 1970, with its fraction."""
    return F.unix_micros(moment) / 1_000_000


def intervals_of(recorded: DataFrame, tolerance_seconds: float = TOLERANCE_SECONDS) -> DataFrame:
    """The intervals in rows that have a recorded one: queue manager, start, end, and what each is.

    `interval_kind` is one of INTERVAL_KINDS. `seconds_since_start` counts from a start of the queue manager that was
    seen, as a start-up interval or as a time without records, and is null where none was. Columns that begin with an
    underscore are for `placed`.
    """
    starts = (
        recorded.select("system", "qmgr", "interval_start", "interval_end")
        .where("interval_start is not null and interval_end > interval_start")
        .where(seconds(F.col("interval_end")) - seconds(F.col("interval_start")) <= _DAY_SECONDS + tolerance_seconds)
        .distinct()
    )
    start, end = seconds(F.col("interval_start")), seconds(F.col("interval_end"))
    of_one = Window.partitionBy("system", "qmgr").orderBy("interval_start", "interval_end")
    timed = starts.withColumn("_close", _close(end - start, tolerance_seconds))
    close = F.least("_close", F.lag("_close").over(of_one))
    same = (start - F.lag(start).over(of_one) <= close) & (F.abs(end - F.lag(end).over(of_one)) <= close)
    numbered = timed.withColumn("_new", F.when(same, 0).otherwise(1)).withColumn(
        "_number", F.sum("_new").over(of_one.rowsBetween(Window.unboundedPreceding, Window.currentRow))
    )
    merged = numbered.groupBy("system", "qmgr", "_number").agg(
        F.min("interval_start").alias("interval_start"), F.max("interval_end").alias("interval_end")
    )
    return _known_as(_without_overlap(merged.drop("_number"), tolerance_seconds))


def _close(length: Expression, tolerance_seconds: float) -> Expression:
    return F.least(F.lit(tolerance_seconds), length * TOLERANCE_PART)


def _in_order() -> WindowSpec:
    return Window.partitionBy("system", "qmgr").orderBy("interval_start", "interval_end")


def _without_overlap(merged: DataFrame, tolerance_seconds: float) -> DataFrame:
    """`_until`: where an interval ends for rows that have none, so that such a row can only be in one of them.

    Ends that reach a little into the next interval are cut. After a clock was set back intervals do overlap, and
    keep what they recorded.
    """
    order = _in_order()
    following = F.coalesce(F.lead("interval_start").over(order), "interval_end")
    length = seconds(F.col("interval_end")) - seconds(F.col("interval_start"))
    timed = merged.withColumn("_close", _close(length, tolerance_seconds)).withColumn(
        "_until", F.least("interval_end", following)
    )
    beyond = seconds(F.col("interval_end")) - seconds(F.col("_until"))
    cut = timed.withColumn(
        "interval_end", F.when(beyond <= F.col("_close"), F.col("_until")).otherwise(F.col("interval_end"))
    )
    late = F.least("_close", F.coalesce(F.lead("_close").over(order), "_close"))
    early = F.least("_close", F.coalesce(F.lag("_close").over(order), "_close"))
    return cut.withColumns({"_late": late, "_early": early})


def _known_as(intervals: DataFrame) -> DataFrame:
    """Add `interval_kind` and `seconds_since_start`."""
    order = _in_order()
    start, end = seconds(F.col("interval_start")), seconds(F.col("interval_end"))
    length = end - start
    near = [
        F.when(F.abs(step(start, away).over(order) - start) <= _DAY_SECONDS / 2, step(length, away).over(order))
        for step in (F.lag, F.lead)
        for away in range(1, _AROUND + 1)
    ]
    lengths = F.array_sort(F.array_compact(F.array(length, *near)))
    usual = F.element_at(lengths, (F.size(lengths) / 2).cast("int") + 1)
    gap_before = start - F.lag(end).over(order)
    gap_behind = F.lead(start).over(order) - end
    measured = intervals.withColumns(
        {"_length": length, "_usual": usual, "_gap_before": gap_before, "_gap_behind": gap_behind}
    )
    apart = F.greatest("_close", F.lit(TOLERANCE_SECONDS))
    follows = F.coalesce(F.abs("_gap_before") <= apart, F.lit(False))
    followed = F.coalesce(F.abs("_gap_behind") <= apart, F.lit(False))
    kind = (
        F.when(~follows & followed & (length < F.lead(length).over(order) * USUAL_PART), START_UP)
        .when(follows & ~followed & (length < F.lag(length).over(order) * USUAL_PART), SHUT_DOWN)
        .when((F.col("_length") < F.col("_usual") * USUAL_PART) | (F.col("_length") < SHORT_SECONDS), SHORT)
        .otherwise(NORMAL)
    )
    # Where records are missing the queue manager was down, or its records were lost: then it is safer to think it was.
    begun = (F.col("interval_kind") == START_UP) | (F.col("_gap_before") > TOLERANCE_SECONDS)
    latest = F.last(F.when(begun, F.unix_micros("interval_start")), ignorenulls=True)
    up_to_here = order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    since = (F.unix_micros("interval_start") - latest.over(up_to_here)) / 1_000_000
    known = measured.withColumn("interval_kind", kind).withColumn("_since", since)
    return known.withColumn("seconds_since_start", F.when(F.col("_since") <= START_SEEN_SECONDS, F.col("_since"))).drop(
        "_length", "_usual", "_gap_before", "_gap_behind", "_since"
    )


def telling(rows: DataFrame) -> Expression:
    """Does the interval of a row tell a rate? One of a start-up or a shut-down does not, nor one of moments.

    On a site whose intervals are all that short they are what there is.
    """
    if not {"interval_kind", "interval_seconds"} <= set(rows.columns):
        return F.lit(True)
    kind = F.coalesce("interval_kind", F.lit(NORMAL))
    return (kind == NORMAL) | ((kind == SHORT) & (F.col("interval_seconds") >= RATE_SECONDS))


def by_stretch(intervals: DataFrame, tolerance_seconds: float = TOLERANCE_SECONDS) -> DataFrame:
    """The intervals as `placed` takes them: for each stretch of time, those that touch it."""
    known = intervals.withColumnsRenamed(
        {
            "interval_start": "_start",
            "interval_end": "_end",
            "interval_kind": "_kind",
            "seconds_since_start": "_running",
        }
    )
    first = F.floor(seconds(F.col("_start")) / _STRETCH_SECONDS)
    last = F.floor((seconds(F.col("_end")) + tolerance_seconds) / _STRETCH_SECONDS)
    spread = known.withColumn("_stretch", F.explode(F.sequence(first, last)))
    return spread.groupBy("system", "qmgr", "_stretch").agg(F.collect_list(F.struct(*_KNOWN)).alias("_near"))


def placed(
    rows: DataFrame,
    known: DataFrame,
    ends: Sequence[str],
    starts: Sequence[str] = (),
    *,
    own: bool = False,
) -> DataFrame:
    """Give each row its interval, as `interval_start`, `interval_end`, `interval_seconds` and what it is.

    `known` are the intervals `by_stretch`. With `own`, a row that has recorded an interval belongs to the one that
    starts and ends with it. Else it belongs to the one in which its time ends, which is the first of `ends` that is
    there. A row that meets no interval keeps its own times: the first of `starts` and `ends` that is there. Each row
    comes out once, whatever the intervals are.
    """
    end = F.coalesce(*(F.col(name) for name in ends))
    start = F.coalesce(*(F.col(name) for name in (*starts, *ends)))
    recorded = F.col("interval_start") if own else F.lit(None).cast("timestamp")
    timed = (
        rows.withColumn("_row_end", end)
        .withColumn("_row_start", start)
        .withColumn("_row_own", recorded)
        .withColumn("_row_stretch", F.floor(seconds(F.col("_row_end")) / _STRETCH_SECONDS))
        .drop(*({"interval_start", "interval_end"} & set(rows.columns)))
        .alias("timed")
    )
    here = (
        (F.col("timed.system") == F.col("known.system"))
        & (F.col("timed.qmgr") == F.col("known.qmgr"))
        & (F.col("_row_stretch") == F.col("_stretch"))
    )
    # There are few intervals: each worker gets them all, and no row need move to meet its own.
    joined = timed.join(F.broadcast(known.alias("known")), here, "left").select("timed.*", "_near")
    found = joined.withColumn("_place", _place()).drop("_near")
    settled = (
        found.withColumn("interval_start", F.coalesce("_place._start", "_row_start"))
        .withColumn("interval_end", F.coalesce("_place._end", "_row_end"))
        .withColumn("interval_kind", F.col("_place._kind"))
        .withColumn("seconds_since_start", F.col("_place._running"))
        .withColumn("interval_seconds", (F.unix_micros("interval_end") - F.unix_micros("interval_start")) / 1_000_000)
    )
    return settled.withColumn("day", _day(rows)).drop("_place", "_row_start", "_row_end", "_row_own", "_row_stretch")


def _place() -> Expression:
    """The interval of a row out of `_near`: the nearest of those like its own, else that in which it ends."""
    end, start = seconds(F.col("_row_end")), seconds(F.col("_row_own"))

    def is_like(one: Expression) -> Expression:
        apart = F.greatest(F.abs(seconds(one["_start"]) - start), F.abs(seconds(one["_end"]) - end))
        return apart <= one["_close"]

    def ends_here(one: Expression) -> Expression:
        after = end > seconds(one["_start"]) + one["_early"]
        return after & (end <= seconds(one["_until"]) + one["_late"])

    def nearest(one: Expression, other: Expression) -> Expression:
        def apart(each: Expression) -> Expression:
            return F.abs(seconds(each["_start"]) - start) + F.abs(seconds(each["_end"]) - end)

        return F.when(apart(one) < apart(other), -1).when(apart(one) > apart(other), 1).otherwise(0)

    alike = F.array_sort(F.filter("_near", is_like), nearest)
    ended = F.array_sort(F.filter("_near", ends_here))
    return F.coalesce(F.get(alike, 0), F.get(ended, F.size(ended) - 1))


def _day(rows: DataFrame) -> Expression:
    """The day on which the interval starts, and never further from that of the record than what is built with it."""
    day = F.to_date("interval_start")
    if "day" not in rows.columns:
        return day
    recorded = F.col("day")
    return F.greatest(F.least(day, F.date_add(recorded, 1)), F.date_sub(recorded, 1))
