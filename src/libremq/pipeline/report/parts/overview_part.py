"""The size of what was looked at: queue managers, time, messages; and the dumps it came from."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import functions as F

from libremq.pipeline.report.content import Cell, Column, Overview, Section, Table
from libremq.pipeline.report.parts.source_part import ROWS_MAX, Source, moment, number
from libremq.pipeline.tables import raw


@dataclass(frozen=True, slots=True)
class Looked:
    overview: Overview
    section: Section


def look(source: Source) -> Looked:
    """One job over the overview table, one row for each queue manager."""
    rows = (
        source.table("queue_manager_interval")
        .groupBy("qmgr")
        .agg(
            F.max("system").alias("system"),
            F.count_distinct("system").alias("systems"),
            F.max_by("release", "interval_start").alias("release"),
            F.max("qsg").alias("qsg"),
            F.count(F.lit(1)).alias("intervals"),
            F.unix_micros(F.min("interval_start")).alias("first"),
            F.unix_micros(F.max("interval_end")).alias("last"),
            F.sum("interval_seconds").alias("covered_seconds"),
            F.sum("messages_put").alias("messages_put"),
            F.max("messages_put_per_second").alias("messages_put_per_second"),
            (F.sum("log_bytes") / 1073741824).alias("log_gb"),
            F.sum("channel_messages").alias("channel_messages"),
            F.collect_set("system").alias("names_of_systems"),
        )
        .orderBy(F.desc_nulls_last("messages_put"), "qmgr")
        .collect()
    )
    dumps = raw.dumps(source.root)
    sizes = Overview(
        dumps=len(dumps),
        records=sum(dump.records_decoded for dump in dumps),
        records_quarantined=sum(dump.records_quarantined for dump in dumps),
    )
    if not rows:
        note = "There are no statistics records (SMF 115) with an interval in the tables."
        return Looked(sizes, Section("queue-managers", "Queue managers", notes=(note,)))

    def total(name: str) -> float | None:
        known = [float(row[name]) for row in rows if row[name] is not None]
        return sum(known) if known else None

    whole = Overview(
        queue_managers=len(rows),
        systems=len({system for row in rows for system in row["names_of_systems"]}),
        first=moment(min(row["first"] for row in rows)),
        last=moment(max(row["last"] for row in rows)),
        intervals=sum(row["intervals"] for row in rows),
        messages_put=total("messages_put"),
        log_gb=total("log_gb"),
        channel_messages=total("channel_messages"),
        dumps=sizes.dumps,
        records=sizes.records,
        records_quarantined=sizes.records_quarantined,
    )
    lines: list[tuple[Cell, ...]] = []
    for row in rows[:ROWS_MAX]:
        seconds = (row["last"] - row["first"]) / 1_000_000
        system = row["system"] if row["systems"] <= 1 else f"{row['systems']} systems"
        lines.append(
            (
                row["qmgr"],
                system,
                row["release"],
                row["qsg"],
                row["intervals"],
                moment(row["first"]),
                moment(row["last"]),
                number(min(100.0, 100 * (row["covered_seconds"] or 0) / seconds)) if seconds else None,
                row["messages_put"],
                number(row["messages_put_per_second"]),
                number(row["log_gb"]),
                row["channel_messages"],
            )
        )
    columns = (
        Column("Queue manager"),
        Column("System"),
        Column("Release"),
        Column("Sharing group"),
        Column("Intervals"),
        Column("First", "UTC"),
        Column("Last", "UTC"),
        Column("Time covered", "%"),
        Column("Messages put"),
        Column("Highest rate", "messages/s"),
        Column("Log data", "GB"),
        Column("Channel messages"),
    )
    table = Table("queue-managers-table", "Queue managers", columns, tuple(lines), len(rows))
    return Looked(whole, Section("queue-managers", "Queue managers", tables=(table,)))
