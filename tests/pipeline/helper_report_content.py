"""A report made by hand, as a site of three queue managers over a week would give it. Names in it are hostile."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from libremq.pipeline.report.content import (
    BarChart,
    Bars,
    Column,
    Concerned,
    Coverage,
    FindingGroup,
    Found,
    HeatMap,
    Limit,
    Line,
    LineChart,
    Missing,
    Overview,
    Report,
    Section,
    Table,
)
from libremq.pipeline.report.words import summary

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
HOSTILE = "</script><img src=x onerror=alert(1)>|`*\x00\u202e{{ 7*7 }}"
"""What someone may call a queue if he wants to run a script, break a table or turn a line around."""

TIMES = tuple(MONDAY + timedelta(minutes=30 * step) for step in range(240))


def wave(low: float, high: float, shift: float = 0.0) -> tuple[float, ...]:
    return tuple(low + (high - low) * (1 + math.sin(step / 7.6 + shift)) / 2 for step in range(len(TIMES)))


def group(
    rule: str,
    severity: str = "severe",
    *,
    intervals: int = 12,
    objects: int = 1,
    advice: str = "Do it.",
    name: str = "1",
) -> FindingGroup:
    concerned = tuple(
        Concerned(
            f"QM0{number % 3 + 1}",
            f"{name}{number or ''}",
            intervals - number,
            MONDAY,
            MONDAY + timedelta(days=2),
            MONDAY + timedelta(hours=9 + number),
            3.25 + number,
            5.0,
            advice,
            {"stealable_lowest_pct": "3.2516129", "queue": name, "pool_role": None},
        )
        for number in range(objects)
    )
    names = tuple(sorted({each.qmgr or "" for each in concerned}))
    return FindingGroup(
        rule=rule,
        title=rule.replace("-", " ").capitalize(),
        severity=severity,
        subject="buffer pool",
        advice=advice,
        intervals=intervals,
        objects_in_all=objects,
        queue_managers=names,
        queue_managers_in_all=len(names),
        first=MONDAY,
        last=MONDAY + timedelta(days=2),
        concerned=concerned,
        condition="value < threshold",
        measured="stealable_lowest_pct",
        fact="R-BP-3",
        source_lines="L1101-L1103",
        derived=False,
    )


def found() -> Found:
    groups = (
        group("pool-nearly-full", objects=3, advice="Pool 1 had only 3.3 % free buffers; give it more than 20,000."),
        group("queue-failed-puts", "warning", intervals=4, name=HOSTILE, advice=f"Puts to {HOSTILE} failed."),
        group("pool-half-unused", "info", intervals=1),
    )
    missing = (
        Missing("site fact", "pool_role", "what the pool is for", ("pool-long-lived-short-of-buffers",)),
        Missing("table", "smds", "shared message data sets", ("smds-full", "smds-slow-io")),
    )
    return Found(True, groups, Coverage(210, 150, 32, missing))


def sections() -> tuple[Section, ...]:
    pools = LineChart(
        "pool-free-buffers",
        "Lowest share of free buffers",
        "QM01 pool 1 fell lowest, to 3.3 % free buffers.",
        "% free",
        (Line("QM01 pool 1", TIMES, wave(3, 60)), Line(f"QM02 {HOSTILE}", TIMES, wave(20, 80, 2.0))),
        (Limit(15, "short below 15 %"),),
    )
    days = tuple(MONDAY + timedelta(days=day) for day in range(60))
    mid = tuple(10 + 0.5 * day for day in range(60))
    outlook = LineChart(
        "forecast-1",
        "QM01 log data",
        "QM01 log data grows 4 % a week.",
        "MB/s",
        (
            Line("measured", days[:30], mid[:30]),
            Line("expected", days[30:], mid[30:], mid[:30], tuple(value + 9 for value in mid[30:]), dashed=True),
        ),
        (Limit(35, "capacity 35 MB/s"),),
        ((days[50], "reached about 21 Apr 2026"),),
    )
    queues = BarChart(
        "top-queues",
        "Queues by messages",
        "1234 on QM01 has 40 % of the messages.",
        "messages",
        ("QM01 1234", "QM01 2026-03-02", f"QM02 {HOSTILE}"),
        (Bars("put", (400.0, 200.0, None)), Bars("got", (390.0, 100.0, 12.0))),
    )
    amounts = tuple(tuple(float(day * hour) if hour else None for hour in range(24)) for day in range(1, 8))
    heat = HeatMap(
        "messages-by-day",
        "Messages put by hour and day",
        "Sunday from 23:00 is fullest.",
        "messages",
        tuple(f"{MONDAY + timedelta(days=day):%a %d %b}" for day in range(7)),
        tuple(f"{hour:02d}" for hour in range(24)),
        amounts,
    )
    columns = (
        Column("Queue manager"),
        Column("Queue"),
        Column("Messages"),
        Column("Data", "MB"),
        Column("Last", "UTC"),
    )
    rows = tuple(
        (f"QM0{place % 3 + 1}", HOSTILE if place == 4 else f"APP.{place}", place * 37 % 11, place / 7, TIMES[place])
        for place in range(12)
    )
    table = Table("queues-table", "Queues", columns, (*rows, ("QM09", "NONE", None, None, None)), 400, "Not all.")
    return (
        Section("buffer-pools", "Buffer pools", (pools,)),
        Section("channel-initiator", "Channel initiator", notes=("No channel initiator records (SMF 115/231).",)),
        Section("queues", "Top queues", (queues,), (table,)),
        Section("hours", "Hours and days", (heat,)),
        Section("forecast", "Forecast", (outlook,)),
    )


def a_report() -> Report:
    parts = sections()
    overview = Overview(3, 2, TIMES[0], TIMES[-1], 720, 15_234_567.0, 321.5, 1_200_000.0, 6, 9_000, 2)
    return Report("A week of MQ", TIMES[-1], overview, summary(overview, found(), parts), found(), parts)


def an_empty_report() -> Report:
    """Of a folder in which nothing was built yet."""
    nothing = Found(False, note="Findings were not made: run `libremq pipeline findings`.")
    parts = (Section("buffer-pools", "Buffer pools", notes=("No buffer pool records (QPST of SMF 115).",)),)
    return Report("Nothing", MONDAY, Overview(), summary(Overview(), nothing, parts), nothing, parts)
