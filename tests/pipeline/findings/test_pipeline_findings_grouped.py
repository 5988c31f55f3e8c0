"""Findings brought together: one row for a rule and an object, with its worst interval."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

pytest.importorskip("pyspark")
from helper_spark import session

from libremq.pipeline.findings import NoFindingsError, grouped, read

FIRST = datetime(2026, 3, 2, 8)


def _found(rule: str, severity: str, hour: int, value: float | None, threshold: float | None) -> tuple[object, ...]:
    begins = FIRST + timedelta(hours=hour)
    place = ("buffer_pool", "SYSA", "QM01", begins, begins + timedelta(hours=1), "3")
    return (rule, severity, *place, value, threshold, {"value": str(value)}, f"at {value}", "R-1", "L1", False)


def test_the_worst_is_farthest_from_the_threshold_on_either_side() -> None:
    from libremq.pipeline.rules.rule_evaluation import FINDINGS_SCHEMA

    rows = [
        *(_found("too-low", "warning", hour, value, 15.0) for hour, value in enumerate((11.0, 2.0, 14.0))),
        *(_found("too-high", "severe", hour, value, 90.0) for hour, value in enumerate((91.0, 99.0))),
        _found("plain", "info", 0, None, None),
    ]
    told = grouped(session().createDataFrame(rows, FINDINGS_SCHEMA)).collect()
    assert [(row.rule, row.intervals, row.worst.value) for row in told] == [
        ("too-high", 2, 99.0),
        ("too-low", 3, 2.0),
        ("plain", 1, None),
    ]
    assert (told[1].first, told[1].last) == (FIRST, FIRST + timedelta(hours=3))
    assert told[1].worst.advice == "at 2.0"


def test_tables_that_nobody_judged_say_so(tmp_path: Path) -> None:
    with pytest.raises(NoFindingsError, match="run `libremq pipeline findings`"):
        read(session(), tmp_path)
