"""Forecasts of a small site through Spark: four weeks of hours of two queue managers, written as conformed tables."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("statsmodels")
import helper_tables_conformed
import pyarrow as pa
from helper_spark import session

from libremq.pipeline.forecast import build as forecasts
from libremq.pipeline.forecast.result import SeriesForecast
from libremq.pipeline.rules.site_facts import SiteFacts
from libremq.pipeline.tables.subjects import column

FIRST = datetime(2026, 3, 2, tzinfo=UTC)
"""A Monday."""
DAYS = 28
OFFSET_MINUTES = 120


def write(root: Path, table: str, rows: list[dict[str, Any]]) -> None:
    """Rows of a conformed table; columns not named read as unknown. All lie under one day: fewer files to open."""
    arrow = {"int": pa.int32(), "bigint": pa.int64(), "double": pa.float64(), "timestamp": pa.timestamp("us", "UTC")}
    names = [name for name in rows[0] if name != "qmgr"]
    columns = {name: pa.array([row[name] for row in rows], arrow[column(f"{table}.{name}").type]) for name in names}
    columns["qmgr"] = pa.array([row["qmgr"] for row in rows])
    helper_tables_conformed.write(root, table, f"{FIRST:%Y-%m-%d}", pa.table(columns))


def hours(qmgr: str) -> list[tuple[int, dict[str, Any]]]:
    return [
        (
            hour,
            {
                "qmgr": qmgr,
                "interval_start": FIRST + timedelta(hours=hour),
                "interval_seconds": 3600.0,
                "utc_offset_minutes": OFFSET_MINUTES,
            },
        )
        for hour in range(24 * DAYS)
    ]


def load_of(hour: int) -> float:
    """Busy at 10 in the morning UTC, 4 % more each week, with a ripple that is no trend."""
    return (1 + 0.04 * hour / 168) * (1 + 0.5 * math.cos(2 * math.pi * (hour - 10) / 24)) * (1 + 0.01 * math.sin(hour))


@dataclass
class Made:
    root: Path
    report: forecasts.ForecastReport
    told: list[str]

    def one(self, qmgr: str, measure: str, name: str = "") -> SeriesForecast:
        (found,) = (
            each for each in self.report.series if (each.qmgr, each.measure, each.object) == (qmgr, measure, name)
        )
        return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    root = tmp_path_factory.mktemp("site")
    write(root, "log", [
        {**common, "log_mb_per_second": 20 * load_of(hour), "log_writer_busy_pct": 30.0}
        for qmgr in ("QM01", "QM02") for hour, common in hours(qmgr)
    ])  # fmt: skip
    write(root, "page_set", [
        # Page set 4 fills by a steady amount and was made larger on the way; 5 stays as it is.
        {**common, "page_set": number, "used_pages": used(hour), "size_mb": 100.0 if hour < 300 else 200.0}
        for hour, common in hours("QM01") for number, used in ((4, lambda hour: 25_600 + 15 * hour), (5, lambda _: 9))
    ])  # fmt: skip
    write(root, "queue_accounting", [
        {**common, "mqi_cpu_us": int(1_800_000_000 * load_of(hour))}
        for hour, common in hours("QM01") for _ in range(2)
    ])  # fmt: skip
    write(root, "channel_initiator", [{**common, "storage_31_mb": 300} for hour, common in hours("QM02") if hour < 96])
    site = SiteFacts.of(
        {"queue_managers": {"QM01": {"log_mb_per_second_max": 84.0}}, "thresholds": {"page-set-expanding": 80}}
    )
    told: list[str] = []
    return Made(root, forecasts.build(session(), root, site, tell=told.append), told)


def test_log_rate_reaches_half_of_what_the_devices_take(made: Made) -> None:
    found = made.one("QM01", "log_rate")
    assert (found.limit, found.unit, found.status) == (42.0, "MB/s", "reached")
    assert found.limit_source == "50 % of 84, site fact log_mb_per_second_max"
    # The highest hour of a day is 30 MB/s at first and 1.2 more each week.
    expected = datetime(2026, 3, 2) + timedelta(weeks=(42 / 30 - 1) / 0.04)
    assert found.reached_early is not None and found.reached is not None
    assert found.reached_early <= expected
    assert found.reached_late is None or expected <= found.reached_late
    assert abs(found.reached - expected) < timedelta(days=14)
    assert found.growth_per_week == pytest.approx(4 / 1.16, abs=0.7)
    assert found.as_text()[0].startswith("QM01 log rate grows 3.")
    assert "reaches 42 MB/s, half of what the log devices take, about 2026-0" in found.as_text()[0]


def test_hours_are_those_of_the_system(made: Made) -> None:
    found = made.one("QM01", "log_rate")
    assert found.hour_profile is not None and len(found.hour_profile) == 24
    assert found.hour_profile.index(max(found.hour_profile)) == 12
    # Midnight of local time: the last local day has only two hours and does not count.
    assert (found.history[0][0], found.history[-1][0]) == (datetime(2026, 3, 2), datetime(2026, 3, 29))


def test_a_limit_nobody_gave_is_asked_for(made: Made) -> None:
    found = made.one("QM02", "log_rate")
    assert (found.limit, found.status) == (None, "no limit known")
    assert found.predicted and found.growth_per_week is not None
    assert "give the site fact log_mb_per_second_max" in found.as_text()[0]


def test_limit_of_a_page_set_is_its_size_by_the_sites_own_threshold(made: Made) -> None:
    found = made.one("QM01", "page_set_used", "4")
    assert found.limit == pytest.approx(160.0)
    assert found.limit_source == "80 % of page_set.size_mb, threshold of rule page-set-expanding set by the site"
    assert found.note.startswith("Its size changed meanwhile")
    # 100 MB at first and 1.406 more each day.
    assert found.reached is not None
    assert abs(found.reached - datetime(2026, 4, 13, 16)) < timedelta(days=3)
    still = made.one("QM01", "page_set_used", "5")
    assert (still.status, still.growth_per_week) == ("not within the horizon", 0.0)


def test_amounts_of_tasks_are_added_up_and_made_a_rate(made: Made) -> None:
    found = made.one("QM01", "mqi_cpu")
    assert found.hour_profile is not None
    assert found.hour_profile[12] == pytest.approx(2 * 0.5 * 1.5 * 1.08, rel=0.05)


def test_few_days_give_no_number(made: Made) -> None:
    found = made.one("QM02", "chinit_storage_31")
    assert (found.status, found.predicted, found.reached) == ("too little history", [], None)
    assert found.limit == pytest.approx(0.8 * 1501)
    assert any("assumed" in line for line in found.as_text())


def test_report_is_told_in_order_of_urgency_and_fit_for_json(made: Made) -> None:
    assert [each.status for each in made.report.series][:2] == ["reached", "reached"]
    assert made.report.series[-1].status == "too little history"
    assert "cf_entries" in made.report.without_data and "log_rate" not in made.report.without_data
    content = json.loads(json.dumps(made.report.as_dict(), allow_nan=False))
    assert len(content["series"]) == len(made.report.series) == 8
    assert made.told[-1] == "8 series forecast"
    assert "entries of CF structure ..." in made.report.as_text()[-1]


def test_what_was_written_is_read_again_even_after_a_run_that_broke_off(made: Made, tmp_path: Path) -> None:
    shutil.copytree(made.root / "forecast", tmp_path / "forecast")
    left = tmp_path / "forecast" / "0123456789abcdef"
    left.mkdir()
    (left / "part-0.parquet").write_bytes(b"broken off")
    assert forecasts.load(session(), tmp_path) == list(made.report.series)


def test_a_site_without_tables_has_nothing_to_forecast(tmp_path: Path) -> None:
    assert forecasts.load(session(), tmp_path) == []
    report = forecasts.build(session(), tmp_path)
    assert report.series == () and "log_rate" in report.without_data
    assert report.as_text() == [
        "Nothing to forecast: the conformed tables are empty. Ingest dumps and build the tables first."
    ]
    with pytest.raises(ValueError, match="horizon of 0 days"):
        forecasts.build(session(), tmp_path, horizon_days=0)
