"""No record vanishes on its way from the raw to the conformed tables, and intervals know what they are."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.dataset
import pytest
from helper_spark import session
from helper_tables_raw import MORNING, interval, numbers, task, write

from libremq.pipeline.generator.generator_command import generate
from libremq.pipeline.tables import conformed, raw
from libremq.pipeline.tables.row_account import accounts

SECONDS = 600
CLOCKED = "QM05"
HERE = Path(__file__).resolve()
PLACES = [
    Path(os.environ.get("LIBREMQ_SMF_DUMPS", "/nonexistent")),
    *(parent / "shared" / "data" / "smf" for parent in HERE.parents),
]
DUMPS = next((place for place in PLACES if place.is_dir()), PLACES[0])
"""Real dumps, where there are some."""


def calls(start: datetime, seconds: float, **more: Any) -> dict[str, Any]:
    return interval(start, seconds, **{**numbers("qmst"), "qmstput": 7, **more})


def fill(root: Path) -> None:
    every_second = [MORNING + timedelta(seconds=second) for second in range(SECONDS)]
    write(root, "qmst", *(calls(start, 1.0, qmgr="QM02", qmstget=second) for second, start in enumerate(every_second)))
    # A start, two whole intervals, a shut-down, a start after an hour.
    lengths = (0.74, 1800.0, 1800.0, 400.0)
    starts = [MORNING + timedelta(seconds=sum(lengths[:number])) for number in range(len(lengths))]
    runs = [
        *zip(starts, lengths),
        (MORNING + timedelta(hours=3), 0.79),
        (MORNING + timedelta(hours=3, seconds=0.79), 176.0),
    ]
    write(root, "qmst", *(calls(start, length, qmgr="QM03") for start, length in runs))
    # The queue manager of the last record has two pools of one number, as no queue manager should.
    pool: dict[str, Any] = {
        **numbers("qpst"),
        "qpstnbuf": 1000,
        "qpstcbsl": 900,
        "qpstpool": 3,
        "qmgr": "QM03",
        "subtype": 215,
    }
    for start, length in runs:
        write(root, "qpst", interval(start, length, **{**pool, "qpstgetp": 1}))
    start, length = runs[1]
    write(root, "qpst", interval(start, length, **{**pool, "qpstgetp": 2}, section_index=1, source_offset=9))
    fill_tasks(root)
    # A clock that was set back by half an hour: the second interval begins within the first.
    write(root, "qmst", *(calls(MORNING + timedelta(minutes=at), 3600.0, qmgr=CLOCKED) for at in (0, 30, 90)))
    # The channel initiator was started again within an interval of its queue manager.
    ended = [MORNING + timedelta(minutes=20), MORNING + timedelta(minutes=60)]
    initiator: dict[str, Any] = {**numbers("qcct"), "qmgr": CLOCKED, "subtype": 231, "qcctmxac": 200}
    write(
        root,
        "qcct",
        *(interval(end - timedelta(minutes=10), 600.0, **{**initiator, "qcctnocc": end.minute}) for end in ended),
    )


def fill_tasks(root: Path) -> None:
    """Tasks that did the same in the same hundredth of a second, one of them in a second dump as well."""
    same = {**numbers("qmac"), "qmaccput": 90, "qmgr": "QM04", "subtype": 0}
    write(root, "qmac", *(task(MORNING, 100 * number, **same) for number in range(50)))
    write(root, "qmac", task(MORNING, 77, **same, source_file="two.smf"))
    # A task that ran for nine days, in records of a queue manager without intervals.
    totals = {**numbers("wtas"), "correl": bytes(16), "wtasints": MORNING - timedelta(days=9), "wtasinte": MORNING}
    write(root, "wtas", task(MORNING, 1, **totals, qmgr="QM04"))
    write(root, "wtid", task(MORNING, 1, correl=bytes(16), qmgr="QM04"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("whole")
    fill(root)
    conformed.build(session(), root)
    yield root


def rows_of(root: Path, name: str, qmgr: str) -> list[dict[str, Any]]:
    table = pyarrow.dataset.dataset(root / "conformed" / name, format="parquet", partitioning="hive").to_table()
    return sorted((row for row in table.to_pylist() if row["qmgr"] == qmgr), key=lambda row: row["interval_start"])


def test_intervals_of_a_second_stay_apart(site: Path) -> None:
    rows = rows_of(site, "message_manager", "QM02")
    assert [row["gets"] for row in rows] == list(range(SECONDS))
    assert {row["interval_seconds"] for row in rows} == {1.0}
    assert {row["interval_kind"] for row in rows} == {"short"}


def test_intervals_know_what_they_are(site: Path) -> None:
    rows = rows_of(site, "message_manager", "QM03")
    kinds = ["start-up", "normal", "normal", "shut-down", "start-up", "short"]
    assert [row["interval_kind"] for row in rows] == kinds
    assert [row["seconds_since_start"] for row in rows] == [0, 0.74, 1800.74, 3600.74, 0, 0.79]
    overview = rows_of(site, "queue_manager_interval", "QM03")
    assert [row["interval_kind"] for row in overview if row["messages_put"]] == kinds


def test_of_two_rows_with_one_key_both_stay(site: Path) -> None:
    rows = rows_of(site, "buffer_pool", "QM03")
    assert sorted(row["old_page_requests"] for row in rows) == [1, 1, 1, 1, 1, 1, 2]
    assert len({row["interval_start"] for row in rows}) == 7


def test_equal_records_of_one_dump_are_no_copies(site: Path) -> None:
    assert len(rows_of(site, "task_summary", "QM04")) == 50


def test_a_task_of_many_days_is_there(site: Path) -> None:
    (row,) = rows_of(site, "task_accounting", "QM04")
    assert row["accounting_end"].replace(tzinfo=UTC) - row["accounting_start"].replace(tzinfo=UTC) == timedelta(days=9)


def test_overlapping_intervals_and_a_second_initiator(site: Path) -> None:
    assert [row["interval_seconds"] for row in rows_of(site, "message_manager", CLOCKED)] == [3600.0] * 3
    assert Counter(row["current_channels_high"] for row in rows_of(site, "channel_initiator", CLOCKED)) == {20: 1, 0: 1}


def test_the_account_names_the_copies_and_nothing_is_missing(site: Path) -> None:
    lines = {(line.structure, line.table): line for line in accounts(session(), site)}
    assert not [line for line in lines.values() if line.missing]
    summary = lines["qmac", "task_summary"]
    assert (summary.raw, summary.copies, summary.conformed) == (51, 1, 50)
    assert lines["qpst", "buffer_pool"].raw == lines["qpst", "buffer_pool"].conformed == 7


def test_dumps_real_and_generated_keep_every_record(tmp_path: Path) -> None:
    # Its restart comes 24 minutes into an interval of an hour: less than half, by which a shut-down is known
    generate(tmp_path / "site", days=0.375, queue_managers=2, interval_minutes=60, accounting_every=4, events=True)
    dumps = [*sorted(DUMPS.glob("*.dat")), *sorted((tmp_path / "site" / "dumps").glob("*.dat"))]
    raw.ingest(session(), [str(dump) for dump in dumps], tmp_path / "tables")
    conformed.build(session(), tmp_path / "tables")
    lines = accounts(session(), tmp_path / "tables")
    assert {line.structure for line in lines} >= {"qmst", "qjst", "qpst", "qcst", "qctdsp", "wtas", "wq", "qmac"}
    assert [line for line in lines if line.missing or line.copies] == []
    overview = conformed.table(session(), tmp_path / "tables", "queue_manager_interval")
    kinds = {row["interval_kind"] for row in overview.select("interval_kind").distinct().collect()}
    assert kinds >= {"start-up", "shut-down", "short", "normal"}
