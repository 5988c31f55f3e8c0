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

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from functools import reduce
from typing import TYPE_CHECKING, cast

from pyspark.sql import functions as F
from pyspark.sql.types import StructType
from pyspark.sql.window import Window

from libremq.pipeline.tables import raw
from libremq.pipeline.tables.conformed_intervals import intervals_of, placed
from libremq.pipeline.tables.conformed_rows import (
    PLACE,
    arranged,
    beside_in_record,
    raw_rows,
    recorded_columns,
    with_changes,
    with_derived,
    without_copies,
)
from libremq.pipeline.tables.conformed_store import Day, Ledger, Store, description_mark, neighbours
from libremq.pipeline.tables.subjects import SUBJECTS, Subject, subject

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame, SparkSession

OVERVIEW = "queue_manager_interval"

INTERVAL_STRUCTURES = ("qjst", "qmst", "qis1", "qpst", "qqst")
"""One structure of each queue manager record that has an interval; together they tell all intervals."""

TABLES_AT_ONCE = 4

QUEUE_RECORD_SECONDS = 10
"""A record with more queues of a task follows that of the task within moments."""

_KEPT = ("system", "qmgr", "qsg", "release", "utc_offset_minutes")


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did."""

    days: tuple[Day, ...]
    """Days that were built, with those beside the changed ones."""
    rows: dict[str, int]
    """Rows of these days by table."""


def build(
    spark: SparkSession,
    root: str | os.PathLike[str],
    *,
    days: Sequence[Day] | None = None,
    tell: Callable[[str], None] | None = None,
) -> BuildReport:
    """Bring the conformed tables up to the raw ones. Without `days` those that changed since the last build are done.

    Building a day again gives the same rows, so a build that was broken off is simply started again: the days are
    noted as done at its end only.
    """
    tell = tell or (lambda _: None)
    store = Store(root)
    raw.recover(root)
    ledger = Ledger(store.root / "conformed", description_mark())
    now = store.fingerprints(store.raw(name) for entry in SUBJECTS.values() for name in entry.structures)
    asked = ledger.days_due(now) if days is None else tuple(days)
    if not asked:
        return BuildReport((), {})
    wanted = neighbours(asked)
    intervals = _known_intervals(spark, store, neighbours(wanted)).persist()
    entries = [entry for entry in SUBJECTS.values() if entry.name != OVERVIEW]

    def build_one(entry: Subject) -> int:
        tell(f"building {entry.name}")
        if not set(store.days(store.raw(entry.structures[0]))) & set(neighbours(wanted)):
            store.clear_days(store.conformed(entry.name), wanted)
            return 0
        spread = ("interval_start",) if entry.grain == "task" else ()
        fresh = subject_rows(spark, store, entry, intervals, wanted)
        return store.replace_days(store.conformed(entry.name), fresh, wanted, spread)

    try:
        # Most of the time of a small table is planning: let some plan while others run.
        with ThreadPoolExecutor(TABLES_AT_ONCE) as pool:
            rows = dict(zip((entry.name for entry in entries), pool.map(build_one, entries)))
    finally:
        intervals.unpersist()
    tell(f"building {OVERVIEW}")
    rows[OVERVIEW] = store.replace_days(store.conformed(OVERVIEW), overview_rows(spark, store, wanted), wanted)
    if days is None:
        ledger.note(now)
    return BuildReport(wanted, rows)


def table(
    spark: SparkSession, root: str | os.PathLike[str], name: str, *, days: Sequence[Day] | None = None
) -> DataFrame:
    """A conformed table as a DataFrame: empty, with its columns, if nothing was recorded."""
    schema = cast(StructType, StructType.fromDDL(subject(name).ddl))
    folder = Store(root).conformed(name)
    if not any(folder.glob("day=*/qmgr=*")):
        return spark.createDataFrame([], schema)
    rows = spark.read.schema(schema).parquet(str(folder)).select(*schema.names)
    return rows if days is None else rows.where(F.col("day").isin([date.fromisoformat(day) for day in days]))


def tables(spark: SparkSession, root: str | os.PathLike[str]) -> dict[str, DataFrame]:
    """All conformed tables by name."""
    return {name: table(spark, root, name) for name in SUBJECTS}


def subject_rows(
    spark: SparkSession, store: Store, entry: Subject, intervals: DataFrame, days: Sequence[Day]
) -> DataFrame:
    """Rows of a subject whose intervals start on these days."""
    around = neighbours(days)
    if entry.grain == "task":
        rows = _task_rows(spark, store, entry, intervals, around)
    else:
        parts = [_interval_rows(spark, store, entry, name, intervals, around) for name in entry.structures]
        rows = reduce(_side_by_side, parts)
    # The change since the interval before needs that interval: days are cut off after it.
    rows = with_changes(rows, entry).where(F.col("day").isin([date.fromisoformat(day) for day in days]))
    return arranged(with_derived(rows, entry), entry)


def _known_intervals(spark: SparkSession, store: Store, days: Sequence[Day]) -> DataFrame:
    parts = [
        raw_rows(spark, store, name, days).select("system", "qmgr", "interval_start", "interval_end")
        for name in INTERVAL_STRUCTURES
    ]
    return intervals_of(reduce(lambda one, other: one.unionByName(other), parts))


def _interval_rows(
    spark: SparkSession, store: Store, entry: Subject, structure: str, intervals: DataFrame, days: Sequence[Day]
) -> DataFrame:
    rows = without_copies(raw_rows(spark, store, structure, days))
    rows = placed(rows, intervals, ends=("interval_end", "smf_time"), starts=("interval_start",))
    columns = recorded_columns(rows, entry, (structure,))
    shaped = rows.select(*_KEPT, "day", "interval_start", "interval_end", "interval_seconds", "smf_time", *columns)
    # One row for a key: were there two, the later record holds.
    newest = Window.partitionBy(*PLACE, *entry.keys).orderBy(F.desc("smf_time"))
    return shaped.withColumn("_rank", F.row_number().over(newest)).where("_rank = 1").drop("_rank", "smf_time")


def _side_by_side(one: DataFrame, other: DataFrame) -> DataFrame:
    """Rows of one interval from two records, joined; what both have is taken from where it is."""
    shared = [name for name in one.columns if name in other.columns and name not in PLACE]
    renamed = other.withColumnsRenamed({name: f"_{name}" for name in shared})
    joined = one.join(renamed, list(PLACE), "full")
    merged = joined.withColumns({name: F.coalesce(name, f"_{name}") for name in shared})
    return merged.drop(*(f"_{name}" for name in shared))


def _task_rows(
    spark: SparkSession, store: Store, entry: Subject, intervals: DataFrame, days: Sequence[Day]
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
    rows = without_copies(rows)
    own_end = [name for name in ("wtasinte",) if name in rows.columns]
    own_start = [name for name in ("wtasints",) if name in rows.columns]
    rows = placed(rows, intervals, ends=(*own_end, "smf_time"), starts=own_start)
    columns = recorded_columns(rows, entry, entry.structures)
    return rows.select(*_KEPT, "day", "interval_start", "interval_end", "interval_seconds", *columns)


def _with_task_times(queues: DataFrame, tasks: DataFrame, names: Sequence[str]) -> DataFrame:
    """Give queue rows the times of their task: from their own record, else from the task's record just before it."""
    own = beside_in_record(queues.where("subtype = 1"), tasks, names)
    who = ["system", "qmgr", "correl"]
    times = tasks.select(*who, F.col("smf_time").alias("_task_time"), *names).dropDuplicates([*who, "_task_time"])
    further = queues.where("subtype <> 1")
    apart = F.abs(F.unix_micros("smf_time") - F.unix_micros("_task_time")) / 1_000_000
    row = ["source_file", "source_offset", "section_index"]
    nearest = Window.partitionBy(*row).orderBy(apart)
    near = F.col("_task_time").isNull() | (apart <= QUEUE_RECORD_SECONDS)
    matched = (
        further.join(times, who, "left")
        .withColumns({name: F.when(near, F.col(name)) for name in names})
        .withColumn("_rank", F.row_number().over(nearest))
        .where("_rank = 1")
        .drop("_rank", "_task_time")
    )
    return own.unionByName(matched)


def overview_rows(spark: SparkSession, store: Store, days: Sequence[Day]) -> DataFrame:
    """The overview: each interval of a queue manager with figures of the other tables."""
    entry = subject(OVERVIEW)
    sources = dict.fromkeys((column.source or "").partition(".")[0] for column in entry.columns if column.rollup)
    common = ("day", "interval_end", "interval_seconds", "utc_offset_minutes", "qsg", "release")
    # Rows under each other, then one per interval: a dozen joins side by side would take Spark minutes to plan.
    parts = [
        table(spark, store.root, name, days=days)
        .groupBy(*PLACE)
        .agg(*(F.max(shared).alias(shared) for shared in common), *_rollups(entry, name))
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
