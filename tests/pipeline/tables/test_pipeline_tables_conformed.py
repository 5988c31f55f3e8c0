"""Conformed tables from raw rows made by hand: placing, rates, shares, counters that run over, copies, days."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import helper_tables_conformed
import pytest
from helper_spark import session
from helper_tables_raw import MORNING, interval, numbers, task, write
from pyspark.sql import functions as F

from libremq.pipeline.tables import conformed
from libremq.pipeline.tables.conformed_intervals import by_stretch, intervals_of, placed
from libremq.pipeline.tables.conformed_rows import change_since, levels
from libremq.pipeline.tables.conformed_store import neighbours
from libremq.pipeline.tables.subjects import SUBJECTS

MINUTE = timedelta(minutes=1)
LATER = timedelta(microseconds=84)
"""How much later than the queue manager's the interval of its channel initiator starts."""

CORRELATOR = bytes(range(16))

NIGHT = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)


def locks(start: datetime, requests: int, **more: Any) -> dict[str, Any]:
    return interval(start, **{**numbers("qlst"), "qlstgetl": requests, **more})


def fill_site(root: Path) -> None:
    """Three intervals of one queue manager, around which each test finds what it looks for."""
    second, third = MORNING + MINUTE, MORNING + 2 * MINUTE
    pool: dict[str, Any] = {**numbers("qpst"), "qpstnbuf": 1000, "qpstgetp": 5000}
    busy = interval(MORNING, subtype=215, **{**pool, "qpstpool": 3, "qpstcbsl": 100, "qpstrio": 600})
    idle = interval(MORNING, subtype=215, section_index=1, **{**pool, "qpstpool": 4, "qpstcbsl": 900, "qpstgetp": 0})
    # The second dump holds the first record again.
    write(root, "qpst", busy, idle, {**busy, "source_file": "two.smf", "source_offset": 4711})
    write(
        root,
        "qmst",
        *(
            interval(start, **{**numbers("qmst"), "qmstput": puts, "qmstput1": 20, "qmstspp": None})
            for start, puts in ((MORNING, 60), (second, 0), (third, 0))
        ),
    )
    log = {
        **numbers("qjst"),
        "qjstwrnw": -1,
        "qjstbffl": 15360,
        "qjstslptu": 45_000_000,
        "qjstioci": [[10, 30], [10, 30]],
        "qjstiocount": [[10, 10], [10, 10]],
        "qjstiototio": [[1000, 4000], [2000, 8000]],
    }
    write(root, "qjst", interval(MORNING, subtype=1, **log))
    write(root, "qsst", interval(MORNING, subtype=1, **{**numbers("qsst"), "qsstcrit": 2}))
    stub = interval(MORNING, subtype=7, **{**numbers("qsrs"), "qsrsesiza": 2000, "qsrseloal": 500})
    write(root, "qsrs", {**stub, "interval_start": None, "interval_duration": None, "interval_end": None})
    write(
        root,
        "qis1",
        *(
            interval(start, subtype=201, **{**numbers("qis1"), "qis1psno": 1, "qis1topg": 100, "qis1expn": expansions})
            for start, expansions in ((MORNING, 3), (second, 5), (third, 1))
        ),
    )
    write(root, "qcct", interval(MORNING + LATER, subtype=231, **{**numbers("qcct"), "qcctnoac": 9, "qcctmxac": 200}))
    dispatcher = {**numbers("qctdsp"), "qctreqn": 10, "qcteltm": 15_000_000, "qctcptm": 6_000_000}
    write(
        root,
        "qctdsp",
        interval(MORNING + LATER, subtype=231, **{**dispatcher, "qcttskn": 100}),
        interval(MORNING + LATER, subtype=231, **{**dispatcher, "qcttskn": 200, "qcteltm": 0}, source_offset=900),
    )
    channel = {**numbers("qcst"), "qcstchnm": "TO.QM02", "qcstcnnm": "host", "qcstchty": 1, "qcstchst": 99}
    times = {"qcststrt": MORNING - MINUTE, "qcstcltm": second}
    same = interval(MORNING + LATER, record_type=116, subtype=10, **channel, **times)
    write(root, "qcst", same, {**same, "section_index": 1}, {**same, "source_file": "two.smf"})
    fill_tasks(root, second)
    signed = {**numbers("qjst"), "qjstwrnw": 4_000_000_000 - (1 << 32)}
    write(root, "qjst", interval(NIGHT, 2400, subtype=1, qmgr="QM02", **signed))
    write(root, "qlst", locks(NIGHT, 7, seconds=2400, qmgr="QM02"))


def fill_tasks(root: Path, end: datetime) -> None:
    moment = end - timedelta(seconds=20)
    who = {"wtidatyp": 1, "wtidccn": "CICSA", "wtidcori": "\0\0\0\0PAYR1234", "correl": CORRELATOR}
    totals = {**numbers("wtas"), "correl": CORRELATOR, "wtasints": MORNING, "wtasinte": moment}
    totals.update(
        {"wtaslwet": [7] * 32, "wtaslwn": [1] * 32, "wtascmn": 4, "wtascmct": 400, "wtasdbpt": 0, "wtasdbgt": 0}
    )
    queue = {**numbers("wq"), "correl": CORRELATOR, "qsgdisp": 2, "getn": 4, "getct": 100, "opentime": MORNING}
    queue["cfcount"] = [[0] * 20, [0] * 20, [5] * 20, [0] * 20, [0] * 20]
    further = {"subtype": 2, "smf_time": moment + timedelta(milliseconds=10)}
    write(root, "wtid", task(moment, 10, **who), task(moment, 20, **{**who, **further}))
    write(root, "wtas", task(moment, 10, **totals))
    write(
        root,
        "wq",
        task(moment, 10, **{**queue, "basename": "IN"}),
        task(moment, 20, **{**queue, "basename": "OUT", **further}),
    )
    write(root, "qmac", task(end + 20 * MINUTE, 30, subtype=0, **{**numbers("qmac"), "qmaccput": 90, "qmacputb": 3}))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("site")
    fill_site(root)
    report = conformed.build(session(), root)
    assert report.days == ("2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04")
    yield root


def rows_of(root: Path, name: str) -> list[dict[str, Any]]:
    """The rows as they lie in the files: Spark has built them, and need not read them too."""
    found = helper_tables_conformed.rows_of(root, name)
    order = ("qmgr", "interval_start", *SUBJECTS[name].keys)
    return sorted(found, key=lambda row: [row[key] for key in order])


def test_rates_and_shares_of_a_pool(site: Path) -> None:
    busy, idle = rows_of(site, "buffer_pool")
    assert (busy["buffer_pool"], busy["buffers"], busy["interval_seconds"]) == (3, 1000, 60.0)
    assert busy["stealable_lowest_pct"] == 10.0
    assert busy["used_highest_pct"] == 90.0
    assert busy["pages_read_per_second"] == 10.0
    assert busy["page_set_ios_per_second"] == 10.0
    assert busy["read_pct"] == 12.0
    assert idle["read_pct"] is None
    assert idle["pages_read_per_second"] == 0.0


def test_times_are_utc_and_the_day_is_that_of_the_start(site: Path) -> None:
    row = rows_of(site, "buffer_pool")[0]
    assert row["interval_start"].replace(tzinfo=UTC) == MORNING
    assert row["day"] == date(2026, 3, 2)
    assert row["utc_offset_minutes"] == -240


def test_what_a_release_does_not_record_stays_unknown(site: Path) -> None:
    row = rows_of(site, "message_manager")[0]
    assert row["messages_put"] == 80
    assert row["put1_pct"] == 25.0
    assert row["persistent_puts"] is None
    assert row["persistent_put_pct"] is None


def test_a_signed_counter_that_ran_over_is_read_as_unsigned(site: Path) -> None:
    _, row = rows_of(site, "log")
    assert row["write_nowait_requests"] == 4_000_000_000
    assert row["log_requests"] == 4_000_000_000


def test_numbers_that_cannot_be_are_left_out_and_named(site: Path) -> None:
    row, _ = rows_of(site, "log")
    assert row["write_nowait_requests"] is None
    assert row["log_requests"] is None
    assert row["suspicious"] == ["write_nowait_requests: more in a second than a machine can do"]
    assert rows_of(site, "buffer_pool")[0]["suspicious"] == []


def test_log_figures_by_copy_and_size(site: Path) -> None:
    row, _ = rows_of(site, "log")
    assert row["log_mb_per_second"] == 1.0
    assert (row["copy1_single_page_pages"], row["copy1_multi_page_pages"], row["copy1_pages"]) == (10, 30, 40)
    assert (row["copy1_average_io_us"], row["copy2_average_io_us"], row["copy2_io_time_ratio"]) == (250.0, 500.0, 2.0)
    assert (row["log_copies"], row["log_writer_busy_pct"]) == (2, 25.0)


def test_a_counter_since_start_gives_its_change(site: Path) -> None:
    rows = rows_of(site, "page_set")
    assert [(row["expansions"], row["expansions_change"]) for row in rows] == [(3, None), (5, 2), (1, 1)]


def test_records_without_interval_join_the_interval_in_which_they_were_cut(site: Path) -> None:
    (row,) = rows_of(site, "storage")
    assert (row["short_on_storage_events"], row["region_31_bytes"], row["user_31_pct"]) == (2, 2000, 25.0)


def test_the_channel_initiator_shares_the_interval_of_its_queue_manager(site: Path) -> None:
    (row,) = rows_of(site, "channel_initiator")
    assert row["interval_start"].replace(tzinfo=UTC) == MORNING
    assert row["active_channels_pct"] == 4.5
    assert [task["busy_pct"] for task in rows_of(site, "dispatcher")] == [25.0, 0.0]


def test_equal_sections_stay_apart_and_copies_of_a_record_do_not(site: Path) -> None:
    rows = rows_of(site, "channel")
    assert [row["position"] for row in rows] == [0, 1]
    assert (rows[0]["channel_type"], rows[0]["status"]) == ("Sender", "99")
    assert len(rows_of(site, "buffer_pool")) == 2


def test_a_task_is_placed_where_it_ended_and_knows_who_it_is(site: Path) -> None:
    (row,) = rows_of(site, "task_accounting")
    assert row["interval_start"].replace(tzinfo=UTC) == MORNING
    assert row["accounting_end"].replace(tzinfo=UTC) == MORNING + timedelta(seconds=40)
    assert (row["task"], row["application_type"], row["transaction"]) == (CORRELATOR.hex().upper(), "CICS", "PAYR")
    assert (row["latch_wait_us"], row["latch_waits"], row["shared_open_latch_us"]) == (224, 32, 7)
    assert row["commit_average_cpu_us"] == 100.0


def test_further_queues_of_a_task_have_its_times_and_identity(site: Path) -> None:
    first, further = rows_of(site, "queue_accounting")
    assert (first["queue"], further["queue"]) == ("IN", "OUT")
    for row in (first, further):
        assert row["accounting_start"].replace(tzinfo=UTC) == MORNING
        assert (row["task_name"], row["disposition"], row["shared"]) == ("PAYR", "Shared", True)
        assert (row["get_average_cpu_us"], row["get_cf_requests"], row["get_cf_requests_per_call"]) == (25.0, 100, 25.0)


def test_a_row_outside_all_intervals_keeps_its_own_time(site: Path) -> None:
    (row,) = rows_of(site, "task_summary")
    assert row["interval_start"].replace(tzinfo=UTC) == MORNING + 21 * MINUTE
    assert row["cpu_per_message_us"] == 30.0


def test_the_overview_has_one_row_for_each_interval(site: Path) -> None:
    rows = [row for row in rows_of(site, "queue_manager_interval") if row["qmgr"] == "QM01"]
    assert [row["interval_start"].replace(tzinfo=UTC) for row in rows] == [
        MORNING,
        MORNING + MINUTE,
        MORNING + 2 * MINUTE,
    ]
    first = rows[0]
    assert (first["messages_put"], first["buffer_pools"], first["buffers"]) == (80, 2, 2000)
    assert first["stealable_lowest_pct"] == 10.0
    assert first["pages_read"] == 600
    assert first["active_channels_high"] == 9
    assert first["dispatcher_busiest_pct"] == 25.0
    assert rows[1]["buffers"] is None


def test_an_interval_over_midnight_belongs_to_the_day_it_starts_on(site: Path) -> None:
    (row,) = rows_of(site, "lock")
    assert (row["day"], row["qmgr"], row["interval_seconds"]) == (date(2026, 3, 2), "QM02", 2400.0)


def test_spark_reads_the_tables_by_day(site: Path) -> None:
    pools = conformed.table(session(), site, "buffer_pool", days=["2026-03-01", "2026-03-02"])
    assert pools.columns == [column.name for column in SUBJECTS["buffer_pool"].all_columns]
    assert [row.buffer_pool for row in pools.orderBy("buffer_pool").select("buffer_pool").collect()] == [3, 4]
    assert conformed.table(session(), site, "buffer_pool", days=["2026-03-04"]).isEmpty()


def files_of(root: Path) -> dict[str, int]:
    found = (root / "conformed").glob("*/*/day=*/*.parquet")
    return {str(file.relative_to(root)): file.stat().st_mtime_ns for file in found}


def test_a_new_dump_builds_only_the_days_it_touches(tmp_path: Path) -> None:
    week_later, after_midnight = MORNING + timedelta(days=7), NIGHT + 40 * MINUTE
    write(tmp_path, "qlst", locks(MORNING, 10))
    write(tmp_path, "qmac", task(after_midnight, 5, subtype=0, **{**numbers("qmac"), "qmaccput": 1}))
    assert conformed.build(session(), tmp_path).rows["lock"] == 1
    assert [row["day"] for row in rows_of(tmp_path, "task_summary")] == [date(2026, 3, 3)]
    before = files_of(tmp_path)
    again = conformed.build(session(), tmp_path)
    assert (again.days, again.rows, files_of(tmp_path)) == ((), {}, before)

    # Interrupted when most is done: what was there stays, and the next build has the same to do.
    write(tmp_path, "qlst", locks(week_later, 20))
    with pytest.raises(KeyboardInterrupt):
        conformed.build(session(), tmp_path, tell=interrupt_at("building queue_manager_interval"))
    assert before.items() <= files_of(tmp_path).items()
    report = conformed.build(session(), tmp_path)
    assert report.days == ("2026-03-08", "2026-03-09", "2026-03-10")
    assert before.items() <= files_of(tmp_path).items()
    assert [row["lock_requests"] for row in rows_of(tmp_path, "lock")] == [10, 20]
    assert len(rows_of(tmp_path, "queue_manager_interval")) == 2

    # The same record in one more dump counts once; a task moves to the day on which its interval began, whole.
    write(tmp_path, "qlst", locks(week_later, 20, source_file="copy.smf"))
    write(tmp_path, "qmst", interval(NIGHT, 3600, **numbers("qmst")))
    assert conformed.build(session(), tmp_path).days == ("2026-03-02", "2026-03-03", "2026-03-04", *report.days)
    assert [row["lock_requests"] for row in rows_of(tmp_path, "lock")] == [10, 20]
    assert [row["day"] for row in rows_of(tmp_path, "task_summary")] == [date(2026, 3, 2)]


def interrupt_at(step: str) -> Callable[[str], None]:
    def tell(told: str) -> None:
        if told.startswith(step):
            raise KeyboardInterrupt

    return tell


def test_nothing_recorded_gives_empty_tables_with_columns(tmp_path: Path) -> None:
    assert conformed.build(session(), tmp_path) == conformed.BuildReport((), {})
    table = conformed.table(session(), tmp_path, "buffer_pool")
    assert table.count() == 0
    assert table.columns == [column.name for column in SUBJECTS["buffer_pool"].all_columns]


def test_change_of_a_counter() -> None:
    cases = {
        "up": (5, 9, 32, 4),
        "same": (5, 5, 32, 0),
        "wrapped": (4_294_967_290, 4, 32, 10),
        "restarted high": (4_294_967_290, 3_000_000_000, 32, 3_000_000_000),
        "restarted": (1000, 3, 32, 3),
        "wrapped, 16 bits": (65_530, 2, 16, 8),
        "first": (None, 7, 32, None),
    }
    changes = [
        change_since(F.lit(current), F.lit(before).cast("bigint"), bits).alias(name)
        for name, (before, current, bits, _) in cases.items()
    ]
    (row,) = session().range(1).select(*changes).collect()
    assert row.asDict() == {name: change for name, (*_, change) in cases.items()}


def test_starts_close_together_are_one_interval_and_ends_do_not_overlap() -> None:
    def at(seconds: float) -> datetime:
        return MORNING + timedelta(seconds=seconds)

    recorded = [(0, 60), (0.0001, 60.0001), (60.00005, 120), (120.5, 180), (300, 360)]
    rows = [("S", "Q", at(start), at(end)) for start, end in recorded]
    ddl = "system string, qmgr string, interval_start timestamp, interval_end timestamp"
    intervals = intervals_of(session().createDataFrame(rows, ddl)).orderBy("interval_start")
    found = [
        ((row.interval_start.replace(tzinfo=UTC) - MORNING).total_seconds(),
         (row.interval_end.replace(tzinfo=UTC) - MORNING).total_seconds())
        for row in intervals.collect()
    ]  # fmt: skip
    assert found == [(0, 60.00005), (60.00005, 120), (120.5, 180), (300, 360)]

    moments = [("S", "Q", at(end)) for end in (30, 60.1, 61.9, 120, 250, 360)]
    times = session().createDataFrame(moments, "system string, qmgr string, smf_time timestamp")
    where = placed(times, by_stretch(intervals), ends=("smf_time",)).orderBy("smf_time").collect()
    assert [(row.interval_start.replace(tzinfo=UTC) - MORNING).total_seconds() for row in where] == [
        0, 0, 0, 60.00005, 250, 300
    ]  # fmt: skip


def test_columns_are_worked_out_after_what_they_need() -> None:
    for entry in SUBJECTS.values():
        seen: set[str] = set()
        rounds = [{column.name for column in ready} for ready in levels(entry)]
        waiting = set().union(*rounds) if rounds else set()
        for ready, names in zip(levels(entry), rounds):
            waiting -= seen
            for column in ready:
                assert not (
                    set((column.expression or "").replace("(", " ").replace(",", " ").split()) & (waiting - seen)
                )
            seen |= names


def test_neighbours_join_up() -> None:
    assert neighbours(["2026-03-02", "2026-03-03"]) == ("2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04")
