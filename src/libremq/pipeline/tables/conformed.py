"""The conformed tables: one per subject, keyed by queue manager and interval, built from the raw tables.

    build(spark, root)                   # only the days that new dumps touched
    table(spark, root, "buffer_pool")    # one of them as a DataFrame

What a table holds is said in `subjects`; here is how its rows come about. Rows are read, copies of one record in
several dumps are dropped, each row is placed in its interval, fields become columns, and the rest is worked out from
them. The overview row of an interval comes last, from the other tables.

Raw rows lie under the day on which they were written, conformed rows under the day on which their interval starts: a
day is built from raw rows of its neighbours too, and a raw day that changed makes its neighbours due as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import reduce
from typing import TYPE_CHECKING, cast

from pyspark.sql import functions as F
from pyspark.sql.types import StructType
from pyspark.sql.window import Window

from libremq.pipeline.storage import Root
from libremq.pipeline.tables.conformed_intervals import by_stretch, intervals_of, placed, seconds
from libremq.pipeline.tables.conformed_rows import (
    PLACE,
    RECORD,
    arranged,
    beside_in_record,
    each_by_its_key,
    raw_rows,
    recorded_columns,
    rows_in,
    stored_rows,
    with_changes,
    with_derived,
    without_copies,
)
from libremq.pipeline.tables.conformed_store import (
    Day,
    Layer,
    Store,
    Written,
    at_once,
    batches,
    description_mark,
    neighbours,
    with_those_beside,
)
from libremq.pipeline.tables.subjects import SUBJECTS, Subject, subject
from libremq.pipeline.tables.suspicions import derived_suspicions, suspicions, without_suspicious

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame, SparkSession

OVERVIEW = "queue_manager_interval"

INTERVAL_STRUCTURES = ("qjst", "qmst", "qis1", "qpst", "qqst")
"""One structure of each queue manager record that has an interval; together they tell all intervals."""

SMALL_BYTES = 32 * 1024 * 1024
"""Below this a plan is run in less time than it takes to compile it: some hundred columns make many Java classes."""

FEW_BYTES = 8 * 1024 * 1024
"""Below this the rows are written by the driver: in memory they are some ten times as much."""

WORKER_BYTES = 16 * 1024 * 1024
"""Parquet that one task takes."""
TASKS_MAX = 200

QUEUE_RECORD_SECONDS = 10
"""A record with more queues of a task follows that of the task within moments."""

_KEPT = ("system", "qmgr", "qsg", "release", "utc_offset_minutes")
_PLACED = ("day", "interval_start", "interval_end", "interval_seconds", "interval_kind", "seconds_since_start")

_FOR_LITTLE = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # One job for a table, planned once, where else there would be one for each shuffle.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
}


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did."""

    days: tuple[Day, ...]
    """Days that were built, with those beside the changed ones."""
    rows: dict[str, int]
    """Rows of these days by table."""


def build(
    spark: SparkSession,
    root: Root,
    *,
    days: Sequence[Day] | None = None,
    tell: Callable[[str], None] | None = None,
) -> BuildReport:
    """Bring the conformed tables up to the raw ones. Without `days` those that changed since the last build are done.

    Building a day again gives the same rows. A day is noted as done when it is, and is due until then: a build that
    was broken off, by a crash or by the user, is simply started again and does what is left. While one build is at
    work on these tables another is refused with `TablesBusyError`.
    """
    tell = tell or (lambda _: None)
    store = Store(root)
    marks = store.raw.day_marks()
    layer, description = store.conformed, description_mark()
    now = with_those_beside(marks)
    if not now and not layer.day_marks():
        return BuildReport((), {})
    with layer.building():
        wanted = layer.days_due(now, description) if days is None else neighbours(days)
        if not wanted:
            return BuildReport((), {})
        layer.clear_left_over(SUBJECTS)
        rows = dict.fromkeys(SUBJECTS, 0)
        structures = {name for entry in SUBJECTS.values() for name in entry.structures}
        for batch in batches(wanted, lambda day: sum(store.raw.bytes_of(each, [day]) for each in structures)):
            for name, count in _build_days(spark, store, batch, now, description, tell).items():
                rows[name] += count
    return BuildReport(wanted, rows)


def _build_days(
    spark: SparkSession,
    store: Store,
    days: Sequence[Day],
    now: Mapping[Day, str],
    description: str,
    tell: Callable[[str], None],
) -> dict[str, int]:
    told = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    around, layer = neighbours(days), store.conformed
    build = layer.new_build()
    written: dict[str, Written] = {}
    if any(day in around for day in store.raw.day_marks()):
        tell(f"finding the intervals of {told}")
        size = sum(store.raw.bytes_of(name, around) for name in INTERVAL_STRUCTURES)
        intervals = _local(spark, by_stretch(_known_intervals(session_for(spark, size), store, around)))

        def build_one(entry: Subject) -> Written:
            size = sum(store.raw.bytes_of(name, around) for name in entry.structures)
            if not size:
                return {}
            tell(f"building {entry.name} of {told}")
            fresh = subject_rows(session_for(spark, size), store, entry, intervals, days, tasks_for(size))
            return layer.write(entry.name, build, fresh, few=size < FEW_BYTES)

        # The largest last would leave all others waiting for it at the end.
        entries = [entry for entry in reversed(SUBJECTS.values()) if entry.name != OVERVIEW]
        written = dict(zip((entry.name for entry in entries), at_once(build_one, entries)))
        tell(f"building {OVERVIEW} of {told}")
        session = session_for(spark, size)
        made = {name: fresh_rows(session, layer, name, parts) for name, parts in written.items()}
        overview = overview_rows(made).coalesce(tasks_for(size))
        written[OVERVIEW] = layer.write(OVERVIEW, build, overview, few=size < FEW_BYTES)
    layer.commit(days, written, now, description)
    return {name: sum(part.rows for part in parts.values()) for name, parts in written.items()}


def fresh_rows(spark: SparkSession, layer: Layer, name: str, parts: Written) -> DataFrame:
    """Rows of a table that were just written and are no part of it yet."""
    schema = cast(StructType, StructType.fromDDL(subject(name).ddl))
    return rows_in(spark, layer.folders_of(name, parts), schema)


def session_for(spark: SparkSession, size: int) -> SparkSession:
    """The session to work in with so many bytes of Parquet: for little of it, one whose plans are not compiled."""
    if size >= SMALL_BYTES:
        return spark
    session = spark.newSession()
    for name, value in _FOR_LITTLE.items():
        session.conf.set(name, value)
    return session


def tasks_for(size: int) -> int:
    """Into how many parts so many bytes of Parquet are divided."""
    return min(TASKS_MAX, 1 + size // WORKER_BYTES)


def _local(spark: SparkSession, rows: DataFrame) -> DataFrame:
    """The rows as they are now, in the driver: what many plans need is worked out once."""
    return spark.createDataFrame(rows.toArrow(), rows.schema)


def table(spark: SparkSession, root: Root, name: str, *, days: Sequence[Day] | None = None) -> DataFrame:
    """A conformed table as a DataFrame: empty, with its columns, if nothing was recorded."""
    schema = cast(StructType, StructType.fromDDL(subject(name).ddl))
    store = Store(root)
    return stored_rows(spark, store.conformed, name, schema, days)


def tables(spark: SparkSession, root: Root) -> dict[str, DataFrame]:
    """All conformed tables by name."""
    return {name: table(spark, root, name) for name in SUBJECTS}


def subject_rows(
    spark: SparkSession, store: Store, entry: Subject, intervals: DataFrame, days: Sequence[Day], tasks: int = 1
) -> DataFrame:
    """Rows of a subject whose intervals start on these days, in so many parts. Intervals come `by_stretch`."""
    around = neighbours(days)
    if entry.grain == "task":
        rows = _task_rows(spark, store, entry, intervals, around, tasks)
    else:
        parts = [_interval_rows(spark, store, entry, name, intervals, around, tasks) for name in entry.structures]
        rows = parts[0] if len(parts) == 1 else _beside_each_other(parts, entry)
    rows = without_suspicious(rows, suspicions(entry))
    # The change since the interval before needs that interval: days are cut off after it.
    rows = with_changes(rows, entry).where(F.col("day").isin([date.fromisoformat(day) for day in days]))
    return arranged(without_suspicious(with_derived(rows, entry), derived_suspicions(entry)), entry)


def _known_intervals(spark: SparkSession, store: Store, days: Sequence[Day]) -> DataFrame:
    parts = [
        raw_rows(spark, store, name, days).select("system", "qmgr", "interval_start", "interval_end")
        for name in INTERVAL_STRUCTURES
    ]
    return intervals_of(reduce(lambda one, other: one.unionByName(other), parts))


def _interval_rows(
    spark: SparkSession,
    store: Store,
    entry: Subject,
    structure: str,
    intervals: DataFrame,
    days: Sequence[Day],
    tasks: int,
) -> DataFrame:
    rows = raw_rows(spark, store, structure, days)
    rows = rows.withColumn("_recorded_start", F.col("interval_start"))
    rows = placed(rows, intervals, ends=("interval_end", "smf_time"), starts=("interval_start",), own=True)
    columns = recorded_columns(rows, entry, (structure,))
    shaped = rows.select(*_KEPT, *_PLACED, "smf_time", "_recorded_start", *columns)
    # All of a queue manager meets in one task: what follows, and the writing by queue manager, moves no row again.
    return each_by_its_key(shaped.repartition(tasks, "qmgr"), entry)


def _beside_each_other(parts: Sequence[DataFrame], entry: Subject) -> DataFrame:
    """Rows of one key from several records as one row; what more than one has is taken from where it is."""
    rows = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), parts)
    keys = (*PLACE, *entry.keys)
    return rows.groupBy(*keys).agg(
        *(F.first(name, ignorenulls=True).alias(name) for name in rows.columns if name not in keys)
    )


def _task_rows(
    spark: SparkSession, store: Store, entry: Subject, intervals: DataFrame, days: Sequence[Day], tasks: int
) -> DataFrame:
    main, *others = entry.structures
    rows = raw_rows(spark, store, main, days)
    for other in others:
        needed = [column.field for column in entry.columns if column.structure == other and column.field]
        found = raw_rows(spark, store, other, days)
        if (main, other) == ("wq", "wtas"):
            rows = _with_task_times(rows, found, needed)
        else:
            rows = beside_in_record(rows, found, needed)
    rows = without_copies(rows.repartition(tasks, "qmgr", "smf_time"))
    own_end = [name for name in ("wtasinte",) if name in rows.columns]
    own_start = [name for name in ("wtasints",) if name in rows.columns]
    rows = placed(rows, intervals, ends=(*own_end, "smf_time"), starts=own_start)
    columns = recorded_columns(rows, entry, entry.structures)
    return rows.select(*_KEPT, *_PLACED, *columns)


def _with_task_times(queues: DataFrame, tasks: DataFrame, names: Sequence[str]) -> DataFrame:
    """Give queue rows the times of their task: from their own record, else from the task's record just before it."""
    own = beside_in_record(queues.where("subtype = 1"), tasks, names)
    who = ["system", "qmgr", "correl"]
    times = tasks.select(*who, F.col("smf_time").alias("_task_time"), *names).dropDuplicates([*who, "_task_time"])
    # A task has a record in each interval: without the stretch each row would meet all of them, of all days at hand.
    stretch = F.floor(seconds(F.col("_task_time")) / QUEUE_RECORD_SECONDS)
    times = times.withColumn("_stretch", F.explode(F.sequence(stretch - 1, stretch + 1)))
    further = queues.where("subtype <> 1").withColumn(
        "_stretch", F.floor(seconds(F.col("smf_time")) / QUEUE_RECORD_SECONDS)
    )
    apart = F.abs(F.unix_micros("smf_time") - F.unix_micros("_task_time")) / 1_000_000
    row = [*RECORD, "section_index"]
    nearest = Window.partitionBy(*row).orderBy(apart)
    near = F.col("_task_time").isNull() | (apart <= QUEUE_RECORD_SECONDS)
    matched = (
        further.join(times, [*who, "_stretch"], "left")
        .withColumns({name: F.when(near, F.col(name)) for name in names})
        .withColumn("_rank", F.row_number().over(nearest))
        .where("_rank = 1")
        .drop("_rank", "_task_time", "_stretch")
    )
    return own.unionByName(matched)


def overview_rows(tables: Mapping[str, DataFrame]) -> DataFrame:
    """The overview: each interval of a queue manager with figures of the other tables, given by name."""
    entry = subject(OVERVIEW)
    sources = dict.fromkeys((column.source or "").partition(".")[0] for column in entry.columns if column.rollup)
    common = (
        "day", "interval_end", "interval_seconds", "interval_kind", "seconds_since_start", "utc_offset_minutes", "qsg",
        "release",
    )  # fmt: skip
    # Rows under each other, then one per interval: a dozen joins side by side would take Spark minutes to plan.
    parts = [
        tables[name].groupBy(*PLACE).agg(*(F.max(shared).alias(shared) for shared in common), *_rollups(entry, name))
        for name in sources
    ]
    seen = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), parts)
    figures = [column.name for column in entry.columns if column.rollup]
    rows = seen.groupBy(*PLACE).agg(*(F.max(name).alias(name) for name in (*common, *figures)))
    return arranged(with_derived(rows, entry), entry)


def _rollups(entry: Subject, source: str) -> list[Expression]:
    how = {"only": F.max, "sum": F.sum, "max": F.max, "min": F.min}
    return [
        how[column.rollup](F.expr((column.source or "").partition(".")[2])).alias(column.name)
        for column in entry.columns
        if column.rollup and (column.source or "").startswith(f"{source}.")
    ]
