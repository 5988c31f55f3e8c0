"""The channel initiator: how busy its tasks were, how much storage and how many channels, and the busiest channels."""

from __future__ import annotations

from pyspark.sql import functions as F

from libremq.pipeline.plain_text import shown
from libremq.pipeline.report.content import Cell, Column, LineChart, Section, Table
from libremq.pipeline.report.parts.source_part import ROWS_MAX, Series, Source, more_series, number, rows_in_all
from libremq.pipeline.report.wording import day_and_time

_ID, _TITLE = "channel-initiator", "Channel initiator"
_TASKS = {
    "dispatcher_busiest_pct": "dispatcher",
    "adapter_busiest_pct": "adapter",
    "ssl_task_busiest_pct": "TLS task",
}
_SHARES = {
    "active_channels_pct": "active channels",
    "current_channels_pct": "current channels",
    "storage_64_pct": "64-bit storage",
}


def look(source: Source) -> Section:
    initiators = source.table("channel_initiator")
    table = _limits_table(source)
    tasks = _series_of(source, "queue_manager_interval", _TASKS)
    storage = source.series(initiators, F.col("qmgr"), "storage_31_mb", "high")
    shares = _series_of(source, "channel_initiator", _SHARES)
    charts, notes = [], []
    if tasks.lines:
        charts.append(
            LineChart(
                "initiator-tasks",
                "Busiest dispatcher, adapter and TLS task",
                f"Busiest of all: {tasks.lines[0].name} with {_peak(tasks, '%')}." + more_series(tasks, "series"),
                "% of the interval",
                tasks.lines,
                source.limit("dispatcher-saturated", "dispatchers saturated above"),
            )
        )
    if storage.lines:
        charts.append(
            LineChart(
                "initiator-storage",
                "31-bit storage of the channel initiator",
                f"{storage.lines[0].name} used most, {_peak(storage, 'MB')}." + more_series(storage, "queue managers"),
                "MB",
                storage.lines,
            )
        )
    if shares.lines:
        charts.append(
            LineChart(
                "initiator-limits",
                "Channels and 64-bit storage against what is allowed",
                f"Nearest to its limit: {shares.lines[0].name} with {_peak(shares, '%')}."
                + more_series(shares, "series"),
                "% of the limit",
                shares.lines,
                source.limit("chinit-channels-near-maximum", "near the maximum above"),
            )
        )
    if not charts:
        notes.append("No channel initiator records (SMF 115/231): switch on statistics class 4 to have them.")
    channels = _channels(source)
    if channels is None:
        notes.append("No channel records (SMF 116/10): switch on accounting class 4 to see single channels.")
    return Section(_ID, _TITLE, tuple(charts), tuple(each for each in (table, channels) if each), tuple(notes))


def _series_of(source: Source, table: str, columns: dict[str, str]) -> Series:
    """One series for each queue manager and column."""
    long = source.table(table).unpivot(
        ["qmgr", "interval_start"], [F.col(name).cast("double").alias(name) for name in columns], "what", "value"
    )
    word = F.create_map(*(F.lit(text) for pair in columns.items() for text in pair))
    return source.series(long, F.concat("qmgr", F.lit(" "), word[F.col("what")]), "value", "high")


def _peak(series: Series, unit: str) -> str:
    assert series.worst_at is not None
    figure = f"{series.worst:.0f}" if unit == "%" else shown(series.worst)
    return f"{figure} {unit} on {day_and_time(series.worst_at)} UTC"


def _limits_table(source: Source) -> Table | None:
    rows = (
        source.table("channel_initiator")
        .groupBy("qmgr")
        .agg(
            F.max("current_channels_high").alias("current"),
            F.max("current_channels_limit").alias("current_limit"),
            F.max("active_channels_high").alias("active"),
            F.max("active_channels_limit").alias("active_limit"),
            F.max("active_channels_pct").alias("active_pct"),
            F.max("storage_31_mb").alias("storage"),
            F.max("storage_64_pct").alias("storage_64"),
        )
        .select("*", rows_in_all())
        .orderBy(F.desc_nulls_last("active_pct"), "qmgr")
        .limit(ROWS_MAX)
        .collect()
    )
    if not rows:
        return None
    columns = (
        Column("Queue manager"),
        Column("Current channels at most"),
        Column("MAXCHL"),
        Column("Active channels at most"),
        Column("ACTCHL"),
        Column("Active", "% of ACTCHL"),
        Column("31-bit storage at most", "MB"),
        Column("64-bit storage at most", "% of its limit"),
    )
    names = ("current", "current_limit", "active", "active_limit")
    cells = tuple(
        (
            row["qmgr"],
            *(row[name] for name in names),
            *(number(row[name]) for name in ("active_pct", "storage", "storage_64")),
        )
        for row in rows
    )
    return Table("initiators", "Channel initiators", columns, cells, rows[0]["in_all"])


def _channels(source: Source) -> Table | None:
    rows = (
        source.table("channel")
        .groupBy("qmgr", "channel")
        .agg(
            F.max("channel_type").alias("type"),
            F.count_distinct("connection_name").alias("partners"),
            F.max("tls").alias("tls"),
            F.sum("messages").alias("messages"),
            F.sum(F.coalesce("bytes_sent", F.lit(0)) + F.coalesce("bytes_received", F.lit(0))).alias("bytes"),
            F.max("messages_per_second").alias("rate"),
            F.try_divide(F.sum("messages"), F.sum("batches")).alias("per_batch"),
            F.max("batch_size").alias("batch_size"),
            F.sum("put_retries").alias("retries"),
        )
        .select("*", rows_in_all())
        .orderBy(F.desc_nulls_last("messages"), "qmgr", "channel")
        .limit(ROWS_MAX)
        .collect()
    )
    if not rows:
        return None
    columns = (
        Column("Queue manager"),
        Column("Channel"),
        Column("Type"),
        Column("Partners"),
        Column("TLS"),
        Column("Messages"),
        Column("Data", "MB"),
        Column("Highest rate of an instance", "messages/s"),
        Column("Messages in a batch"),
        Column("BATCHSZ"),
        Column("Put retries"),
    )
    cells: list[tuple[Cell, ...]] = [
        (
            row["qmgr"],
            row["channel"],
            row["type"],
            row["partners"],
            row["tls"],
            row["messages"],
            (row["bytes"] or 0) / 1048576,
            number(row["rate"]),
            number(row["per_batch"]),
            row["batch_size"],
            row["retries"],
        )
        for row in rows
    ]
    return Table("channels", "Busiest channels", columns, tuple(cells), rows[0]["in_all"])
