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
    queue_row("IN", "A", messages_put=100, mqi_cpu_us=1000, depth_high=5, put_bytes=5000, persistent_puts=60),
    queue_row("IN", "B", gets_destructive=100, mqi_cpu_us=2000, depth_high=8, on_queue_us=700, longest_on_queue_us=9),
    queue_row("OUT", "A", messages_put=50, mqi_cpu_us=5000),
    queue_row("UNUSED", "A"),
    queue_row("OTHER", "C", task_name="BATCH", valid_gets=10, gets_destructive=None, mqi_cpu_us=500),
)
"""Messages: IN 200, OUT 50, OTHER 10; processor time 3000, 5000 and 500 of 8500."""

TASKS = (
    {"task": "A", "application_type": "CICS", "task_name": "PAYR", "user_id": "PAY", "own_mqi_cpu_us": 2000,
     "own_mqi_elapsed_us": 9000, "commit_calls": 50, "log_write_bytes": 700, "longest_latch_wait_us": 4},
    {"task": "B", "application_type": "CICS", "task_name": "PAYR", "user_id": "PAY", "own_mqi_cpu_us": 1000,
     "own_mqi_elapsed_us": 1000, "commit_calls": 10, "longest_latch_wait_us": 7},
    {"task": "C", "application_type": "CICS", "task_name": "BATCH", "user_id": "PAY", "own_mqi_cpu_us": 500,
     "commit_calls": 0, "log_write_bytes": 2100},
)  # fmt: skip
"""Processor time with that of their queues: PAYR 2000 + 1000 + 8000, BATCH 500 + 500."""


def test_top_queues_rank_by_messages_and_by_processor_time() -> None:
    statistics = frame("queue", {"queue": "IN", "messages_put": 7, "gets": 3, "bytes_put": 10, "depth_high": 9})
    made = marts_queries.top_queues(frame("queue_accounting", *QUEUES), statistics).orderBy("basis", "queue").collect()
    inward, other, out, counted = made
    assert [row.queue for row in made] == ["IN", "OTHER", "OUT", "IN"]
    assert [(row.messages, row.rank_by_messages) for row in made[:3]] == [(200, 1), (10, 3), (50, 2)]
    assert [(row.mqi_cpu_us, row.rank_by_mqi_cpu_us) for row in made[:3]] == [(3000, 2), (500, 3), (5000, 1)]
    assert (inward.messages_put, inward.messages_got, inward.bytes_put, inward.persistent_messages_put) == (
        100, 100, 5000, 60
    )  # fmt: skip
    assert (inward.tasks, inward.depth_high, inward.on_queue_average_us, inward.longest_on_queue_us) == (2, 8, 7.0, 9)
    assert (out.mqi_cpu_pct, out.messages_pct) == pytest.approx((100 * 5000 / 8500, 100 * 50 / 260))
    assert (out.cpu_per_message_us, other.cpu_per_message_us) == (100.0, 50.0)
    # The other basis has its own ranks and shares.
    assert (counted.basis, counted.messages, counted.rank_by_messages, counted.messages_pct) == (
        "statistics", 10, 1, 100.0
    )  # fmt: skip
    assert (counted.depth_high, counted.mqi_cpu_us, counted.rank_by_mqi_cpu_us) == (9, None, None)


def test_top_queues_are_cut_off_behind_the_last_place() -> None:
    places = marts_queries.TOP + 5
    rows = [queue_row(f"Q{number}", "A", messages_put=number) for number in range(1, places + 1)]
    rows.append(queue_row("SLOW", "A", mqi_cpu_us=1))
    made = marts_queries.top_queues(frame("queue_accounting", *rows), frame("queue")).collect()
    kept = {row.queue: row.rank_by_messages for row in made}
    assert len(made) == marts_queries.TOP + 1
    assert (kept[f"Q{places}"], kept["Q6"], kept["SLOW"]) == (1, marts_queries.TOP, None)
    assert "Q5" not in kept


def test_top_tasks_add_calls_with_and_without_a_queue() -> None:
    made = marts_queries.top_tasks(frame("task_accounting", *TASKS), frame("queue_accounting", *QUEUES))
    batch, row = made.orderBy("task_name").collect()
    assert (row.task_name, row.cpu_us, row.messages, row.commits, row.log_write_bytes) == ("PAYR", 11_000, 250, 60, 700)
    assert (row.tasks, row.queues, row.elapsed_us, row.longest_latch_wait_us) == (2, 3, 10_000, 7)
    assert (batch.task_name, batch.cpu_us, batch.messages, batch.log_write_bytes) == ("BATCH", 1000, 10, 2100)
    assert (row.cpu_pct, batch.cpu_pct) == pytest.approx((100 * 11 / 12, 100 / 12))
    assert (row.log_write_pct, batch.log_write_pct) == (25.0, 75.0)
    assert (row.rank_by_cpu_us, row.rank_by_messages, row.rank_by_log_write_bytes) == (1, 1, 2)
    assert (batch.rank_by_cpu_us, batch.rank_by_messages, batch.rank_by_log_write_bytes) == (2, 2, 1)


def test_busiest_intervals_are_ranked_by_rate_not_by_amount() -> None:
    rows = [of_interval(MORNING + timedelta(hours=hour), 30, messages_put=1800) for hour in range(12)]
    rows[3] |= {"messages_put": 36_000}
    rows.append(of_interval(MORNING + timedelta(hours=20), 1, messages_put=3000))
    made = marts_queries.busiest_intervals(frame("queue_manager_interval", *rows)).orderBy("rank").collect()
    assert {row.measure for row in made} == {"messages_put"}
    assert len(made) == marts_queries.TOP_INTERVALS
    assert [(row.amount, row.per_second, row.times_median) for row in made[:2]] == [(3000, 50, 50), (36_000, 20, 20)]


def test_an_interval_over_the_hour_is_divided_by_time() -> None:
    start = datetime(2026, 3, 2, 0, 45, tzinfo=UTC)
    early = {"messages_put": 3600, "stealable_lowest_pct": 40.0, "log_mb_per_second": 2.0}
    late = {"messages_put": 1800, "stealable_lowest_pct": 30.0, "log_mb_per_second": 1.0}
    rows = [of_interval(start, 60, utc_offset_minutes=-240, **early)]
    rows.append(of_interval(start + timedelta(hours=1), 15, utc_offset_minutes=-240, **late))
    made = marts_queries.hour_profile(frame("queue_manager_interval", *rows)).orderBy("hour_start").collect()
    told = [(row.hour_start.hour, row.local_hour, row.covered_seconds, row.messages_put) for row in made]
    # A quarter of the first interval's messages are of the first hour; the rest and the second's of the next.
    assert told == [(0, 20, 900.0, 900.0), (1, 21, 3600.0, 2700.0 + 1800.0)]
    # It was Sunday evening there when Monday began in UTC.
    assert {(row.local_day, row.local_weekday) for row in made} == {(date(2026, 3, 1), 7)}
    assert [row.messages_put_per_second for row in made] == [1.0, 1.25]
    assert [(row.log_mb_per_second_peak, row.stealable_lowest_pct) for row in made] == [(2.0, 40.0), (2.0, 30.0)]
    assert made[1].log_bytes is None


def test_log_rate_of_a_day() -> None:
    megabyte = 1048576
    rows = [
        of_interval(
            MORNING + timedelta(minutes=10 * number),
            10,
            log_bytes=rate * 600 * megabyte,
            log_mb_per_second=float(rate),
            log_requests=rate * 600 * 1024,
            checkpoints=1,
            copy1_io_us=1000 * rate,
            copy1_writes=10,
            copy1_bytes_per_second=1.5 * rate * megabyte,
            log_writer_busy_pct=10.0 * rate,
            log_copies=2,
        )
        for number, rate in enumerate((1, 1, 4))
    ]
    (row,) = marts_queries.log_rate(frame("log", *rows)).collect()
    assert (row.intervals, row.covered_seconds, row.log_bytes) == (3, 1800.0, 3600 * megabyte)
    assert (row.log_mb_per_second, row.log_mb_per_second_peak, row.log_mb_per_second_median) == (2.0, 4.0, 1.0)
    # Between the second and the third of three: 0.95 * 2 = 1.9, so 1 + 0.9 * (4 - 1).
    assert row.log_mb_per_second_95 == pytest.approx(3.7)
    assert row.peak_interval_start.replace(tzinfo=UTC) == MORNING + timedelta(minutes=20)
    assert (row.log_gb, row.log_gb_per_day, row.checkpoints) == (3.515625, 168.75, 3)
    assert (row.copy1_average_io_us, row.copy2_average_io_us) == (200.0, None)
    assert (row.copy1_mb_per_second_peak, row.log_writer_busy_pct_peak, row.log_copies) == (6.0, 40.0, 2)
    assert row.bytes_per_log_request == 1024.0


def test_cost_for_each_message_and_transaction() -> None:
    job = {"application_type": "TSO", "connection_name": "JOB1", "mqi_cpu_us": 300, "messages": 10}
    nameless = {"application_type": "TSO", "operator_id": "OPER", "mqi_cpu_us": 200, "messages": 0}
    made = marts_queries.cost(
        frame("task_accounting", *TASKS),
        frame("queue_accounting", *QUEUES),
        frame("task_summary", job, {**job, "messages": 30}, nameless),
        frame("dispatcher", *({"task_number": number, "cpu_us": 70} for number in (1, 1, 2))),
        frame("adapter", {"task_number": 3, "cpu_us": 30}),
        frame("ssl_task"),
        frame("channel", {"channel": "TO.QM02", "messages": 20}),
    )
    rows = {(row.basis, row.task_name): row for row in made.collect()}
    assert set(rows) == {
        ("class 3", "PAYR"), ("class 3", "BATCH"), ("class 1", "JOB1"), ("class 1", "OPER"), ("channel initiator", None)
    }  # fmt: skip
    pay, batch = rows["class 3", "PAYR"], rows["class 3", "BATCH"]
    assert (pay.cpu_us, pay.messages, pay.transactions, pay.tasks) == (11_000, 250, 60, 2)
    assert (pay.cpu_per_message_us, pay.cpu_seconds) == (44.0, 0.011)
    assert (pay.cpu_per_transaction_us, pay.messages_per_transaction) == pytest.approx((11_000 / 60, 250 / 60))
    assert (batch.cpu_per_message_us, batch.cpu_per_transaction_us) == (100.0, None)
    assert (pay.cpu_pct, batch.cpu_pct) == pytest.approx((100 * 11 / 12, 100 / 12))
    job = rows["class 1", "JOB1"]
    assert (job.tasks, job.cpu_us, job.messages, job.cpu_per_message_us, job.cpu_pct) == (2, 600, 40, 15.0, 75.0)
    assert job.transactions is None
    mover = rows["channel initiator", None]
    assert (mover.tasks, mover.cpu_us, mover.messages, mover.cpu_per_message_us) == (3, 240, 20, 12.0)


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
