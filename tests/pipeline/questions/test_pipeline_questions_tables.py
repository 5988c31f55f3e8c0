"""Answers from the tables of a small generated site, in which one buffer pool is too small from the middle on.

A spread of questions goes through Spark; that the columns of all others exist is checked with the catalogue.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

from helper_spark import session

from libremq.pipeline.generator.generator_command import generate
from libremq.pipeline.questions.answer import Answer
from libremq.pipeline.questions.ask import ask
from libremq.pipeline.questions.question_catalogue import QUESTIONS, question
from libremq.pipeline.rules.rule_catalogue import BY_ID
from libremq.pipeline.tables import conformed, raw

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SPREAD = (
    "log-per-message",
    "encryption-cost",
    "system-queue-places",
    "checkpoint-io-time",
    "entries-or-elements-first",
    "smds-block",
    "dispatchers",
    "channel-restart-time",
    "single-server",
)
"""Besides those below: all kinds of rows (groups, times, conditions, models), and most tables."""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, DataFrame]]:
    root = tmp_path_factory.mktemp("site")
    generate(root / "dumps", days=1 / 12, queue_managers=2, sick=["pool-short"], seed=3, accounting_every=1)
    spark = session()
    raw.ingest(spark, str(root / "dumps"), root / "tables")
    conformed.build(spark, root / "tables")
    yield conformed.tables(spark, root / "tables")


def figures(answer: Answer) -> dict[str, object]:
    return {each.figure.label: each.value for each in answer.figures}


@pytest.mark.parametrize("name", SPREAD)
def test_tables_answer_a_question(tables: dict[str, DataFrame], name: str) -> None:
    answer = ask(question(name), tables)
    assert all(part.there for part in answer.shown)
    assert any(part.rows for part in answer.shown)
    for part in answer.shown:
        assert all(list(row) == list(part.asked.expressions()) for row in part.rows)
        assert len(part.rows) <= part.asked.limit
    known = {*answer.judgement.evaluated, *answer.judgement.lacking}
    assert known == set(answer.question.rules)
    for rule, lacks in answer.judgement.lacking.items():
        assert not any(each.startswith(("table", "column")) for each in lacks), rule
    assert set(answer.missing).isdisjoint(answer.question.measured)
    text = answer.as_text()
    assert f"Table {answer.shown[0].asked.table}" in text and "None" not in text and "Row(" not in text
    json.dumps(answer.as_dict(), allow_nan=False)


def test_findings_are_told_once_for_each_object(tables: dict[str, DataFrame]) -> None:
    answer = ask(question("buffer-pool-size"), tables)
    (found,) = answer.judgement.findings
    assert (found["rule"], found["qmgr"], found["object"]) == ("pool-system-short-of-buffers", "QM01", "0")
    assert found["times"] == 2 and found["first"] < found["last"]
    assert "SEVERE QM01, buffer pool 0, 2 times, last 2025-03-03" in answer.as_text()
    (shown,) = answer.shown
    assert len(shown.rows) == 8
    assert (shown.rows[0]["qmgr"], shown.rows[0]["buffer_pool"]) == ("QM01", 0)
    told = json.loads(json.dumps(answer.as_dict(), allow_nan=False))
    assert told["findings"][0]["last"].startswith("2025-03-03T")


def test_a_queue_manager_narrows_the_answer(tables: dict[str, DataFrame]) -> None:
    every, one = ask(question("active-logs"), tables), ask(question("active-logs"), tables, qmgr="QM02")
    assert (every.measured["log"].queue_managers, one.measured["log"].queue_managers) == (2, 1)
    assert {row["qmgr"] for row in one.shown[0].rows} == {"QM02"}
    peak = max(float(row["log_mb_per_second"]) for row in one.shown[0].rows)
    assert figures(one)["size of a log for half an hour at the peak"] == pytest.approx(peak * 1800)
    assert one.measured["log"].rows == len(one.shown[0].rows) == 4
    assert one.figures[0].inputs["log_mb_per_second_peak"].origin == "log"


def test_a_queue_manager_without_rows_is_told(tables: dict[str, DataFrame]) -> None:
    answer = ask(question("log-buffers"), tables, qmgr="QM77")
    assert answer.judgement.evaluated == ()
    assert "Table log has no rows." in answer.as_text()
    assert "log-buffers-short: its table has no rows" in answer.as_text()


def test_what_is_given_stands_before_what_is_measured(tables: dict[str, DataFrame]) -> None:
    answer = ask(question("log-and-batch-size"), tables, arguments={"message_bytes_typical": 1000, "batchsz": 1})
    told = figures(answer)
    assert told["sending, full batches"] == told["sending, batches of one"]
    assert answer.measured == {}


def test_only_the_tables_of_the_question_are_read() -> None:
    """Whatever its rules, inputs and rows name is among its tables."""
    for asked in QUESTIONS:
        needed = {table for name in asked.rules for table in (BY_ID[name].subject, *BY_ID[name].other_subjects)}
        needed |= {rows.table for rows in asked.rows}
        assert {name for name in needed if not name.startswith("site")} <= set(asked.tables)
