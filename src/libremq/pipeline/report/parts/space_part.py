"""Space for messages: page sets, coupling-facility structures and their data sets."""

from __future__ import annotations

from pyspark.sql import functions as F

from libremq.pipeline.report.content import Column, LineChart, Section, Table
from libremq.pipeline.report.parts.source_part import ROWS_MAX, Source, more_series, number, rows_in_all
from libremq.pipeline.report.wording import day_and_time

_ID, _TITLE = "space", "Page sets and structures"


def look(source: Source) -> Section:
    page_sets = source.table("page_set")
    name = F.concat("qmgr", F.lit(" page set "), F.col("page_set").cast("string"))
    drawn = source.series(page_sets, name, "used_pct", "high")
    charts, notes = [], []
    if drawn.lines and drawn.worst_at is not None:
        charts.append(
            LineChart(
                "page-sets-used",
                "Page sets in use",
                f"{drawn.lines[0].name} was fullest, {drawn.worst:.1f} % on {day_and_time(drawn.worst_at)} UTC."
                + more_series(drawn, "page sets"),
                "% of the pages",
                drawn.lines,
                source.limit("page-set-expanding", "expands above"),
            )
        )
    else:
        notes.append("No page set records (QIS1 of SMF 115, from 9.0): how full the page sets are is not known.")
    tables = [table for table in (_page_sets(source), _structures(source)) if table]
    return Section(_ID, _TITLE, tuple(charts), tuple(tables), tuple(notes))


def _page_sets(source: Source) -> Table | None:
    rows = (
        source.table("page_set")
        .groupBy("qmgr", "page_set")
        .agg(
            F.max_by("buffer_pool", "interval_start").alias("pool"),
            F.max_by("size_mb", "interval_start").alias("size_mb"),
            F.max("used_pct").alias("highest"),
            F.max_by("used_pct", "interval_start").alias("last"),
            F.max_by("nonpersistent_pct", "interval_start").alias("nonpersistent"),
            F.sum("expansions_change").alias("expansions"),
            F.sum("full_events").alias("full"),
            F.try_divide(F.sum("read_us"), F.sum("read_ios")).alias("read_us"),
        )
        .select("*", rows_in_all())
        .orderBy(F.desc_nulls_last("highest"), "qmgr", "page_set")
        .limit(ROWS_MAX)
        .collect()
    )
    if not rows:
        return None
    columns = (
        Column("Queue manager"),
        Column("Page set"),
        Column("Pool"),
        Column("Size", "MB"),
        Column("Used at most", "%"),
        Column("Used at the end", "%"),
        Column("Nonpersistent at the end", "%"),
        Column("Expansions"),
        Column("Times full"),
        Column("Mean read", "µs"),
    )
    cells = tuple(
        (
            row["qmgr"],
            row["page_set"],
            row["pool"],
            *(number(row[name]) for name in ("size_mb", "highest", "last", "nonpersistent")),
            row["expansions"],
            row["full"],
            number(row["read_us"]),
        )
        for row in rows
    )
    return Table("page-sets", "Page sets, the fullest first", columns, cells, rows[0]["in_all"])


def _structures(source: Source) -> Table | None:
    data_sets = source.table("smds").groupBy("qmgr", "cf_structure").agg(F.max("used_high_pct").alias("data_set_pct"))
    rows = (
        source.table("cf_structure")
        .groupBy("qmgr", "cf_structure")
        .agg(
            F.sum("calls").alias("calls"),
            F.try_divide(F.sum("single_call_us"), F.sum("single_calls")).alias("single_us"),
            F.try_divide(F.sum("multiple_call_us"), F.sum("multiple_calls")).alias("multiple_us"),
            F.try_divide(100.0 * F.sum("redrives"), F.sum("calls")).alias("redrive_pct"),
            F.sum("structure_full_events").alias("full"),
            F.max("entries_used_high").alias("entries"),
            F.max("elements_used_high").alias("elements"),
        )
        .join(data_sets, ["qmgr", "cf_structure"], "left")
        .select("*", rows_in_all())
        .orderBy(F.desc_nulls_last("calls"), "qmgr", "cf_structure")
        .limit(ROWS_MAX)
        .collect()
    )
    if not rows:
        return None
    columns = (
        Column("Queue manager"),
        Column("Structure"),
        Column("Calls"),
        Column("Single call", "µs"),
        Column("Multiple call", "µs"),
        Column("Driven again", "%"),
        Column("Times full"),
        Column("Entries at most"),
        Column("Elements at most"),
        Column("Message data set at most", "%"),
    )
    cells = tuple(
        (
            row["qmgr"],
            row["cf_structure"],
            row["calls"],
            *(number(row[name]) for name in ("single_us", "multiple_us", "redrive_pct")),
            *(row[name] for name in ("full", "entries", "elements")),
            number(row["data_set_pct"]),
        )
        for row in rows
    )
    return Table("structures", "Coupling-facility structures, the busiest first", columns, cells, rows[0]["in_all"])
