"""From raw rows to a subject's columns: reading, telling copies apart, converting, working out.

Each function takes and gives DataFrames; none writes. 32-bit counters that the record declares signed are read as
unsigned, so one that went past 2,147,483,647 does not turn negative.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    ByteType,
    DateType,
    IntegerType,
    ShortType,
    StructField,
    StructType,
)
from pyspark.sql.window import Window

from libremq.pipeline.smf.smf_columns import spark_schema_of
from libremq.pipeline.smf.smf_layout import WIDTHS, layout, structure
from libremq.pipeline.tables.subjects import Column, Subject

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame, SparkSession

    from libremq.pipeline.storage import Place
    from libremq.pipeline.tables.conformed_store import Layer, Store

PLACE = ("system", "qmgr", "interval_start")
"""What rows of all interval tables share."""

_WHERE_FOUND = ("source_file", "source_offset", "day")
"""Columns in which two copies of one record may differ."""

_BITS = {"int": 32, "smallint": 16, "tinyint": 8}


def no_rows(spark: SparkSession, schema: StructType) -> DataFrame:
    """A table with these columns and nothing in it, of which Spark knows that it is empty while it plans."""
    nothing = [F.lit(None).cast(field.dataType).alias(field.name) for field in schema]
    return spark.range(0).select(*nothing).where(F.lit(False))


def stored_rows(
    spark: SparkSession, layer: Layer, table: str, schema: StructType, days: Iterable[str] | None = None
) -> DataFrame:
    """Rows of a table by day. Only the folders of these days are looked into, however many there are."""
    return rows_in(spark, layer.folders(table, days), schema)


def rows_in(spark: SparkSession, folders: Sequence[Place], schema: StructType) -> DataFrame:
    """The rows in folders of days."""
    if not folders:
        return no_rows(spark, schema)
    # Builds lie beside each other, each with its days: the day is the only part of a path that is a column.
    rows = [
        spark.read.option("basePath", base).schema(schema).parquet(*paths) for base, paths in _by_build(folders).items()
    ]
    return reduce(lambda one, other: one.union(other), rows).select(*schema.names)


def _by_build(folders: Iterable[Place]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for folder in folders:
        found.setdefault(str(folder).rpartition("/")[0], []).append(str(folder))
    return found


def raw_rows(spark: SparkSession, store: Store, name: str, days: Collection[str]) -> DataFrame:
    """Rows of a raw table, of these days only; an empty table where there is none."""
    plain = spark_schema_of(name)
    files = [str(store.raw.place / file.path) for file in store.raw.files(name, days)]
    if not files:
        return no_rows(spark, StructType([*plain.fields, StructField("day", DateType())]))
    rows = spark.read.schema(plain).parquet(*files).withColumn("day", F.to_date("smf_time"))
    first, last = min(days), max(days)
    # By time as well as by day: that is what the files have statistics of.
    within = (F.col("smf_time") >= F.lit(first).cast("timestamp")) & (
        F.col("smf_time") < F.date_add(F.lit(last).cast("date"), 1).cast("timestamp")
    )
    return rows.where(within & F.col("day").isin([date.fromisoformat(day) for day in days]))


def without_copies(rows: DataFrame) -> DataFrame:
    """Each record as often as the dump has it that has it most often: what further dumps have of it are copies.

    Equal records in one dump are two records: tasks that did the same within a hundredth of a second. Equal sections
    of one record stay apart by their place in it. Windows, each with its one sort, and no aggregate: that would carry
    some hundred columns through two rounds.
    """
    content = [name for name in rows.columns if name not in _WHERE_FOUND]
    same = ["system", "qmgr", "record_type", "subtype", "smf_time", "section_index", "_content"]
    # The same place in a file of that name is the same record: the file was read twice with something added.
    nth = F.dense_rank().over(Window.partitionBy(*same, "source_file").orderBy("source_offset"))
    first = F.row_number().over(Window.partitionBy(*same, "_nth").orderBy("source_file", "source_offset"))
    marked = rows.withColumn("_content", F.xxhash64(*content)).withColumn("_nth", nth).withColumn("_copy", first)
    return marked.where("_copy = 1").drop("_content", "_nth", "_copy")


def each_by_its_key(rows: DataFrame, subject: Subject) -> DataFrame:
    """Interval rows with one row for a key: copies go, and of two that differ both stay.

    Rows of one key and one content are copies. Where contents differ the latest has the key, and the others keep the
    start that they recorded, a microsecond later for each where that is the same: nothing recorded is lost.
    `_recorded_start` is what the row's own record says.
    """
    key = [*PLACE, *subject.keys]
    aside = ("smf_time", "day", "_recorded_start")
    content = [name for name in rows.columns if name not in aside]
    copy = F.row_number().over(Window.partitionBy(*key, "_content").orderBy(F.desc("smf_time")))
    nth = F.row_number().over(Window.partitionBy(*key).orderBy(F.desc("smf_time"), "_content"))
    # Records without an interval (storage) may say the same again and again: their time tells them apart.
    own_time = F.when(F.col("_recorded_start").isNull(), F.col("smf_time"))
    start = F.coalesce("_recorded_start", "interval_start")
    moved = F.timestamp_micros(F.unix_micros(start) + F.col("_nth") - 1)
    return (
        rows.withColumn("_content", F.xxhash64(own_time, *content))
        .withColumn("_copy", copy)
        .where("_copy = 1")
        .withColumn("_nth", nth)
        .withColumn("interval_start", F.when(F.col("_nth") > 1, moved).otherwise(F.col("interval_start")))
        .drop("_content", "_copy", "_nth", "smf_time", "_recorded_start")
    )


RECORD = ("system", "qmgr", "smf_time", "record_type", "subtype", "source_file", "source_offset")
"""What tells a record. Two dumps may have had one name, and then have records at one place."""


def beside_in_record(rows: DataFrame, others: DataFrame, names: Iterable[str]) -> DataFrame:
    """Add columns of another structure of the same record."""
    beside = others.select(*RECORD, *names).dropDuplicates(list(RECORD))
    return rows.join(beside, list(RECORD), "left")


def converted(rows: DataFrame, column: Column) -> Expression:
    """A raw field as the table has it."""
    assert column.field is not None, column
    value = F.col(column.field)
    kind = rows.schema[column.field].dataType
    for index in column.indexes:
        assert isinstance(kind, ArrayType), column
        value, kind = F.get(value, index), kind.elementType
    if isinstance(kind, BinaryType):
        value = F.hex(value)
    elif column.kind == "counter" and isinstance(kind, IntegerType | ShortType | ByteType):
        value = unsigned(value, _BITS[kind.simpleString()])
    elif column.enum is not None:
        value = worded(value, column.enum)
    elif column.kind == "text":
        value = F.nullif(F.trim(value), F.lit(""))
    return value.try_cast(column.type).alias(column.name)


def unsigned(value: Expression, bits: int) -> Expression:
    """A number that was declared signed, read as the counter it is."""
    return F.when(value < 0, value.cast("bigint") + F.lit(1 << bits)).otherwise(value.cast("bigint"))


def worded(code: Expression, enum: str) -> Expression:
    """The word for a recorded code; a code without one stays as it is."""
    pairs = [F.lit(part) for pair in layout().enums[enum].items() for part in pair]
    return F.coalesce(F.try_element_at(F.create_map(*pairs), code.cast("int")), code.cast("string"))


def recorded_columns(rows: DataFrame, subject: Subject, structures: Iterable[str]) -> list[Expression]:
    wanted = set(structures)
    return [converted(rows, column) for column in subject.columns if column.structure in wanted]


def change_since(current: Expression, before: Expression, bits: int) -> Expression:
    """How much a counter since start went up. A fall is a wrap if the counter was in its upper half and came out in its
    lower, else a restart: then all it shows has happened since."""
    half, whole = 1 << (bits - 1), 1 << bits
    wrapped = (before >= half) & (current < half) & (current + whole - before < half)
    return (
        F.when(before.isNull() | current.isNull(), None)
        .when(current >= before, current - before)
        .when(wrapped, current + whole - before)
        .otherwise(current)
    )


def with_changes(rows: DataFrame, subject: Subject) -> DataFrame:
    """Add `..._change` for counters that run since the start of the queue manager."""
    earlier = Window.partitionBy("system", "qmgr", *subject.keys).orderBy("interval_start")
    for column in subject.columns:
        if column.kind == "cumulative":
            assert column.structure is not None and column.field is not None
            bits = 8 * WIDTHS[structure(column.structure).field(column.field).type]
            before = F.lag(column.name).over(earlier)
            rows = rows.withColumn(f"{column.name}_change", change_since(F.col(column.name), before, bits))
    return rows


def levels(subject: Subject) -> list[list[Column]]:
    """Columns to work out, in rounds: each needs only what was there before its round."""
    waiting = [column for column in subject.columns if column.expression is not None]
    rounds: list[list[Column]] = []
    while waiting:
        names = {column.name for column in waiting}
        ready = [column for column in waiting if not names & set(re.findall(r"[a-z_]\w*", column.expression or ""))]
        assert ready, f"{subject.name}: {sorted(names)} need each other"
        rounds.append(ready)
        done = {column.name for column in ready}
        waiting = [column for column in waiting if column.name not in done]
    return rounds


def with_derived(rows: DataFrame, subject: Subject) -> DataFrame:
    """Add the columns that are worked out, round by round."""
    for ready in levels(subject):
        rows = rows.withColumns({column.name: F.expr(column.expression or "").cast(column.type) for column in ready})
    return rows


def arranged(rows: DataFrame, subject: Subject) -> DataFrame:
    """All columns of the table, in order; what the rows lack is null."""
    return rows.select(
        *(
            (F.col(column.name) if column.name in rows.columns else F.lit(None)).cast(column.type).alias(column.name)
            for column in subject.all_columns
        )
    )
