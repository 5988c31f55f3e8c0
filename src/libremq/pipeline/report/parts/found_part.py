"""The findings, one group a rule, and the account of the rules that could not be evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.window import Window

from libremq.pipeline import findings
from libremq.pipeline.report.content import Concerned, Coverage, FindingGroup, Found, Missing
from libremq.pipeline.report.parts.source_part import Source, moment_or_none, number
from libremq.pipeline.report.wording import titled
from libremq.pipeline.rules.rule import SEVERITIES
from libremq.pipeline.rules.rule_catalogue import BY_ID
from libremq.pipeline.rules.settings import SETTINGS
from libremq.pipeline.rules.source_sections import cited
from libremq.pipeline.tables.subjects import SUBJECTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row

OBJECTS_MAX = 12
"""Objects of a group that are shown, the worst first."""

NAMES_MAX = 50

TOO_LITTLE = "too little to judge"

_KINDS = ("site fact", "table", "column", "value of")


def look(source: Source) -> Found:
    """Two jobs: the grouped findings, the account of the rules."""
    try:
        made = findings.read(source.spark, source.root)
    except findings.NoFindingsError as error:
        return Found(False, note=f"Findings were not made: {error}.")
    return Found(True, _groups(made.findings), _coverage(made.coverage))


def _groups(found: DataFrame) -> tuple[FindingGroup, ...]:
    of_rule = Window.partitionBy("rule")
    distance = F.abs(F.coalesce(F.col("worst.value") - F.col("worst.threshold"), F.col("worst.value"), F.lit(0.0)))
    rows = (
        findings.grouped(found)
        .withColumns(
            {
                "place": F.row_number().over(of_rule.orderBy(distance.desc(), F.desc("intervals"), "qmgr", "object")),
                "objects_in_all": F.count(F.lit(1)).over(of_rule),
                "intervals_in_all": F.sum("intervals").over(of_rule),
                "first_of_all": F.unix_micros(F.min("first").over(of_rule)),
                "last_of_all": F.unix_micros(F.max("last").over(of_rule)),
                "queue_managers": F.sort_array(F.collect_set("qmgr").over(of_rule)),
            }
        )
        .where(F.col("place") <= OBJECTS_MAX)
        .withColumns(
            {
                "queue_managers_in_all": F.size("queue_managers"),
                "queue_managers": F.slice("queue_managers", 1, NAMES_MAX),
                "first": F.unix_micros("first"),
                "last": F.unix_micros("last"),
                "worst_at": F.unix_micros("worst.interval_start"),
            }
        )
        .collect()
    )
    by_rule: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda each: (each["rule"], each["place"])):
        by_rule.setdefault(row["rule"], []).append(row)
    groups = [_group(name, members) for name, members in by_rule.items()]
    rank: dict[str, int] = {severity: place for place, severity in enumerate(SEVERITIES)}
    return tuple(sorted(groups, key=lambda each: (rank.get(each.severity, 9), -each.intervals, each.rule)))


def _group(rule: str, rows: Sequence[Row]) -> FindingGroup:
    worst = rows[0]
    known = BY_ID.get(rule)
    return FindingGroup(
        rule=rule,
        title=titled(rule),
        severity=worst["severity"],
        subject=subject_words(worst["subject"]),
        advice=worst["worst"]["advice"] or "",
        intervals=worst["intervals_in_all"],
        objects_in_all=worst["objects_in_all"],
        queue_managers=tuple(worst["queue_managers"]),
        queue_managers_in_all=worst["queue_managers_in_all"],
        first=moment_or_none(worst["first_of_all"]),
        last=moment_or_none(worst["last_of_all"]),
        concerned=tuple(_concerned(row) for row in rows),
        condition=known.when if known else "",
        measured=known.value if known else "",
        fact=worst["fact"] or "",
        source_lines=cited(worst["source_lines"] or ""),
        derived=bool(worst["derived"]),
    )


def _concerned(row: Row) -> Concerned:
    worst = row["worst"]
    return Concerned(
        qmgr=row["qmgr"],
        object=row["object"],
        intervals=row["intervals"],
        first=moment_or_none(row["first"]),
        last=moment_or_none(row["last"]),
        worst=moment_or_none(row["worst_at"]),
        value=number(worst["value"]),
        threshold=number(worst["threshold"]),
        advice=worst["advice"] or "",
        evidence=dict(worst["evidence"] or {}),
    )


def subject_words(subject: str) -> str:
    """What a rule looks at, in words."""
    words = subject.replace("_", " ").replace("cf ", "CF ").replace("ssl", "TLS")
    return words if subject in SUBJECTS else f"{words} (site facts)" if subject != "site" else "site facts"


def _coverage(coverage: DataFrame) -> Coverage:
    rows = coverage.select("rule", "status", "missing", "rows_too_little", "rows_contradicted").collect()
    silenced: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for text in (row["missing"] or ()) if row["status"] != TOO_LITTLE else ():
            kind = next((kind for kind in _KINDS if text.startswith(kind)), "value of")
            silenced.setdefault((kind, text.removeprefix(kind).strip()), []).append(row["rule"])
    missing = [
        Missing(kind.removesuffix(" of"), name, _meaning(kind, name), tuple(sorted(rules)))
        for (kind, name), rules in silenced.items()
    ]
    status = [row["status"] for row in rows]
    return Coverage(
        evaluated=status.count("evaluated"),
        not_evaluated=status.count("not evaluated"),
        no_rows=status.count("no rows"),
        too_little=status.count(TOO_LITTLE),
        rows_too_little=sum(row["rows_too_little"] or 0 for row in rows),
        rows_contradicted=sum(row["rows_contradicted"] or 0 for row in rows),
        missing=tuple(sorted(missing, key=lambda each: (-len(each.rules), each.kind, each.name))),
    )


def _meaning(kind: str, name: str) -> str:
    if name in SETTINGS:
        setting = SETTINGS[name]
        return f"{setting.meaning} ({setting.unit})" if setting.unit else setting.meaning
    if kind == "table":
        return SUBJECTS[name].title if name in SUBJECTS else "objects of this kind in the site facts"
    return "not recorded, or not by this release"
