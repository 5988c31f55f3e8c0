"""Findings on records as a real, busy release writes them, made by hand from what its records said.

One queue manager starts, runs idle for minutes, and is started again: nothing is wrong with it. Another has the same
counters to the extent that they mean something, over whole intervals: that is found. None of this comes from the
generator, whose notion of a record is ours.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
from helper_spark import session
from helper_tables_raw import MORNING, interval, numbers, write

from libremq.pipeline.rules.rule_catalogue import BY_ID
from libremq.pipeline.rules.rule_evaluation import Evaluation, evaluate
from libremq.pipeline.tables import conformed
from libremq.pipeline.tables.suspicions import suspects

WRONG_ONCE = (
    "pool-synchronous-write-limit",
    "db2-undefined-queue-opens",
    "log-checkpoints-often",
    "pool-pages-read-again",
    "pool-half-unused",
)
"""What was said of the first queue manager, all of it wrong or unsupported."""

IDLE, BUSY = "QM01", "QM02"


def write_run(root: Path, qmgr: str, start: datetime, seconds: float, **figures: int) -> None:
    """One interval with these figures; everything else is 0."""
    opens = {"qmstopen": figures.get("opens", 0)}
    write(root, "qmst", interval(start, seconds, qmgr, **{**numbers("qmst"), **opens}))
    write(root, "q5st", interval(start, seconds, qmgr, **{**numbers("q5st"), "readcnt": figures.get("reads", 0)}))
    log = {"qjstllcp": figures.get("checkpoints", 0), "qjstwrw": figures.get("log_requests", 0)}
    write(root, "qjst", interval(start, seconds, qmgr, **{**numbers("qjst"), **log}))
    pool: dict[str, Any] = {
        **numbers("qpst"), "qpstpool": 1, "qpstnbuf": 100_000, "qpstcbsl": figures.get("lowest", 99_600),
        "qpstcbs": min(99_600, figures.get("lowest", 99_600)), "qpstdmc": figures.get("hits", 0),
        "qpstrio": figures.get("pages_read", 0), "qpsttpw": figures.get("pages_written", 0),
        "qpstgetp": figures.get("requests", 40),
    }  # fmt: skip
    write(root, "qpst", interval(start, seconds, qmgr, subtype=215, **pool))


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Evaluation]:
    root = tmp_path_factory.mktemp("real")
    now = MORNING
    for seconds in (0.74, 176.0, 645.0, 645.0, 0.79, 645.0):
        start_up = seconds < 1
        write_run(
            root, IDLE, now, seconds, reads=78 if start_up else 3, opens=2, hits=2 if start_up else 0,
            pages_read=9000 if start_up else 40, pages_written=20, checkpoints=1 if seconds == 176 else 0,
            log_requests=1008 if seconds == 176 else 60, lowest=0x7FFFFFFF if start_up else 99_600,
        )  # fmt: skip
        now += timedelta(seconds=seconds + (120 if seconds == 645.0 and now > MORNING + timedelta(minutes=20) else 0))
    for number in range(14):
        write_run(
            root, BUSY, MORNING + timedelta(minutes=30 * number), 1800.0, reads=400_000, opens=400_000, hits=12,
            lowest=3000, pages_read=90_000, pages_written=10_000, checkpoints=11, log_requests=4_950_000,
            requests=5_000_000,
        )  # fmt: skip
    conformed.build(session(), root)
    rules = [BY_ID[name] for name in WRONG_ONCE]
    return root, evaluate(conformed.tables(session(), root), None, rules, spark=session())


def test_a_start_and_an_idle_hour_raise_nothing_and_a_busy_day_does(judged: tuple[Path, Evaluation]) -> None:
    found = {(row["qmgr"], row["rule"]) for row in judged[1].collect()}
    assert {rule for qmgr, rule in found if qmgr == IDLE} == set()
    assert {rule for qmgr, rule in found if qmgr == BUSY} == set(WRONG_ONCE) - {"pool-half-unused"}


def test_the_account_says_what_could_not_be_judged(judged: tuple[Path, Evaluation]) -> None:
    lines = {line.rule: line for line in judged[1].coverage}
    assert lines["pool-half-unused"].status == "too little to judge"
    assert "5 days of records" in lines["pool-half-unused"].missing[0]
    assert lines["db2-undefined-queue-opens"].rows_too_little >= 2
    assert lines["log-checkpoints-often"].rows_judged == 14


def test_the_sentinel_of_a_start_is_no_number_of_buffers(judged: tuple[Path, Evaluation]) -> None:
    tables = {"buffer_pool": conformed.table(session(), judged[0], "buffer_pool")}
    (found,) = suspects(tables)
    assert (found.column, found.reason, found.values) == (
        "stealable_lowest_buffers", "the value for nothing recorded", 2,
    )  # fmt: skip
