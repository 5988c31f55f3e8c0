"""Top queues and applications: where the messages and the processor time go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.window import Window

from libremq.pipeline.report.content import BarChart, Bars, Cell, Chart, Column, Section, Table
from libremq.pipeline.report.parts.source_part import ROWS_MAX, Source, number, rows_in_all
from libremq.pipeline.report.wording import rounded

if TYPE_CHECKING:
    from pyspark.sql import Row

BARS_MAX = 15

_WORDS = {
    "accounting": "task accounting (SMF 116 class 3)",
    "statistics": "queue statistics (SMF 115 class 5)",
}


def look_at_queues(source: Source) -> Section:
    """Figures come from accounting or from statistics. They count the same messages, so the fuller of them is taken."""
    of_basis = Window.partitionBy("basis")
    rows = (
        source.mart("top_queues")
        .groupBy("qmgr", "queue", "basis")
        .agg(
            F.sum("messages_put").alias("put"),
            F.sum("messages_got").alias("got"),
            F.sum("messages").alias("messages"),
            (F.sum(F.coalesce("bytes_put", F.lit(0)) + F.coalesce("bytes_got", F.lit(0))) / 1048576).alias("mb"),
            F.sum("mqi_cpu_us").alias("cpu_us"),
            F.max("depth_high").alias("depth"),
            F.max("longest_on_queue_us").alias("longest_us"),
            F.max("shared").alias("shared"),
        )
        .withColumns(
            {
                "all_messages": F.sum("messages").over(of_basis),
                "all_cpu_us": F.sum("cpu_us").over(of_basis),
                "in_all": F.count(F.lit(1)).over(of_basis),
                "by_messages": F.row_number().over(of_basis.orderBy(F.desc_nulls_last("messages"), "qmgr", "queue")),
                "by_cpu": F.row_number().over(of_basis.orderBy(F.desc_nulls_last("cpu_us"), "qmgr", "queue")),
            }
        )
        .where((F.col("by_messages") <= ROWS_MAX) | (F.col("by_cpu") <= BARS_MAX))
        .collect()
    )
    if not rows:
        note = (
            "No queue records: switch on statistics class 5 (from 9.3) or accounting class 3 to see which queues are"
            " used most."
        )
        return Section("queues", "Top queues", notes=(note,))
    basis = max(rows, key=lambda row: row["all_messages"] or 0)["basis"]
    chosen = sorted((row for row in rows if row["basis"] == basis), key=lambda row: row["by_messages"])
    charts: list[Chart] = []
    busiest = [row for row in chosen if row["messages"]][:BARS_MAX]
    if busiest:
        charts.append(
            BarChart(
                "top-queues",
                "Queues by messages",
                _share(busiest, "messages", "all_messages", "messages") + f" Counted by {_WORDS[basis]}.",
                "messages",
                tuple(_name(row) for row in busiest),
                (
                    Bars("put", tuple(number(row["put"]) for row in busiest)),
                    Bars("got", tuple(number(row["got"]) for row in busiest)),
                ),
            )
        )
    dearest = sorted((row for row in rows if row["cpu_us"]), key=lambda row: row["by_cpu"])[:BARS_MAX]
    if dearest:
        charts.append(
            BarChart(
                "top-queues-processor",
                "Queues by processor time of their calls",
                _share(dearest, "cpu_us", "all_cpu_us", "processor time"),
                "seconds",
                tuple(_name(row) for row in dearest),
                (Bars("processor time", tuple(row["cpu_us"] / 1_000_000 for row in dearest)),),
            )
        )
    notes = () if dearest else ("No processor time by queue: that needs accounting class 3 (SMF 116).",)
    return Section("queues", "Top queues", tuple(charts), (_queue_table(chosen[:ROWS_MAX], rows),), notes)


def _name(row: Row) -> str:
    return f"{row['qmgr']} {row['queue']}"


def _share(rows: Sequence[Row], figure: str, total: str, what: str) -> str:
    first = rows[0]
    share = 100 * (first[figure] or 0) / (first[total] or 1)
    top = 100 * sum(row[figure] or 0 for row in rows) / (first[total] or 1)
    return (
        f"{first['queue']} on {first['qmgr']} has {share:.0f} % of the {what}; the {len(rows)} queues shown have"
        f" {top:.0f} %."
    )


def _queue_table(rows: Sequence[Row], known: Sequence[Row]) -> Table:
    """Rows of the fuller basis; what only accounting tells comes from there, as far as it was fetched."""
    accounted = {(row["qmgr"], row["queue"]): row for row in known if row["basis"] == "accounting"}
    columns = (
        Column("Queue manager"),
        Column("Queue"),
        Column("Shared"),
        Column("Messages put"),
        Column("Messages got"),
        Column("Data", "MB"),
        Column("Deepest", "messages"),
        Column("Longest on queue", "s"),
        Column("Processor time", "s"),
        Column("Processor time a message", "µs"),
    )
    cells: list[tuple[Cell, ...]] = []
    for row in rows:
        told = accounted.get((row["qmgr"], row["queue"]))
        cells.append(
            (
                row["qmgr"],
                row["queue"],
                row["shared"],
                row["put"],
                row["got"],
                number(row["mb"]),
                row["depth"],
                _seconds(told["longest_us"]) if told else None,
                _seconds(told["cpu_us"]) if told else None,
                told["cpu_us"] / told["messages"] if told and told["cpu_us"] and told["messages"] else None,
            )
        )
    note = "The last three columns are of the tasks that were accounted for (SMF 116 class 3)." if accounted else ""
    return Table(
        "queues-table", "Queues, those with most messages first", columns, tuple(cells), rows[0]["in_all"], note
    )


def look_at_applications(source: Source) -> Section:
    rows = (
        source.mart("top_tasks")
        .groupBy("qmgr", "application_type", "task_name", "user_id")
        .agg(
            F.sum("tasks").alias("tasks"),
            F.sum("cpu_us").alias("cpu_us"),
            F.sum("elapsed_us").alias("elapsed_us"),
            F.sum("messages").alias("messages"),
            F.sum("commits").alias("commits"),
            F.sum("backouts").alias("backouts"),
            (F.sum("log_write_bytes") / 1048576).alias("log_mb"),
            F.sum("latch_wait_us").alias("latch_us"),
        )
        .select("*", rows_in_all(), F.sum("cpu_us").over(Window.partitionBy()).alias("all_cpu_us"))
        .orderBy(F.desc_nulls_last("cpu_us"), "qmgr", "task_name", "user_id")
        .limit(ROWS_MAX)
        .collect()
    )
    tables = [_cost(source)]
    if not rows:
        note = "No task records (SMF 116/1): switch on accounting class 3 to see applications."
        return Section("applications", "Applications", tables=tuple(table for table in tables if table), notes=(note,))
    dearest = [row for row in rows if row["cpu_us"]][:BARS_MAX]
    charts: list[Chart] = []
    if dearest:
        first = dearest[0]
        charts.append(
            BarChart(
                "top-applications",
                "Applications by processor time in MQI calls",
                f"{_task(first)} on {first['qmgr']} used {first['cpu_us'] / 1_000_000:,.1f} s,"
                f" {100 * first['cpu_us'] / (first['all_cpu_us'] or 1):.0f} % of all,"
                f" for {rounded(first['messages'] or 0)} messages.",
                "seconds",
                tuple(f"{row['qmgr']} {_task(row)}" for row in dearest),
                (Bars("processor time", tuple(row["cpu_us"] / 1_000_000 for row in dearest)),),
            )
        )
    columns = (
        Column("Queue manager"),
        Column("Type"),
        Column("Application"),
        Column("User"),
        Column("Tasks"),
        Column("Processor time", "s"),
        Column("Elapsed in calls", "s"),
        Column("Messages"),
        Column("Commits"),
        Column("Backouts"),
        Column("Log data", "MB"),
        Column("Waits for latches", "s"),
    )
    cells: list[tuple[Cell, ...]] = [
        (
            row["qmgr"],
            row["application_type"],
            row["task_name"],
            row["user_id"],
            row["tasks"],
            _seconds(row["cpu_us"]),
            _seconds(row["elapsed_us"]),
            row["messages"],
            row["commits"],
            row["backouts"],
            number(row["log_mb"]),
            _seconds(row["latch_us"]),
        )
        for row in rows
    ]
    tables.insert(0, Table("tasks", "Applications, the dearest first", columns, tuple(cells), rows[0]["in_all"]))
    return Section("applications", "Applications", tuple(charts), tuple(table for table in tables if table))


def _task(row: Row) -> str:
    return " ".join(part for part in (row["task_name"], row["user_id"]) if part) or row["application_type"] or "a task"


def _cost(source: Source) -> Table | None:
    rows = (
        source.mart("cost")
        .groupBy("qmgr", "basis", "application_type")
        .agg(
            F.sum("cpu_us").alias("cpu_us"), F.sum("messages").alias("messages"), F.sum("transactions").alias("commits")
        )
        .select("*", rows_in_all())
        .orderBy(F.desc_nulls_last("cpu_us"), "qmgr", "basis", "application_type")
        .limit(ROWS_MAX)
        .collect()
    )
    if not rows:
        return None
    columns = (
        Column("Queue manager"),
        Column("Measured by"),
        Column("Type"),
        Column("Processor time", "s"),
        Column("Messages"),
        Column("Commits"),
        Column("A message", "µs"),
        Column("A commit", "µs"),
    )
    cells = tuple(
        (
            row["qmgr"],
            row["basis"],
            row["application_type"],
            _seconds(row["cpu_us"]),
            row["messages"],
            row["commits"],
            row["cpu_us"] / row["messages"] if row["cpu_us"] and row["messages"] else None,
            row["cpu_us"] / row["commits"] if row["cpu_us"] and row["commits"] else None,
        )
        for row in rows
    )
    note = "Rows of different measures cover the same work in part: do not add them up."
    return Table("cost", "What a message costs", columns, cells, rows[0]["in_all"], note)


def _seconds(micros: int | None) -> float | None:
    return None if micros is None else float(micros) / 1_000_000
