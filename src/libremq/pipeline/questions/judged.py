"""What the rules of a question say.

Rules about the site's facts alone need no tables: they are judged here on plain values, once for the site or for each
object it describes. Rules about tables go through the engine in Spark, with only the tables they read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from libremq.pipeline.questions.answer import Judgement
from libremq.pipeline.rules.rule import SEVERITIES, Rule, judge
from libremq.pipeline.rules.rule_catalogue import BY_ID, setting_kind
from libremq.pipeline.rules.settings import SITE_SUBJECTS
from libremq.pipeline.rules.site_facts import SiteFacts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FINDINGS_SHOWN = 20


def judged(
    names: Sequence[str], frames: Mapping[str, DataFrame], site: SiteFacts, qmgr: str | None = None
) -> Judgement:
    """The verdicts of the rules. `frames` are already narrowed to the queue manager, if one was asked for."""
    rules = [BY_ID[name] for name in names]
    of_site = _judged_by_facts([rule for rule in rules if rule.subject in SITE_SUBJECTS], site, qmgr)
    of_tables = _judged_by_tables([rule for rule in rules if rule.subject not in SITE_SUBJECTS], frames, site)
    findings = sorted((*of_site.findings, *of_tables.findings), key=lambda found: SEVERITIES.index(found["severity"]))
    return Judgement(
        tuple(findings),
        tuple(name for name in names if name in (*of_site.evaluated, *of_tables.evaluated)),
        {name: lacks for name in names for lacks in (_lacks(name, of_site, of_tables),) if lacks is not None},
    )


def _lacks(name: str, *parts: Judgement) -> tuple[str, ...] | None:
    return next((part.lacking[name] for part in parts if name in part.lacking), None)


def _judged_by_facts(rules: Sequence[Rule], site: SiteFacts, qmgr: str | None) -> Judgement:
    findings: list[dict[str, Any]] = []
    evaluated: list[str] = []
    lacking: dict[str, tuple[str, ...]] = {}
    for rule in rules:
        lacks: dict[str, None] = {}
        judged_somewhere = False
        for owner, name in _places(setting_kind(rule.subject), site, qmgr):
            case = _case(rule, site, owner, name)
            missing = [each for each in rule.needed if case.get(each) is None]
            if missing:
                lacks |= dict.fromkeys(f"site fact {each}" for each in missing)
                continue
            judged_somewhere = True
            verdict = judge(rule, case, site.thresholds.get(rule.id))
            if verdict.fires:
                findings.append(_finding(rule, owner, name, verdict.value, verdict.threshold, verdict.advice))
        if judged_somewhere:
            evaluated.append(rule.id)
        else:
            lacking[rule.id] = tuple(lacks)
    return Judgement(tuple(findings), tuple(evaluated), lacking)


def _places(kind: str | None, site: SiteFacts, qmgr: str | None) -> list[tuple[str | None, str | None]]:
    """Queue manager and object for which facts are looked up; one nameless place where the site describes none."""
    places: list[tuple[str | None, str | None]]
    if kind:
        places = [(e.qmgr or qmgr, e.name) for e in site.objects_of(kind) if qmgr is None or e.qmgr in (None, qmgr)]
    else:
        places = [(name, None) for name in site.queue_managers if qmgr in (None, name)]
    return places or [(qmgr, None)]


def _case(rule: Rule, site: SiteFacts, qmgr: str | None, name: str | None) -> dict[str, Any]:
    kind = setting_kind(rule.subject) or ""
    facts = {each: site.value(each, qmgr, kind, name) for each in (*rule.inputs, *rule.told)}
    # A rule that looks at the object's name has one to look at, even where the site names none.
    return facts | {"qmgr": qmgr or "", "object": name or ""}


def _finding(rule: Rule, qmgr: str | None, name: str | None, value: Any, threshold: Any, advice: str) -> dict[str, Any]:
    return {
        "rule": rule.id,
        "severity": rule.severity,
        "subject": rule.subject,
        "qmgr": qmgr,
        "object": name,
        "value": value,
        "threshold": threshold,
        "advice": advice,
        "fact": rule.fact,
        "source_lines": rule.lines,
        "derived": rule.derived,
        "times": 1,
        "first": None,
        "last": None,
    }


def _judged_by_tables(rules: Sequence[Rule], frames: Mapping[str, DataFrame], site: SiteFacts) -> Judgement:
    wanted = {table for rule in rules for table in (rule.subject, *rule.other_subjects)}
    there = {name: frame for name, frame in frames.items() if name in wanted}
    if not there:
        return Judgement(lacking={rule.id: (f"table {rule.subject}",) for rule in rules})
    from libremq.pipeline.rules.rule_evaluation import evaluate

    evaluation = evaluate(there, site, rules)
    fired = any(each.rows_fired for each in evaluation.coverage)
    return Judgement(
        _latest(evaluation.findings) if fired else (),
        tuple(each.rule for each in evaluation.coverage if each.status == "evaluated"),
        {each.rule: each.missing for each in evaluation.not_evaluated},
    )


def _latest(findings: DataFrame) -> tuple[Mapping[str, Any], ...]:
    """The latest finding of each rule and object, and how often it came; the worst and most frequent first."""
    from pyspark.sql import functions as F

    told = ("severity", "subject", "value", "threshold", "advice", "fact", "source_lines", "derived")
    severity = F.array_position(F.array(*(F.lit(each) for each in SEVERITIES)), F.col("severity"))
    grouped = (
        findings.groupBy("rule", "qmgr", "object")
        .agg(
            F.max_by(F.struct(*told), F.coalesce(F.col("interval_start"), F.lit(0).cast("timestamp"))).alias("latest"),
            F.count(F.lit(1)).alias("times"),
            F.min("interval_start").alias("first"),
            F.max("interval_start").alias("last"),
        )
        .select("rule", "qmgr", "object", "latest.*", "times", "first", "last")
    )
    worst = grouped.orderBy(severity, F.desc("times"), "qmgr", "rule", "object").limit(FINDINGS_SHOWN)
    return tuple(row.asDict() for row in worst.collect())
