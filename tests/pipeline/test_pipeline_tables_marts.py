"""Marts from small conformed tables made by hand."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from helper_spark import session
from helper_tables_raw import MORNING, interval, numbers, write
from pyspark.sql.types import StructType

from libremq.pipeline.tables import conformed, marts, marts_queries
from libremq.pipeline.tables.subjects import subject

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DAY = date(2026, 3, 2)


def frame(name: str, *rows: dict[str, Any]) -> DataFrame:
    """Rows of a conformed table, with the columns a test names."""
    spark = session()
    schema = cast(StructType, StructType.fromDDL(subject(name).ddl))
    common = {"day": DAY, "qmgr": "QM01", "system": "SYSA"}
    unknown = {key for row in rows for key in row} - set(schema.names)
    assert not unknown, unknown
    return spark.createDataFrame([tuple({**common, **row}.get(key) for key in schema.names) for row in rows], schema)


def of_interval(start: datetime, minutes: float, **more: Any) -> dict[str, Any]:
    end = start + timedelta(minutes=minutes)
    return {"interval_start": start, "interval_end": end, "interval_seconds": minutes * 60.0, **more}


def queue_row(queue: str, task: str, **more: Any) -> dict[str, Any]:
    figures = {"messages_put": 0, "gets_destructive": 0, "mqi_cpu_us": 0, "mqi_calls": 0, "mqi_elapsed_us": 0}
    who = {"application_type": "CICS", "task_name": "PAYR", "user_id": "PAY"}
    return {"queue": queue, "task": task, **who, **figures, **more}


QUEUES = (
    queue_row("IN", "A", messages_put=100, mqi_cpu_us=1000, depth_high=5),
    queue_row("IN", "B", gets_destructive=100, mqi_cpu_us=2000, depth_high=8),
    queue_row("OUT", "A", messages_put=50, mqi_cpu_us=5000),
    queue_row("UNUSED", "A"),
)
TASKS = ({"task": "A", "application_type": "CICS", "task_name": "PAYR", "user_id": "PAY", "own_mqi_cpu_us": 2000,
          "own_mqi_elapsed_us": 9000, "commit_calls": 50, "log_write_bytes": 700},)  # fmt: skip


def test_top_queues_rank_by_messages_and_by_processor_time() -> None:
    made = marts_queries.top_queues(frame("queue_accounting", *QUEUES), frame("queue")).orderBy("queue").collect()
    inward, out = made
    assert (inward.queue, inward.messages, inward.tasks, inward.depth_high) == ("IN", 200, 2, 8)
    assert (inward.rank_by_messages, inward.rank_by_mqi_cpu_us) == (1, 2)
    assert (out.rank_by_messages, out.rank_by_mqi_cpu_us) == (2, 1)
    assert (inward.mqi_cpu_pct, out.mqi_cpu_pct) == (37.5, 62.5)
    assert out.cpu_per_message_us == 100.0


def test_top_queues_keep_the_two_bases_apart() -> None:
    statistics = frame("queue", {"queue": "IN", "messages_put": 7, "gets": 3, "bytes_put": 10, "depth_high": 9})
    made = marts_queries.top_queues(frame("queue_accounting", *QUEUES[:1]), statistics).orderBy("basis").collect()
    assert [(row.basis, row.messages, row.rank_by_messages) for row in made] == [
        ("accounting", 100, 1), ("statistics", 10, 1)
    ]  # fmt: skip


def test_top_tasks_add_calls_with_and_without_a_queue() -> None:
    (row,) = marts_queries.top_tasks(frame("task_accounting", *TASKS), frame("queue_accounting", *QUEUES)).collect()
    assert (row.task_name, row.cpu_us, row.messages, row.commits, row.log_write_bytes) == ("PAYR", 10_000, 250, 50, 700)
    assert (row.cpu_pct, row.rank_by_cpu_us) == (100.0, 1)


def test_busiest_intervals_are_ranked_by_rate_not_by_amount() -> None:
    rows = [of_interval(MORNING + timedelta(hours=hour), 30, messages_put=1800) for hour in range(12)]
    rows[3] |= {"messages_put": 36_000}
    rows.append(of_interval(MORNING + timedelta(hours=20), 1, messages_put=3000))
    made = marts_queries.busiest_intervals(frame("queue_manager_interval", *rows)).orderBy("rank").collect()
    assert {row.measure for row in made} == {"messages_put"}
    assert len(made) == marts_queries.TOP_INTERVALS
    assert [(row.amount, row.per_second, row.times_median) for row in made[:2]] == [(3000, 50, 50), (36_000, 20, 20)]


def test_an_interval_over_the_hour_is_divided_by_time() -> None:
    start = datetime(2026, 3, 2, 8, 45, tzinfo=UTC)
    rows = [of_interval(start, 60, messages_put=3600, utc_offset_minutes=-240)]
    rows.append(of_interval(start + timedelta(hours=1), 15, messages_put=900, utc_offset_minutes=-240))
    made = marts_queries.hour_profile(frame("queue_manager_interval", *rows)).orderBy("hour_start").collect()
    told = [(row.local_hour, row.local_weekday, row.covered_seconds, row.messages_put) for row in made]
    assert told == [(4, 1, 900.0, 900.0), (5, 1, 3600.0, 3600.0)]
    assert made[1].messages_put_per_second == 1.0
    assert made[1].log_bytes is None


def test_log_rate_of_a_day() -> None:
    megabyte = 1048576
    rows = [
        of_interval(
            MORNING + timedelta(minutes=10 * number),
            10,
            log_bytes=rate * 600 * megabyte,
            log_mb_per_second=float(rate),
            checkpoints=1,
        )
        for number, rate in enumerate((1, 1, 4))
    ]
    (row,) = marts_queries.log_rate(frame("log", *rows)).collect()
    assert (row.log_mb_per_second, row.log_mb_per_second_peak, row.log_mb_per_second_median) == (2.0, 4.0, 1.0)
    assert row.peak_interval_start.replace(tzinfo=UTC) == MORNING + timedelta(minutes=20)
    assert (row.log_gb_per_day, row.checkpoints) == (168.75, 3)


def test_cost_for_each_message_and_transaction() -> None:
    short = {"application_type": "TSO", "connection_name": "JOB1", "mqi_cpu_us": 300, "messages": 10}
    made = marts_queries.cost(
        frame("task_accounting", *TASKS),
        frame("queue_accounting", *QUEUES),
        frame("task_summary", short),
        frame("dispatcher", {"task_number": 1, "cpu_us": 60}, {"task_number": 2, "cpu_us": 40}),
        frame("adapter", {"task_number": 3, "cpu_us": 100}),
        frame("ssl_task"),
        frame("channel", {"channel": "TO.QM02", "messages": 20}),
    )
    rows = {row.basis: row for row in made.collect()}
    assert set(rows) == {"class 3", "class 1", "channel initiator"}
    assert (rows["class 3"].cpu_per_message_us, rows["class 3"].cpu_per_transaction_us) == (40.0, 200.0)
    assert rows["class 3"].messages_per_transaction == 5.0
    assert (rows["class 1"].task_name, rows["class 1"].cpu_per_message_us) == ("JOB1", 30.0)
    mover = rows["channel initiator"]
    assert (mover.tasks, mover.cpu_us, mover.cpu_per_message_us) == (3, 200, 10.0)


def test_marts_follow_the_conformed_tables(tmp_path: Path) -> None:
    write(tmp_path, "qmst", interval(MORNING, 600, **{**numbers("qmst"), "qmstput": 600}))
    conformed.build(session(), tmp_path)
    assert marts.build(session(), tmp_path).days == ("2026-03-02",)
    assert marts.build(session(), tmp_path).days == ()
    (row,) = marts.table(session(), tmp_path, "hour_profile").collect()
    assert (row.local_hour, row.messages_put_per_second) == (4, 1.0)
    assert marts.table(session(), tmp_path, "top_queues").count() == 0


def test_an_unknown_mart_is_named() -> None:
    with pytest.raises(ValueError, match="no mart 'top'; there are top_queues, "):
        marts.table(session(), "nowhere", "top")
