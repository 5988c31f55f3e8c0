"""A report gathered in Spark from small tables: the figures in it are those of the tables, and what lacks is said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import helper_tables_conformed
import pytest
from helper_spark import session

pytest.importorskip("pyspark")

from pyspark.sql.types import StructType

from libremq.pipeline.report import rendered
from libremq.pipeline.report.content import BarChart, Chart, HeatMap, LineChart, Report, Section
from libremq.pipeline.report.gather import gather
from libremq.pipeline.report.parts.source_part import STRETCHES, Source, line_of
from libremq.pipeline.rules.rule_catalogue import BY_ID
from libremq.pipeline.rules.rule_evaluation import evaluate
from libremq.pipeline.rules.site_facts import SiteFacts
from libremq.pipeline.tables import conformed, marts
from libremq.pipeline.tables.conformed_store import Store
from libremq.pipeline.tables.subjects import subject

START = datetime(2026, 3, 2, tzinfo=UTC)
HOURS = 48
SICK = range(30, 34)
"""Hours in which pool 1 of QM01 is nearly full."""

QUEUE = "<b>PAY|IN</b>"
SITE = SiteFacts.of({"queue_managers": {"QM01": {"log_mb_per_second_max": 50}}})


def interval(qmgr: str, hour: int, **more: Any) -> dict[str, Any]:
    begin = START + timedelta(hours=hour)
    common = {"day": begin.date(), "qmgr": qmgr, "system": "SYSA", "utc_offset_minutes": 0, "release": "940"}
    times = {"interval_start": begin, "interval_end": begin + timedelta(hours=1), "interval_seconds": 3600.0}
    return {**common, **times, **more}


def put(root: Path, name: str, rows: list[dict[str, Any]]) -> None:
    """Write rows of a conformed table, with the columns that are named."""
    spark = session()
    schema = cast(StructType, StructType.fromDDL(subject(name).ddl))
    assert not {key for row in rows for key in row} - set(schema.names)
    frame = spark.createDataFrame([tuple(row.get(key) for key in schema.names) for row in rows], schema)
    helper_tables_conformed.put(root, name, frame)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    hours = [(qmgr, hour) for qmgr in ("QM01", "QM02") for hour in range(HOURS) if (qmgr, hour) != ("QM02", 20)]
    put(folder, "queue_manager_interval", [
        interval(qmgr, hour, messages_put=1000 + hour, log_bytes=1048576 * 3600, stealable_lowest_pct=50.0)
        for qmgr, hour in hours
    ])  # fmt: skip
    put(folder, "buffer_pool", [
        interval(qmgr, hour, buffer_pool=1, buffers=1000, stealable_lowest_buffers=10 * low,
                 stealable_lowest_pct=float(low), no_buffer_suspensions=0)
        for qmgr, hour in hours
        for low in [2 if qmgr == "QM01" and hour in SICK else 60]
    ])  # fmt: skip
    put(folder, "log", [
        interval(qmgr, hour, log_bytes=1048576 * 3600, log_mb_per_second=25.0 if hour == 9 else 1.0, checkpoints=1)
        for qmgr, hour in hours
    ])  # fmt: skip
    put(folder, "queue", [
        interval("QM01", 5, queue=QUEUE, messages_put=70, gets=70, bytes_put=7000, depth_high=9),
        interval("QM02", 5, queue="OTHER", messages_put=30, gets=30, bytes_put=3000, depth_high=1),
    ])  # fmt: skip
    marts.build(session(), folder)
    rules = [BY_ID["pool-nearly-full"], BY_ID["log-rate-at-limit"], BY_ID["log-data-set-fills-fast"]]
    # All rules would take longer than the rest of the tests.
    with Store(folder).replacing("findings") as fresh:
        evaluate(conformed.tables(session(), folder), SITE, rules).write(str(fresh))
    return folder


@pytest.fixture(scope="module")
def report(root: Path) -> Report:
    return gather(session(), root, SITE, made_at=datetime(2026, 3, 4, tzinfo=UTC))


def part(report: Report, name: str) -> Section:
    return next(section for section in report.sections if section.id == name)


def chart(report: Report, name: str) -> Chart:
    return next(chart for chart in report.charts if chart.id == name)


def test_the_overview_counts_all(report: Report) -> None:
    told = report.overview
    assert (told.queue_managers, told.systems, told.intervals) == (2, 1, 2 * HOURS - 1)
    assert (told.first, told.last) == (START, START + timedelta(hours=HOURS))
    assert told.messages_put == 2 * sum(1000 + hour for hour in range(HOURS)) - 1020
    assert told.log_gb == pytest.approx((2 * HOURS - 1) * 3600 / 1024)
    assert report.summary.paragraphs[0].startswith("2 queue managers on 1 system, 95 intervals over 2 days")


def test_findings_of_one_rule_and_object_are_one_group(report: Report) -> None:
    (group,) = [group for group in report.found.groups if group.rule == "pool-nearly-full"]
    assert (group.severity, group.intervals, group.objects_in_all) == ("severe", len(SICK), 1)
    assert group.queue_managers == ("QM01",)
    assert (group.first, group.last) == (START + timedelta(hours=30), START + timedelta(hours=34))
    (concerned,) = group.concerned
    assert (concerned.object, concerned.value, concerned.threshold) == ("1", 2.0, 5.0)
    assert concerned.worst in [START + timedelta(hours=hour) for hour in SICK]
    assert "page 21 (L1101-L1103)" in group.source_lines
    assert report.summary.steps[0].rule == report.found.groups[0].rule


def test_the_account_of_the_rules_is_whole(report: Report) -> None:
    coverage = report.found.coverage
    assert (coverage.evaluated, coverage.not_evaluated, coverage.no_rows) == (2, 1, 0)
    (missing,) = coverage.missing
    assert (missing.kind, missing.name, missing.rules) == (
        "site fact", "log_dataset_mb", ("log-data-set-fills-fast",)
    )  # fmt: skip
    assert missing.meaning == "size of an active log (MB)"


def test_pools_are_drawn_worst_first_with_their_thresholds(report: Report) -> None:
    drawn = chart(report, "pool-free-buffers")
    assert isinstance(drawn, LineChart)
    assert [line.name for line in drawn.lines] == ["QM01 pool 1", "QM02 pool 1"]
    assert min(value for value in drawn.lines[0].values if value is not None) == 2.0
    assert [limit.value for limit in drawn.limits] == [15.0, 5.0]
    assert "to 2.0 % free buffers on Tue 3 Mar 2026 06:00 UTC; 1 pool of 2 went below 15 %" in drawn.reading
    (table,) = part(report, "buffer-pools").tables
    assert table.rows[0][:2] == ("QM01", 1)
    assert table.rows[0][6] == len(SICK)


def test_log_rate_is_held_against_the_capacity_that_is_known(report: Report) -> None:
    drawn = chart(report, "log-rate")
    assert isinstance(drawn, LineChart)
    assert [(limit.value, limit.text) for limit in drawn.limits] == [(50.0, "capacity of QM01 50 MB/s")]
    assert "QM01 made most, 25 MB a second on Mon 2 Mar 2026 09:00 UTC: 50 % of what its devices take." in drawn.reading


def test_queues_are_those_of_the_fuller_records(report: Report) -> None:
    drawn = chart(report, "top-queues")
    assert isinstance(drawn, BarChart)
    assert drawn.names == (f"QM01 {QUEUE}", "QM02 OTHER")
    assert [bars.values for bars in drawn.bars] == [(70.0, 30.0), (70.0, 30.0)]
    assert "has 70 % of the messages" in drawn.reading
    assert part(report, "queues").notes == ("No processor time by queue: that needs accounting class 3 (SMF 116).",)


def test_the_heat_map_has_every_hour(report: Report) -> None:
    drawn = chart(report, "messages-by-day")
    assert isinstance(drawn, HeatMap)
    assert drawn.rows == ("Mon 2 Mar", "Tue 3 Mar")
    assert drawn.values[0][20] == 1020.0, "the hour that QM02 lacks"
    assert drawn.values[1][23] == 2 * 1047.0
    assert "The fullest hour was Tuesday 3 March from 23:00" in drawn.reading


def test_what_was_not_recorded_is_said(report: Report) -> None:
    told = " ".join(report.summary.paragraphs)
    for words in ("No channel initiator records", "No page set records", "No task records", "No forecast was made"):
        assert words in told, words
    assert not part(report, "channel-initiator").charts


def test_the_page_of_it_is_written(report: Report) -> None:
    page = rendered(report)
    assert "<b>PAY" not in page
    assert "&lt;b&gt;PAY|IN&lt;/b&gt;" in page


def test_series_are_thinned_to_their_worst_points(root: Path) -> None:
    """A year of minutes comes back as some hundred points, and the one bad minute is among them."""
    from pyspark.sql import functions as F

    minutes = 366 * 24 * 6
    rows = session().range(minutes).select(
        F.timestamp_seconds(F.lit(int(START.timestamp())) + F.col("id") * 600).alias("interval_start"),
        F.when(F.col("id") == 12_345, 1.0).otherwise(80.0).alias("low"),
    )  # fmt: skip
    source = Source(session(), root, SiteFacts(), START, START + timedelta(days=366))
    made = source.series(rows, F.lit("QM01"), "low", "low")
    (line,) = made.lines
    assert STRETCHES - 2 <= len(line.times) <= STRETCHES + 1
    assert made.worst == 1.0
    assert made.worst_at == START + timedelta(minutes=123_450)
    assert made.worst_at in line.times


def test_a_gap_in_the_records_is_a_gap_in_the_line() -> None:
    hours = [*range(5), *range(20, 25)]
    line = line_of("QM01", [(START + timedelta(hours=hour), 1.0) for hour in hours])
    assert line.values == (1.0,) * 5 + (None,) + (1.0,) * 5
    assert line.times[5] == START + timedelta(hours=5)


def test_a_folder_without_tables_gives_a_report_that_says_so(tmp_path: Path) -> None:
    made = gather(session(), tmp_path / "nothing")
    assert not made.found.made
    assert made.charts == ()
    assert "The tables have no interval of any queue manager" in made.summary.paragraphs[0]
    assert "Findings were not made" in rendered(made)
