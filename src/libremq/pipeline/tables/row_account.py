"""Where the rows of each raw table went: counted in the tables themselves, not taken from what the build says.

    for line in accounts(spark, root):
        print(line.structure, line.table, line.raw, line.copies, line.conformed, line.missing)

Rows of a structure that makes rows of its own are counted one for one; where several structures make one row, those
that hold something of each. A structure that only adds columns to rows of another (who a task was, beside what it did)
is counted by the structure that it stands beside.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from libremq.pipeline.tables.subjects import SUBJECTS, Subject

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COPIES = "copies of records that another dump, or the same interval, has already"


@dataclass(frozen=True, slots=True)
class RowAccount:
    """The rows of one structure, and what became of them in one table."""

    structure: str
    table: str
    raw: int
    copies: int
    """Left out because the same record is there already."""
    conformed: int

    @property
    def missing(self) -> int:
        """Rows that are neither there nor accounted for. Anything but 0 is an error of this program."""
        return self.raw - self.copies - self.conformed


def makers(subject: Subject) -> Sequence[str]:
    """The structures whose rows make rows of the table. Of a task, the others stand beside in the same row."""
    return subject.structures[:1] if subject.grain == "task" else subject.structures


def accounts(spark: SparkSession, root: str | os.PathLike[str]) -> list[RowAccount]:
    """A line for each structure that makes rows and was recorded."""
    from libremq.pipeline.tables import conformed, raw

    held: dict[tuple[str, str], DataFrame] = {}
    for subject in SUBJECTS.values():
        there = conformed.table(spark, root, subject.name)
        for structure in makers(subject):
            if len(makers(subject)) > 1:
                # Rows of several structures are one row: those that hold something of this one.
                own = [column.name for column in subject.columns if column.structure == structure]
                there = conformed.table(spark, root, subject.name)
                there = there.where(" or ".join(f"`{name}` is not null" for name in own))
            held[subject.name, structure] = there
    recorded = {structure: raw.read(spark, root, structure) for _, structure in held}
    counted = _counts({**{f"raw.{name}": rows for name, rows in recorded.items()},
                       **{f"{table}.{name}": rows for (table, name), rows in held.items()}})  # fmt: skip
    lines = []
    for table, structure in held:
        rows, kept = counted[f"raw.{structure}"], counted[f"{table}.{structure}"]
        if rows:
            copies = 0 if kept == rows else rows - _different(recorded[structure], SUBJECTS[table])
            lines.append(RowAccount(structure, table, rows, copies, kept))
    return lines


def _counts(frames: Mapping[str, DataFrame]) -> dict[str, int]:
    """Rows of each, in one job."""
    from pyspark.sql import functions as F

    parts = [rows.agg(F.lit(name).alias("name"), F.count(F.lit(1)).alias("rows")) for name, rows in frames.items()]
    return {row["name"]: row["rows"] for row in reduce(lambda one, other: one.unionAll(other), parts).collect()}


def _different(recorded: DataFrame, subject: Subject) -> int:
    """How many rows are no copies."""
    from pyspark.sql import functions as F

    aside = {"source_file", "source_offset", "day"}
    if subject.grain == "interval":
        aside |= {"smf_time", "section_index"}
    content = [name for name in recorded.columns if name not in aside]
    # What has no interval of its own is told apart by its time: an idle queue manager records the same again and again.
    when = F.coalesce("interval_start", "smf_time")
    marked = recorded.withColumn("_content", F.xxhash64(when, *content))
    if subject.grain == "interval":
        return marked.select("qmgr", "_content").distinct().count()
    # As often as the dump has it that has it most often.
    each = marked.groupBy("qmgr", "_content", "source_file").agg(F.countDistinct("source_offset").alias("times"))
    most = each.groupBy("qmgr", "_content").agg(F.max("times").alias("times"))
    return int(most.agg(F.sum("times")).collect()[0][0] or 0)
