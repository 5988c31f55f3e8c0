"""The forecast in the report: which series are drawn, how, and what is said of them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

pytest.importorskip("pyspark")

from libremq.pipeline.forecast.result import SeriesForecast, Status
from libremq.pipeline.report.content import LineChart
from libremq.pipeline.report.parts.forecasts_part import CHARTS_MAX, nearest, section

START = datetime(2026, 1, 5)


def forecast(qmgr: str = "QM01", status: Status = "not within the horizon", **more: Any) -> SeriesForecast:
    history = [(START + timedelta(days=day), 10.0 + day / 10) for day in range(more.pop("days", 40))]
    high = more.pop("high", 20.0)
    after = START + timedelta(days=40)
    given: dict[str, Any] = {
        "measure": "log_rate",
        "object": "",
        "title": "log rate",
        "unit": "MB/s",
        "limit": 50.0,
        "limit_source": "site fact",
        "limit_words": "half of what the log devices take",
        "history": history,
        "predicted": [(after + timedelta(days=day), 14.0, 12.0, high) for day in range(30)],
        "hour_profile": None,
        "weekday_profile": [None] * 7,
        "growth_per_week": 4.0,
        "growth_low": 3.0,
        "growth_high": 5.0,
        "reached": None,
        "reached_early": None,
        "reached_late": None,
        "note": "",
        "backtest_coverage": 0.9,
        "backtest_error": 0.05,
    }
    return SeriesForecast(qmgr=qmgr, status=status, **{**given, **more})


def charts(*forecasts: SeriesForecast) -> list[LineChart]:
    return [chart for chart in section(forecasts).charts if isinstance(chart, LineChart)]


def test_without_a_forecast_the_page_says_so() -> None:
    made = section([])
    assert made.charts == ()
    assert made.notes == ("No forecast was made: run `libremq pipeline forecast` first.",)


def test_too_little_history_is_a_table_and_a_reason() -> None:
    made = section([forecast(status="too little history", predicted=[], note="3 days are known.")])
    assert made.charts == ()
    assert made.notes == ("No series has enough history to be forecast.",)
    assert made.tables[0].rows[0][-1] == "3 days are known."


def test_history_expectation_interval_limit_and_day_are_drawn() -> None:
    day = START + timedelta(days=60)
    (chart,) = charts(forecast(status="reached", reached=day, reached_early=day, reached_late=day))
    past, future = chart.lines
    assert (past.name, len(past.times)) == ("measured", 40)
    assert (future.low[0], future.values[0], future.high[0], future.dashed) == (12.0, 14.0, 20.0, True)
    assert [limit.value for limit in chart.limits] == [50.0]
    assert chart.marks[0][1] == "reached about 6 Mar 2026"
    assert "reaches 50 MB/s" in chart.reading


def test_a_day_that_only_the_upper_bound_meets_is_not_marked() -> None:
    (chart,) = charts(forecast(status="may be reached", reached_early=START + timedelta(days=60)))
    assert chart.marks == ()


def test_the_urgent_come_first_and_calm_ones_once_for_each_measure() -> None:
    calm = [forecast(f"QM{number:02d}", high=20.0 + number) for number in range(10)]
    other = forecast("QM20", measure="pages", title="page set", high=49.0)
    urgent = forecast("QM99", "may be reached", reached_early=START + timedelta(days=50))
    assert [chart.title for chart in charts(*calm, other, urgent)] == [
        "QM99 log rate", "QM20 page set", "QM09 log rate"
    ]  # fmt: skip
    many = [forecast(f"QM{number:02d}", "already over") for number in range(20)]
    assert len(charts(*many)) == CHARTS_MAX


def test_long_histories_are_thinned_and_keep_their_last_day() -> None:
    (chart,) = charts(forecast(days=999))
    assert len(chart.lines[0].times) <= 300
    assert chart.lines[0].values[-1] == 10.0 + 998 / 10


def test_a_wild_interval_does_not_press_the_rest_to_the_ground() -> None:
    (wild,) = charts(forecast(high=9_000.0))
    assert wild.top == 100.0
    assert "reaches beyond the chart" in wild.reading
    (tame,) = charts(forecast())
    assert tame.top is None


def test_the_summary_says_what_is_over_and_what_is_next() -> None:
    over = forecast("QM02", "already over", reached=START)
    late = START + timedelta(days=90)
    coming = forecast("QM03", "reached", reached=late, reached_early=late, reached_late=late)
    told = nearest([coming, over, forecast("QM01", "already over", reached=START)])
    assert told.startswith("Over its limit by now: QM01 log rate (50 MB/s) and 1 series more. Next to run out: QM03")
    assert nearest([forecast()]) == ""
