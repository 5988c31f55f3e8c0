"""What the records are: kinds of intervals, values that were not believed, and where every row went."""

from __future__ import annotations

from pyspark.sql import functions as F

from libremq.pipeline.plain_text import shown
from libremq.pipeline.report.content import Column, Section, Table
from libremq.pipeline.report.parts.source_part import ROWS_MAX, Source
from libremq.pipeline.tables.conformed_intervals import INTERVAL_KINDS
from libremq.pipeline.tables.row_account import COPIES, accounts
from libremq.pipeline.tables.subjects import SUBJECTS
from libremq.pipeline.tables.suspicions import suspects

_ID, _TITLE = "records", "What the records are"


def look(source: Source) -> Section:
    tables = [table for table in (_kinds(source), _suspicious(source)) if table]
    tables += _rows(source)
    return Section(_ID, _TITLE, (), tuple(tables), () if tables else ("There are no records.",))


def _kinds(source: Source) -> Table | None:
    """Intervals of each queue manager by kind, with their length: what is not normal tells no rates."""
    rows = (
        source.table("queue_manager_interval")
        .groupBy("qmgr", F.coalesce("interval_kind", F.lit("not placed")).alias("kind"))
        .agg(
            F.count(F.lit(1)).alias("intervals"),
            F.min("interval_seconds").alias("shortest"),
            F.max("interval_seconds").alias("longest"),
        )
        .orderBy("qmgr", "kind")
        .collect()
    )
    odd = {row["qmgr"] for row in rows if row["kind"] in INTERVAL_KINDS and row["kind"] != "normal"}
    listed = [row for row in rows if row["qmgr"] in odd and row["kind"] in INTERVAL_KINDS]
    if not listed:
        return None
    columns = (Column("Queue manager"), Column("Kind"), Column("Intervals"), Column("Shortest", "s"))
    cells = tuple((row["qmgr"], row["kind"], row["intervals"], row["shortest"], row["longest"]) for row in listed)
    return Table(
        "interval-kinds",
        "Intervals that are not normal, beside those that are",
        (*columns, Column("Longest", "s")),
        cells[:ROWS_MAX],
        len(cells),
        "Rules about rates and shares look at neither start-up nor shut-down intervals, nor at shorter ones than they"
        " need. Their records are in the tables all the same.",
    )


def _suspicious(source: Source) -> Table | None:
    found = suspects({name: source.table(name) for name in SUBJECTS if name != "queue_manager_interval"})
    if not found:
        return None
    return Table(
        "suspicious-values",
        "Values that cannot be",
        (Column("Table"), Column("Column"), Column("Why"), Column("Values")),
        tuple((each.table, each.column, each.reason, each.values) for each in found[:ROWS_MAX]),
        len(found),
        f"{shown(sum(each.values for each in found))} values are left out of tables, rules and forecasts; the raw"
        " tables keep them.",
    )


def _rows(source: Source) -> list[Table]:
    """Where the rows went: one line for all where nothing was left out, else one for each structure with copies."""
    lines = accounts(source.spark, source.root)
    if not lines:
        return []
    apart = [line for line in lines if line.copies or line.missing]
    rows = [(line.structure.upper(), line.table, line.raw, line.copies, line.conformed, line.missing) for line in apart]
    whole = [line for line in lines if line not in apart]
    total = sum(line.raw for line in whole)
    rows.append((f"{len(whole)} {'others' if apart else 'structures'}", "theirs", total, 0, total, 0))
    columns = ("Structure", "Table", "Rows recorded", "Copies left out", "Rows in the table", "Missing")
    note = f"Copies are {COPIES}. A missing row would be an error of this program."
    return [
        Table(
            "row-account", "Where the rows went", tuple(map(Column, columns)), tuple(rows[:ROWS_MAX]), len(rows), note
        )
    ]
