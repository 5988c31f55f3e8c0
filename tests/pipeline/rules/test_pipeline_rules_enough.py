"""Rules that are wrong where there is too little to judge, or where another column shows the contrary.

The cases are those of a real, busy release: written from what its records said, not with the generator.
"""

from __future__ import annotations

from typing import Any

import pytest

from helper_rows import over_rows
from libremq.pipeline.rules.demands import CONTRADICTIONS, OWN, SORTS, contrary_of, count_of, demand_of, time_of
from libremq.pipeline.rules.rule import Rule, judge
from libremq.pipeline.rules.rule_catalogue import BY_ID, RULES, columns_of, joins_of
from libremq.pipeline.rules.settings import SETTINGS

START_UP = {"interval_seconds": 0.74, "interval_kind": "start-up", "seconds_since_start": 0.0}

every_rule = over_rows("rule", RULES, ids=lambda rule: rule.id)


@every_rule
def test_every_rule_says_what_it_needs(rule: Rule) -> None:
    demand = demand_of(rule)
    assert demand.sort in SORTS
    assert demand.words
    for expression in (time_of(rule), count_of(rule), contrary_of(rule)):
        for name in expression.names if expression else ():
            subject, _, column = name.rpartition(".")
            assert column in columns_of(subject or rule.subject) or name in SETTINGS, name
            assert not subject or joins_of(rule.subject, subject)


def test_tables_name_rules_that_there_are() -> None:
    assert set(OWN) | set(CONTRADICTIONS) <= set(BY_ID)


def test_a_pool_that_was_never_full_is_not_said_to_have_been() -> None:
    rule = BY_ID["pool-synchronous-write-limit"]
    row = {"buffer_pool": 3, "synchronous_write_limit_hits": 2, "stealable_lowest_pct": 99.6, **START_UP}
    verdict = judge(rule, row)
    assert (verdict.fires, verdict.contradicted) == (False, True)
    assert judge(rule, {**row, "stealable_lowest_pct": 3.0}).fires is True
    assert judge(rule, {**row, "stealable_lowest_pct": None}).fires is True


def test_78_reads_of_a_start_are_no_rate() -> None:
    rule = BY_ID["db2-undefined-queue-opens"]
    row: dict[str, Any] = {"reads": 78, **START_UP}
    verdict = judge(rule, row)
    assert (verdict.fires, verdict.too_little) == (None, True)
    steady = {"reads": 9000, "interval_seconds": 60.0, "interval_kind": "normal", "seconds_since_start": None}
    assert judge(rule, {**steady, "message_manager.opens": 9000, "message_manager.put1s": 0}).fires is True
    assert judge(rule, {**steady, "message_manager.opens": 12, "message_manager.put1s": 0}).contradicted


def test_one_checkpoint_in_three_minutes_is_not_20_an_hour() -> None:
    rule = BY_ID["log-checkpoints-often"]
    row = {
        "checkpoints": 1, "checkpoints_per_hour": 20.45, "requests_per_checkpoint": 1008.0, "interval_seconds": 176.0,
        "interval_kind": "normal", "seconds_since_start": 0.79,
    }  # fmt: skip
    assert judge(rule, row).too_little
    long = {**row, "interval_seconds": 1800.0, "checkpoints": 11, "seconds_since_start": None}
    assert judge(rule, long).contradicted
    assert judge(rule, {**long, "requests_per_checkpoint": 450_000.0}).fires is True


def test_43_minutes_with_a_restart_are_not_a_day() -> None:
    rule = BY_ID["pool-pages-read-again"]
    rows = tuple(
        {"pages_read": 9000, "pages_written": 100, "interval_seconds": 645.0, "interval_start": 645.0 * number,
         "seconds_since_start": 645.0 * number}
        for number in range(4)
    )  # fmt: skip
    assert judge(rule, rows).too_little
    day = tuple({**row, "interval_seconds": 6 * 3600.0} for row in rows)
    assert judge(rule, day).contradicted
    assert judge(rule, tuple({**row, "seconds_since_start": None} for row in day)).fires is True


def test_an_idle_pool_is_not_said_to_be_too_large() -> None:
    rule = BY_ID["pool-half-unused"]
    idle = {"used_highest_pct": 0.1, "old_page_requests": 40, "new_page_requests": 2, "page_updates": 1}
    week = {"interval_seconds": 86_400.0}
    assert judge(rule, ({**idle, "interval_seconds": 1800.0},) * 16).too_little
    assert judge(rule, ({**idle, **week},) * 7).too_little
    used = {"used_highest_pct": 20.0, "old_page_requests": 400_000, "new_page_requests": 9000, "page_updates": 1}
    assert judge(rule, ({**used, **week},) * 7).fires is True


@pytest.mark.parametrize(("size", "rate"), [(4096, 9.0), (1000, 9.0), (1000, 1.0), (1000, 0.9)])
def test_no_log_larger_than_there_can_be_is_advised(size: float, rate: float) -> None:
    rule = BY_ID["log-data-set-fills-fast"]
    advice = judge(rule, {"log_dataset_mb": size, "log_mb_per_second": rate}).advice
    wanted = [float(word.replace(",", "")) for word, unit in zip(advice.split(), advice.split()[1:]) if unit == "MB"]
    assert wanted
    assert max(wanted) <= 4096


def test_a_rate_of_a_minute_is_one() -> None:
    rule = BY_ID["dispatcher-saturated"]
    row = {"busy_pct": 91.0, "requests": 90_000, "interval_seconds": 59.77, "interval_kind": "normal"}
    assert judge(rule, row).fires is True
    assert judge(rule, {**row, "interval_seconds": 2.0}).too_little
    assert judge(rule, {**row, "interval_kind": "shut-down"}).too_little
