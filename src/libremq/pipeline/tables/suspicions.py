"""Numbers that cannot be: taken out of the conformed tables, and counted, so that no rule, mart or forecast uses them.

A wait longer than the time it was measured in, a share over 100 %, a negative count, the value that stands for
"nothing recorded": each is a `Suspicion`, a condition under which a column of a row is not believed. The column is then
null, the row's `suspicious` names it with the reason, and the raw table keeps what was recorded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from typing import TYPE_CHECKING

from libremq.pipeline.tables.subjects_schema import Column, Subject

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SUSPICIOUS = "suspicious"

NEGATIVE = "negative"
SENTINEL = "the value for nothing recorded"
TOO_MANY = "more in a second than a machine can do"
LONGER = "longer than the time it was measured in"
OVER_THE_WHOLE = "more than there is"
OVER_100 = "share over 100 %"

NOTHING = 0x7FFFFFFF
"""Recorded where there was nothing to record, as in the lowest number of free buffers."""

COUNT_PER_SECOND_MAX = 10_000_000
"""A count of more is one that went below zero and is read as unsigned. Bytes may be as many."""

SLACK = "1.05 + 1000000"
"""Clocks are read one after the other: what took a whole interval may seem to have taken a little more."""

_CALLS_MAY_OVERLAP = ("on_queue", "shortest_on_queue", "longest_on_queue")
"""Messages stay on a queue together, and stayed before the interval began."""

_SIGNED = ("buffers_free_low",)
"""A deficit is shown as negative."""

_WITHIN: dict[tuple[str, str], str] = {
    ("buffer_pool", "stealable_lowest_buffers"): "buffers",
    ("buffer_pool", "stealable_buffers"): "buffers",
    ("page_set", "unused_pages"): "pages",
    ("page_set", "persistent_pages"): "pages",
    ("page_set", "nonpersistent_pages"): "pages",
    ("smds", "used_blocks"): "data_blocks",
    ("smds", "used_blocks_high"): "data_blocks",
}
"""Columns that are a part of another."""

_ONE_TASK = ("dispatcher", "adapter", "ssl_task", "dns", "task_accounting", "queue_accounting")
"""Tables of which a row is about one task: it did one thing at a time, so times in it add up to no more than passed."""

_SHARES = (
    "busy_pct", "cpu_pct", "stealable_lowest_pct", "stealable_pct", "used_pct", "used_high_pct", "persistent_put_pct",
    "already_held_pct", "log_io_busy_pct", "backout_pct", "get_failed_pct", "persistent_pct", "gets_from_disk_pct",
)  # fmt: skip
"""Shares that cannot exceed the whole, as far as the records count both sides alike."""

SHARE_MAX = 105.0


@dataclass(frozen=True, slots=True)
class Suspicion:
    column: str
    condition: str
    """Spark SQL over the columns of the row."""
    reason: str


@cache
def _passed(subject_name: str, grain: str) -> str:
    """Microseconds in which a row was measured."""
    if grain == "task" and subject_name != "task_summary":
        return "(unix_micros(accounting_end) - unix_micros(accounting_start))"
    return "(interval_seconds * 1000000)"


def suspicions(subject: Subject) -> tuple[Suspicion, ...]:
    """What is not believed of recorded columns of the table."""
    found: list[Suspicion] = []
    names = {column.name for column in subject.all_columns}
    for column in subject.columns:
        if column.type != "bigint" or column.source is None or column.rollup or column.name in _SIGNED:
            continue
        whole = _WITHIN.get((subject.name, column.name))
        if column.kind == "low":
            found.append(Suspicion(column.name, f"{column.name} = {NOTHING}", SENTINEL))
        if whole and whole in names:
            found.append(Suspicion(column.name, f"{column.name} > {whole}", OVER_THE_WHOLE))
        if column.kind in ("high", "low", "duration", "cumulative") or (column.kind == "gauge" and whole):
            found.append(Suspicion(column.name, f"{column.name} < 0", NEGATIVE))
        if column.kind == "counter":
            found += _of_count(column, subject)
        if column.name.endswith("_us") and column.kind in ("high", "duration"):
            found += _of_time(column, subject)
    return tuple(found)


def _of_count(column: Column, subject: Subject) -> list[Suspicion]:
    found = [Suspicion(column.name, f"{column.name} < 0", NEGATIVE)]
    if subject.grain == "interval" and "bytes" not in column.name:
        condition = f"{column.name} > greatest(interval_seconds, 1) * {COUNT_PER_SECOND_MAX}"
        found.append(Suspicion(column.name, condition, TOO_MANY))
    return found


def _of_time(column: Column, subject: Subject) -> list[Suspicion]:
    single = "longest" in column.name or subject.name in _ONE_TASK
    if not single or column.name.startswith(_CALLS_MAY_OVERLAP) or subject.name == "task_summary":
        return []
    passed = _passed(subject.name, subject.grain)
    return [Suspicion(column.name, f"{column.name} > {passed} * {SLACK}", LONGER)]


def derived_suspicions(subject: Subject) -> tuple[Suspicion, ...]:
    """The same of columns that were worked out."""
    found = [
        Suspicion(column.name, f"{column.name} > {SHARE_MAX}", OVER_100)
        for column in subject.columns
        if column.expression is not None and column.name in _SHARES
    ]
    if subject.name == "task_accounting":
        passed = _passed(subject.name, subject.grain)
        found += [
            Suspicion(name, f"{name} > {passed} * {SLACK}", LONGER)
            for name in ("latch_wait_us", "shared_open_latch_us", "largest_latch_wait_us")
        ]
    return tuple(found)


def without_suspicious(rows: DataFrame, found: Sequence[Suspicion]) -> DataFrame:
    """The rows with such values null and named in `suspicious`."""
    from pyspark.sql import functions as F

    there = set(rows.columns)
    by_column: dict[str, list[Suspicion]] = {}
    for each in found:
        if {each.column, *_names(each.condition)} & there == {each.column, *_names(each.condition)}:
            by_column.setdefault(each.column, []).append(each)
    if not by_column:
        return rows
    reasons = {
        name: "CASE " + " ".join(f"WHEN {each.condition} THEN '{name}: {each.reason}'" for each in several) + " END"
        for name, several in by_column.items()
    }
    named = f"array_compact(array({', '.join(reasons.values())}))"
    before = f"coalesce({SUSPICIOUS}, array())" if SUSPICIOUS in there else "CAST(array() AS array<string>)"
    bad = {name: " OR ".join(f"({each.condition})" for each in several) for name, several in by_column.items()}
    kinds = dict(rows.dtypes)
    cleaned = {name: F.expr(f"IF({bad[name]}, CAST(NULL AS {kinds[name]}), `{name}`)") for name in by_column}
    return rows.withColumns({**cleaned, SUSPICIOUS: F.expr(f"concat({before}, {named})")})


@dataclass(frozen=True, slots=True)
class Suspect:
    """Values of one column that were not believed, with the reason and how many there were."""

    table: str
    column: str
    reason: str
    values: int


def suspects(tables: Mapping[str, DataFrame]) -> list[Suspect]:
    """All values that were taken out of these tables, most first; one job."""
    from pyspark.sql import functions as F

    parts = [
        rows.where(F.size(SUSPICIOUS) > 0).select(F.lit(name).alias("table"), F.explode(SUSPICIOUS).alias("what"))
        for name, rows in tables.items()
    ]
    if not parts:
        return []
    together = reduce(lambda one, other: one.unionAll(other), parts)
    found = []
    for row in together.groupBy("table", "what").agg(F.count(F.lit(1)).alias("values")).collect():
        column, _, reason = row["what"].partition(": ")
        found.append(Suspect(row["table"], column, reason, row["values"]))
    return sorted(found, key=lambda each: (-each.values, each.table, each.column))


def _names(condition: str) -> set[str]:
    functions = {"unix_micros", "greatest"}
    return set(re.findall(r"[a-z_]\w*", condition)) - functions
