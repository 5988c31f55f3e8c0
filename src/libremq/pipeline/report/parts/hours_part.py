"""When the work is done: messages by hour and day, by hour and weekday, and the busiest intervals of all."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

from pyspark.sql import functions as F
from pyspark.sql.window import Window

from libremq.pipeline.report.content import Column, HeatMap, Section, Table
from libremq.pipeline.report.parts.source_part import Source, moment, number
from libremq.pipeline.report.wording import counted, rounded, titled

DAYS_MAX = 31
"""Days in the map by day: the last ones."""

HISTORY_DAYS_MAX = 400
"""Days that the map by weekday is made of."""

INTERVALS_OF_MEASURE = 5

_ID, _TITLE = "hours", "Hours and days"
_HOURS = tuple(f"{hour:02d}" for hour in range(24))
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def look(source: Source) -> Section:
    rows = (
        source.mart("hour_profile")
        .where("messages_put is not null")
        .groupBy("local_day", "local_hour")
        .agg(F.sum("messages_put").alias("messages"))
        .withColumn("last_day", F.max("local_day").over(Window.partitionBy()))
        .where(F.date_diff("last_day", "local_day") < HISTORY_DAYS_MAX)
        .collect()
    )
    table = _busiest(source)
    tables = (table,) if table else ()
    if not rows:
        return Section(_ID, _TITLE, tables=tables, notes=("No message counts by hour (QMST of SMF 115).",))
    amounts = {(row["local_day"], row["local_hour"]): float(row["messages"]) for row in rows}
    charts = [_by_day(amounts)]
    days = {day for day, _ in amounts}
    if len({day.weekday() for day in days}) > 1 and len(days) >= 7:
        charts.append(_by_weekday(amounts))
    return Section(_ID, _TITLE, tuple(charts), tables)


def _by_day(amounts: Mapping[tuple[date, int], float]) -> HeatMap:
    earliest, last = min(day for day, _ in amounts), max(day for day, _ in amounts)
    first = max(earliest, last - timedelta(days=DAYS_MAX - 1))
    days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    (day, hour), most = max(
        (item for item in amounts.items() if item[0][0] >= first), key=lambda item: (item[1], item[0])
    )
    of_these = f" of the last {counted(len(days), 'day')}" if first > earliest else ""
    return HeatMap(
        "messages-by-day",
        "Messages put by hour and day",
        f"The fullest hour{of_these} was {day:%A} {day.day} {day:%B} from {hour:02d}:00 with {rounded(most)} messages"
        " (local time of the systems).",
        "messages",
        tuple(f"{each:%a} {each.day} {each:%b}" for each in days),
        _HOURS,
        tuple(tuple(amounts.get((each, hour)) for hour in range(24)) for each in days),
    )


def _by_weekday(amounts: Mapping[tuple[date, int], float]) -> HeatMap:
    gathered: dict[tuple[int, int], list[float]] = {}
    for (day, hour), amount in amounts.items():
        gathered.setdefault((day.weekday(), hour), []).append(amount)
    means = {place: sum(values) / len(values) for place, values in gathered.items()}
    (weekday, hour), most = max(means.items(), key=lambda item: (item[1], item[0]))
    quiet = min(means.values())
    ratio = f", {rounded(most / quiet)} times the quietest" if quiet > 0 else ""
    return HeatMap(
        "messages-by-weekday",
        "Messages put in a usual week",
        f"Usually {_WEEKDAYS[weekday]} from {hour:02d}:00 is fullest with {rounded(most)} messages{ratio}.",
        "messages",
        _WEEKDAYS,
        _HOURS,
        tuple(tuple(means.get((weekday, hour)) for hour in range(24)) for weekday in range(7)),
    )


def _busiest(source: Source) -> Table | None:
    of_measure = Window.partitionBy("measure").orderBy(F.desc("per_second"), "qmgr", "interval_start")
    rows = (
        source.mart("busiest_intervals")
        .withColumn("place", F.row_number().over(of_measure))
        .where(F.col("place") <= INTERVALS_OF_MEASURE)
        .select("measure", "place", "qmgr", F.unix_micros("interval_start").alias("at"), "per_second", "times_median")
        .orderBy("measure", "place")
        .collect()
    )
    if not rows:
        return None
    columns = (
        Column("Measure"),
        Column("Place"),
        Column("Queue manager"),
        Column("Interval", "UTC"),
        Column("Rate", "a second"),
        Column("Times the median of its day"),
    )
    cells = tuple(
        (
            titled(row["measure"].replace("_", "-")),
            row["place"],
            row["qmgr"],
            moment(row["at"]),
            number(row["per_second"]),
            number(row["times_median"]),
        )
        for row in rows
    )
    return Table("busiest", "Busiest intervals by measure", columns, cells, len(cells))
