"""The engine in Spark: all rules at once on their own cases, and an account of those that could not be evaluated."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from helper_rule_cases import Cases

from libremq.pipeline.rules.rule import judge
from libremq.pipeline.rules.rule_catalogue import BY_ID, RULES
from libremq.pipeline.rules.site_facts import SiteFacts

pytest.importorskip("pyspark")
from helper_spark import session

from libremq.pipeline.rules.rule_evaluation import Evaluation, evaluate

if TYPE_CHECKING:
    from pyspark.sql import Row

POOL = "qmgr string, system string, interval_start timestamp, interval_end timestamp, buffer_pool int"
MOMENT = datetime(2024, 5, 6, 10)


@pytest.fixture(scope="module")
def everything() -> tuple[Cases, Evaluation, list[Row]]:
    cases = Cases.of(RULES)
    evaluation = evaluate(cases.frames(session()), cases.facts())
    return cases, evaluation, evaluation.collect()


def test_every_rule_fires_on_its_case_and_not_on_the_other(
    everything: tuple[Cases, Evaluation, list[Row]],
) -> None:
    cases, _, found = everything
    pairs = {(row["qmgr"], row["rule"]) for row in found}
    wrong = {
        (rule, "fires" if fires else "quiet")
        for qmgr, (rule, fires) in cases.expected.items()
        if ((qmgr, rule) in pairs) != fires
    }
    assert wrong == set()


def test_every_rule_was_evaluated(everything: tuple[Cases, Evaluation, list[Row]]) -> None:
    _, evaluation, _ = everything
    assert [each.rule for each in evaluation.coverage] == [rule.id for rule in RULES]
    assert evaluation.not_evaluated == ()
    assert all(each.rows_fired <= each.rows_judged <= each.rows for each in evaluation.coverage)


def test_findings_carry_value_threshold_evidence_and_advice(
    everything: tuple[Cases, Evaluation, list[Row]],
) -> None:
    cases, _, found = everything
    own = [row for row in found if cases.expected.get(row["qmgr"]) == (row["rule"], True)]
    assert len({row["rule"] for row in own}) == len(RULES)
    for row in own:
        rule = BY_ID[row["rule"]]
        verdict = judge(rule, rule.fires)
        if isinstance(verdict.value, (int, float)) and row["value"] is not None:
            assert row["value"] == pytest.approx(verdict.value), rule.id
        if verdict.threshold is not None and not isinstance(verdict.threshold, str):
            assert row["threshold"] == pytest.approx(verdict.threshold), rule.id
        assert row["evidence"], rule.id
        assert "{" not in row["advice"]
        assert (row["severity"], row["fact"], row["source_lines"]) == (rule.severity, rule.fact, rule.lines)


def test_missing_table_column_fact_and_value_are_told_apart() -> None:
    frame = session().createDataFrame(
        [("QM01", "SYS1", MOMENT, MOMENT, 1, None)], f"{POOL}, stealable_lowest_pct double"
    )
    names = ("pool-nearly-full", "pool-no-free-buffer", "pool-half-unused", "log-buffers-short", "logload-invalid")
    rules = [*(BY_ID[name] for name in names), BY_ID["pools-more-than-four"]]
    evaluation = evaluate({"buffer_pool": frame}, rules=rules)
    assert evaluation.findings.count() == 0
    assert {each.rule: (each.status, each.missing) for each in evaluation.coverage} == {
        "pool-nearly-full": ("not evaluated", ("value of stealable_lowest_pct",)),
        "pool-no-free-buffer": ("not evaluated", ("column no_buffer_suspensions",)),
        "pool-half-unused": ("not evaluated", ("column used_highest_pct",)),
        "log-buffers-short": ("not evaluated", ("table log",)),
        "logload-invalid": ("not evaluated", ("site fact logload",)),
        "pools-more-than-four": ("not evaluated", ("site fact pools_isolated",)),
    }


def test_an_empty_table_is_said_to_have_no_rows() -> None:
    frame = session().createDataFrame([], f"{POOL}, stealable_lowest_pct double")
    evaluation = evaluate({"buffer_pool": frame}, rules=[BY_ID["pool-nearly-full"]])
    assert [(each.status, each.rows) for each in evaluation.coverage] == [("no rows", 0)]
    assert [each.rule for each in evaluation.not_evaluated] == ["pool-nearly-full"]


def test_thresholds_of_the_site_count_and_sessions_keep_their_arithmetic() -> None:
    spark = session()
    before = spark.conf.get("spark.sql.ansi.enabled")
    frame = spark.createDataFrame([("QM01", "SYS1", MOMENT, MOMENT, 1, 8.0)], f"{POOL}, stealable_lowest_pct double")
    rules = [BY_ID["pool-nearly-full"]]
    assert evaluate({"buffer_pool": frame}, rules=rules).findings.count() == 0
    site = SiteFacts.of({"thresholds": {"pool-nearly-full": 10}})
    (row,) = evaluate({"buffer_pool": frame}, site, rules).findings.collect()
    assert (row["value"], row["threshold"], row["object"]) == (8.0, 10.0, "1")
    assert row["evidence"] == {"stealable_lowest_pct": "8.0"}
    assert spark.conf.get("spark.sql.ansi.enabled") == before


def test_facts_of_objects_reach_the_rows_they_belong_to() -> None:
    rows = [(qmgr, "SYS1", MOMENT, MOMENT, pool, 12.0) for qmgr in ("QM01", "QM02") for pool in (1, 2)]
    frame = session().createDataFrame(rows, f"{POOL}, stealable_lowest_pct double")
    site = SiteFacts.of({"objects": {"pool": [
        {"qmgr": "QM01", "name": 2, "pool_role": "short"}, {"name": 1, "pool_role": "long"},
    ]}})  # fmt: skip
    names = ("pool-short-lived-short-of-buffers", "pool-long-lived-short-of-buffers", "pool-short-of-buffers")
    found = evaluate({"buffer_pool": frame}, site, [BY_ID[name] for name in names]).findings.collect()
    assert {(row["qmgr"], row["object"], row["rule"]) for row in found} == {
        ("QM01", "1", "pool-long-lived-short-of-buffers"),
        ("QM01", "2", "pool-short-lived-short-of-buffers"),
        ("QM02", "1", "pool-long-lived-short-of-buffers"),
        ("QM02", "2", "pool-short-of-buffers"),
    }


def test_findings_and_the_account_are_written(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = str(tmp_path_factory.mktemp("findings"))
    spark = session()
    frame = spark.createDataFrame([("QM01", "SYS1", MOMENT, MOMENT, 1, 2.0)], f"{POOL}, stealable_lowest_pct double")
    rules = [BY_ID["pool-nearly-full"], BY_ID["log-buffers-short"]]
    for _ in range(2):
        evaluate({"buffer_pool": frame}, rules=rules).write(folder)
    assert spark.read.parquet(f"{folder}/findings").count() == 1
    accounts = {row["rule"]: row["status"] for row in spark.read.parquet(f"{folder}/rule_coverage").collect()}
    assert accounts == {"pool-nearly-full": "evaluated", "log-buffers-short": "not evaluated"}
