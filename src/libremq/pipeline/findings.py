"""The findings of a site: what the rules say of the tables under one root, kept beside them.

    find(spark, root, site)      # evaluate, unless the tables, the facts and the rules are as they were
    read(spark, root)            # findings and the account of every rule
    grouped(findings)            # one line for a rule and an object, however many intervals it fired in

A new evaluation takes the place of the one before when it is whole.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from libremq.pipeline.rules.rule import SEVERITIES
from libremq.pipeline.rules.rule_catalogue import RULES
from libremq.pipeline.rules.site_facts import SiteFacts
from libremq.pipeline.storage import Root

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FOLDER, _MARK = "findings", "_made_from.json"


class NoFindingsError(RuntimeError):
    """Nobody evaluated the rules on these tables yet."""


@dataclass(frozen=True, slots=True)
class Findings:
    findings: DataFrame
    coverage: DataFrame


def find(
    spark: SparkSession,
    root: Root,
    site: SiteFacts | None = None,
    *,
    tell: Callable[[str], None] | None = None,
) -> Findings:
    """Evaluate all rules on the conformed tables and keep the outcome; nothing is done where nothing changed."""
    from libremq.pipeline.tables.conformed_store import Store

    mark = _mark(root, site or SiteFacts())
    folder = Store(root).current(_FOLDER)
    if folder is None or (folder / _MARK).read().decode() != mark:
        from libremq.pipeline.rules.rule_evaluation import evaluate
        from libremq.pipeline.tables import conformed

        with Store(root).replacing(_FOLDER) as fresh:
            if tell:
                tell(f"evaluating {len(RULES)} rules")
            evaluate(conformed.tables(spark, root), site, spark=spark).write(str(fresh))
            (fresh / _MARK).write(mark.encode())
    return read(spark, root)


def read(spark: SparkSession, root: Root) -> Findings:
    """What the last evaluation found. NoFindingsError if there was none."""
    from libremq.pipeline.rules.rule_evaluation import COVERAGE_SCHEMA, FINDINGS_SCHEMA
    from libremq.pipeline.tables.conformed_store import Store

    folder = Store(root).current(_FOLDER)
    if folder is None:
        raise NoFindingsError(f"the rules were not evaluated on {root} yet: run `libremq pipeline findings`")
    return Findings(
        spark.read.schema(FINDINGS_SCHEMA).parquet(str(folder / "findings")),
        spark.read.schema(COVERAGE_SCHEMA).parquet(str(folder / "rule_coverage")),
    )


def grouped(findings: DataFrame) -> DataFrame:
    """One row for each rule, queue manager and object: how often, when, and the interval that was worst.

    Worst is farthest from the threshold, on the side on which the rule fires.
    """
    from pyspark.sql import functions as F

    distance = F.abs(F.coalesce(F.col("value") - F.col("threshold"), F.col("value"), F.lit(0.0)))
    worst = F.struct("interval_start", "value", "threshold", "evidence", "advice")
    rank = F.array_position(F.array(*map(F.lit, SEVERITIES)), F.col("severity"))
    return (
        findings.groupBy("rule", "severity", "subject", "system", "qmgr", "object", "fact", "source_lines", "derived")
        .agg(
            F.count(F.lit(1)).alias("intervals"),
            F.min("interval_start").alias("first"),
            F.max("interval_end").alias("last"),
            F.max_by(worst, distance).alias("worst"),
        )
        .orderBy(rank, F.col("intervals").desc(), "qmgr", "rule", "object")
    )


def _mark(root: Root, site: SiteFacts) -> str:
    """Changes when the tables, the facts of the site or the rules do."""
    from libremq.pipeline.tables.conformed_store import Store

    tables = Store(root).conformed.mark()
    rules = hashlib.sha256(repr(RULES).encode()).hexdigest()
    facts = hashlib.sha256(json.dumps(asdict(site), sort_keys=True, default=str).encode()).hexdigest()
    return json.dumps({"tables": tables, "rules": rules, "site": facts}, indent=1)
