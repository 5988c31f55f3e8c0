"""What is forecast is data: every measure names columns, rules and facts that exist; and how a forecast reads."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

import pytest

from libremq.pipeline.forecast.result import SeriesForecast
from libremq.pipeline.forecast.series import MEASURES, KnownLimit, Measure, limit_of
from libremq.pipeline.rules.rule_catalogue import BY_ID
from libremq.pipeline.rules.settings import OBJECT_KINDS, SETTINGS
from libremq.pipeline.rules.site_facts import SiteFacts
from libremq.pipeline.tables.subjects import subject

FACTS = SiteFacts.of(
    {
        "site": {"processors": 4, "chinit_region_mb": 1600},
        "queue_managers": {"QM01": {"log_mb_per_second_max": 112}},
        "objects": {"structure": [{"name": "APP1", "structure_entries_max": 230000}]},
    }
)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=lambda measure: measure.name)
def test_measure_names_what_exists(measure: Measure) -> None:
    limit = measure.limit
    sources = [(measure.table, measure.value), *measure.also]
    if limit and limit.column:
        sources.append((measure.table, limit.column))
    if measure.object:
        sources.append((measure.table, measure.object))
        assert "{object}" in measure.title
    for table, expression in sources:
        for name in re.findall(r"[a-z_][a-z0-9_]*(?!\w*\()", expression):
            assert name == "coalesce" or subject(table).column(name)
    if limit and limit.fact:
        assert SETTINGS[limit.fact].kind == "number"
        assert limit.fact_kind in ("", *OBJECT_KINDS)
    if limit and limit.rule:
        threshold = BY_ID[limit.rule].threshold
        if limit.rule_gives == "percent":
            assert threshold == pytest.approx(100 * limit.share), "the rule and the forecast hold different limits"


@pytest.mark.parametrize(
    ("measure", "qmgr", "name", "in_table", "expected"),
    [
        ("log_rate", "QM01", "", None, 56.0),
        ("page_set_used", "QM01", "4", 1000.0, 900.0),
        ("cf_entries", "QM01", "APP1", None, 184000.0),
        ("chinit_storage_31", "QM01", "", None, 1280.0),
        ("chinit_cpu", "QM02", "", None, 4.0),
        ("dispatcher_busiest", "QM02", "", None, 80.0),
    ],
)
def test_limit_comes_from_table_fact_or_share(
    measure: str, qmgr: str, name: str, in_table: float | None, expected: float
) -> None:
    found = limit_of(MEASURES[measure], FACTS, qmgr, name, in_table)
    assert isinstance(found, KnownLimit)
    assert found.value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("log_rate", "give the site fact log_mb_per_second_max"),
        ("cf_entries", "give the site fact structure_entries_max of the structure"),
        ("page_set_used", "page_set.size_mb was not recorded"),
        ("message_rate", None),
    ],
)
def test_limit_that_is_not_known_says_what_is_missing(measure: str, expected: str | None) -> None:
    assert limit_of(MEASURES[measure], SiteFacts(), "QM01", "APP2", None) == expected


def test_threshold_of_the_site_moves_the_limit() -> None:
    own = SiteFacts.of({"thresholds": {"log-rate-over-plan": 70, "page-set-expanding": 50}})
    log, page_set = (limit_of(MEASURES[name], own, "QM01", "4", 1000.0) for name in ("log_rate", "page_set_used"))
    assert isinstance(log, KnownLimit) and isinstance(page_set, KnownLimit)
    assert (log.value, page_set.value) == (70.0, 500.0)
    assert "set by the site" in page_set.source


DAY = datetime(2026, 5, 10)
LOG = SeriesForecast(
    "QM01", "log_rate", "", "log rate", "MB/s", 56.0, "50 % of 112, site fact log_mb_per_second_max",
    "half of what the log devices take", [(datetime(2026, 3, 1), 40.0)], [(datetime(2026, 6, 30), 60.0, 50.0, 70.0)],
    None, [None] * 7, 3.1, 2.4, 3.8, DAY, datetime(2026, 4, 28), datetime(2026, 6, 2), "reached", "", 0.91, 0.06,
)  # fmt: skip


def test_text_of_a_limit_that_is_reached() -> None:
    assert LOG.as_text() == [
        "QM01 log rate grows 3.1 % a week (2.4 to 3.8); reaches 56 MB/s, half of what the log devices take,"
        " about 2026-05-10 (between 04-28 and 06-02)",
        "  On days held back 91 % fell into the interval and the middle missed by 6 %.",
    ]
    open_end = replace(LOG, reached_late=None, reached_early=datetime(2025, 12, 30))
    assert open_end.as_text()[0].endswith("(2025-12-30 at the earliest, not for sure by 2026-06-30)")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"status": "already over"}, "is already over 56 MB/s, half of what the log devices take, since 2026-05-10"),
        ({"status": "may be reached", "reached": None}, "from 2026-04-28 on, though more likely not by 2026-06-30"),
        ({"status": "not within the horizon"}, "stays below 56 MB/s, half of what the log devices take, until 2026-06"),
        ({"status": "no limit known", "limit": None, "limit_source": "give X"}, "has no limit to hold it against: giv"),
        ({"status": "too little history", "growth_per_week": None}, "log rate is not forecast: too little history"),
        ({"growth_per_week": -2.0, "growth_low": -3.0, "growth_high": -1.0}, "falls 2.0 % a week (1.0 to 3.0)"),
        ({"growth_per_week": 0.0, "growth_low": 0.0, "growth_high": 0.0}, "log rate does not change; reaches"),
        ({"growth_per_week": 0.02, "growth_low": 0.01, "growth_high": 0.04}, "log rate hardly changes; reaches"),
        ({"growth_low": -0.5}, "neither grows nor falls for sure (-0.5 to +3.8 % a week)"),
    ],
)
def test_text_of_each_status(changes: dict[str, object], expected: str) -> None:
    assert expected in replace(LOG, **changes).as_text()[0]  # type: ignore[arg-type]


def test_text_of_a_measure_without_a_limit_tells_growth_only() -> None:
    told = replace(LOG, status="no limit known", limit=None, limit_source="", limit_words="").as_text()[0]
    assert told == "QM01 log rate grows 3.1 % a week (2.4 to 3.8)"


def test_most_urgent_comes_first() -> None:
    over, later, quiet = (
        replace(LOG, status="already over"),
        replace(LOG, reached=datetime(2026, 6, 1)),
        replace(LOG, status="no limit known", reached=None, reached_early=None),
    )
    assert sorted([quiet, later, LOG, over], key=lambda each: each.urgency) == [over, LOG, later, quiet]


def test_dict_has_days_as_text() -> None:
    told = LOG.as_dict()
    assert (told["reached"], told["history"], told["predicted"]) == (
        "2026-05-10", [["2026-03-01", 40.0]], [["2026-06-30", 60.0, 50.0, 70.0]],
    )  # fmt: skip
