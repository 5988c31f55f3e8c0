"""Values that cannot be are taken out and named; latch waits have the unit of their release."""

from __future__ import annotations

from typing import Any

from helper_spark import session

from libremq.pipeline.tables.subjects import SUBJECTS
from libremq.pipeline.tables.subjects_accounting import latch_wait_us
from libremq.pipeline.tables.suspicions import derived_suspicions, suspicions, without_suspicious


def test_every_condition_names_columns_of_its_table() -> None:
    for entry in SUBJECTS.values():
        names = {column.name for column in entry.all_columns}
        for each in (*suspicions(entry), *derived_suspicions(entry)):
            assert each.column in names
    assert len(suspicions(SUBJECTS["log"])) > 40


def test_latch_waits_by_release_and_by_what_is_plausible() -> None:
    # Of a real 10.0.0: recorded / 2^32 is 55.0 us with one wait, whose longest is 54 us.
    cases: list[tuple[int, int | None, int | None, str, int]] = [
        (55 << 20, 1, 54, "100000", 55),
        (226 << 20, 1, 226, "100000", 226),
        (1 << 20, 1, 1, "100000", 1),
        (70_000, 4, 40_000, "940", 70_000),
        # No longest was recorded: the release tells.
        (70_000, 4, None, "800", 70_000),
        (55 << 20, None, None, "100000", 55),
        # A service level that has it put right, and an older one that has the new unit.
        (9_000, 3, 4_000, "100000", 9_000),
        (55 << 20, 1, 54, "940", 55),
        (0, 0, 0, "100000", 0),
    ]
    rows = [(number, *case[:4]) for number, case in enumerate(cases)]
    frame = session().createDataFrame(rows, "number int, total bigint, waits bigint, longest bigint, release string")
    found = frame.orderBy("number").selectExpr(f"{latch_wait_us('total', 'waits', 'longest')} AS us").collect()
    assert [row["us"] for row in found] == [case[4] for case in cases]


def test_what_cannot_be_is_null_and_named_with_its_reason() -> None:
    entry = SUBJECTS["buffer_pool"]
    rows: list[dict[str, Any]] = [
        {"interval_seconds": 60.0, "buffers": 1000, "stealable_lowest_buffers": 0x7FFFFFFF, "pages_read": 5},
        {"interval_seconds": 60.0, "buffers": 1000, "stealable_lowest_buffers": 1001, "pages_read": 4_294_967_290},
        {"interval_seconds": 0.74, "buffers": 1000, "stealable_lowest_buffers": 996, "pages_read": 78},
    ]
    ddl = "interval_seconds double, buffers bigint, stealable_lowest_buffers bigint, pages_read bigint"
    frame = without_suspicious(session().createDataFrame(rows, ddl), suspicions(entry))
    first, second, third = frame.collect()
    assert (first["stealable_lowest_buffers"], first["pages_read"]) == (None, 5)
    assert first["suspicious"] == ["stealable_lowest_buffers: the value for nothing recorded"]
    assert second["suspicious"] == [
        "stealable_lowest_buffers: more than there is",
        "pages_read: more in a second than a machine can do",
    ]
    assert (second["pages_read"], third["pages_read"], third["suspicious"]) == (None, 78, [])


def test_waits_longer_than_their_interval_and_shares_over_100() -> None:
    frame = session().sql(
        "SELECT 60.0D AS interval_seconds, timestamp'2026-03-02 08:00:00' AS accounting_start,"
        " timestamp'2026-03-02 08:01:00' AS accounting_end, 230686720000L AS latch_wait_us, 59000000L AS log_force_us,"
        " 61000000000L AS suspension_us, 340.0D AS backout_pct"
    )
    entry = SUBJECTS["task_accounting"]
    (row,) = without_suspicious(without_suspicious(frame, suspicions(entry)), derived_suspicions(entry)).collect()
    assert row["log_force_us"] == 59_000_000
    assert (row["latch_wait_us"], row["suspension_us"], row["backout_pct"]) == (None, None, None)
    assert {each.partition(":")[0] for each in row["suspicious"]} == {"latch_wait_us", "suspension_us", "backout_pct"}
