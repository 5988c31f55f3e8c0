"""Answer a question: from measured tables where there are some, facts of the site, and what the asker gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from libremq.pipeline.questions.question import Question, Rows
from libremq.pipeline.rules.catalogue import BY_ID
from libremq.pipeline.rules.expressions import parse, work_out
from libremq.pipeline.rules.site import SiteFacts

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

FINDINGS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Figure:
    """One worked-out figure, or what was missing for it."""

    label: str
    expression: str
    value: Any
    inputs: Mapping[str, Any]
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    question: Question
    figures: tuple[Figure, ...] = ()
    findings: tuple[Mapping[str, Any], ...] = ()
    not_evaluated: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Rules that could not be evaluated, with what they lacked."""
    rows: tuple[Mapping[str, Any], ...] = ()

    def as_text(self) -> str:
        """The answer for a terminal."""
        lines = [self.question.text, f"  (source {self.question.source}, {self.question.lines})", ""]
        lines += [f"- {text}" for text in self.question.known]
        for figure in self.figures:
            if figure.missing:
                lines.append(f"- {figure.label}: not known; give {', '.join(figure.missing)}")
            else:
                lines.append(f"- {figure.label}: {_shown(figure.value)}")
                given = ", ".join(f"{name} = {_shown(value)}" for name, value in figure.inputs.items())
                lines.append(f"    by {figure.expression}" + (f" with {given}" if given else ""))
        for found in self.findings:
            place = "/".join(str(found[name]) for name in ("qmgr", "object") if found.get(name))
            lines.append(f"- [{found['severity']}] {place}: {found['advice']}")
        if self.question.rules and not self.findings and len(self.not_evaluated) < len(self.question.rules):
            lines.append("- The rules that could be evaluated found nothing wrong.")
        for rule, missing in self.not_evaluated.items():
            lines.append(f"- not evaluated: {rule} (lacks {', '.join(missing) or 'rows'})")
        if self.rows:
            names = list(self.rows[0])
            table = [names, *([_shown(row[name]) for name in names] for row in self.rows)]
            widths = [max(len(line[place]) for line in table) for place in range(len(names))]
            lines.append("")
            lines += ["  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in table]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """The answer for JSON."""
        return {
            "question": self.question.id,
            "text": self.question.text,
            "source": self.question.source,
            "lines": self.question.lines,
            "known": list(self.question.known),
            "figures": [
                {
                    "label": figure.label,
                    "value": figure.value,
                    "expression": figure.expression,
                    "inputs": dict(figure.inputs),
                    "missing": list(figure.missing),
                }
                for figure in self.figures
            ],
            "findings": [dict(found) for found in self.findings],
            "not_evaluated": {rule: list(missing) for rule, missing in self.not_evaluated.items()},
            "rows": [dict(row) for row in self.rows],
        }


def _shown(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:,.0f}" if abs(value) >= 1000 or float(value).is_integer() else f"{value:,.3g}"


def ask(
    question: Question,
    tables: Mapping[str, DataFrame] | None = None,
    site: SiteFacts | None = None,
    arguments: Mapping[str, Any] | None = None,
    qmgr: str | None = None,
) -> Answer:
    """Answer from what there is. `arguments` stand before measured values and site facts; `qmgr` narrows the tables."""
    facts = site or SiteFacts()
    frames = dict(tables or {})
    if qmgr is not None:
        frames = {name: frame.where(frame["qmgr"] == qmgr) for name, frame in frames.items()}
    given = dict(arguments or {})
    measured = {name: value for name, value in _measured(question, frames, set(given)).items() if value is not None}
    figures = tuple(
        _figure(label, text, given, measured, facts, qmgr, frames, question) for label, text in question.figures.items()
    )
    findings, not_evaluated = _judged(question, frames, facts)
    rows = _rows(question.rows, frames) if question.rows else ()
    return Answer(question, figures, findings, not_evaluated, rows)


def _figure(
    label: str,
    text: str,
    given: Mapping[str, Any],
    measured: Mapping[str, Any],
    facts: SiteFacts,
    qmgr: str | None,
    frames: Mapping[str, DataFrame],
    question: Question,
) -> Figure:
    inputs: dict[str, Any] = {}
    missing: list[str] = []
    for name in parse(text).names:
        value = given.get(name, measured.get(name, facts.value(name, qmgr)))
        if value is None:
            table = question.measured.get(name, "").partition(":")[0]
            missing.append(f"{name} (or table {table})" if table and table not in frames else name)
        else:
            inputs[name] = value
    return Figure(label, text, None if missing else parse(text).on(inputs), inputs, tuple(missing))


def _measured(question: Question, frames: Mapping[str, DataFrame], given: set[str]) -> dict[str, Any]:
    """Take the question's measures from the tables that are there, one pass for each table."""
    by_table: dict[str, dict[str, str]] = {}
    for name, text in question.measured.items():
        table, _, expression = text.partition(":")
        if table in frames and name not in given:
            by_table.setdefault(table, {})[name] = expression.strip()
    values: dict[str, Any] = {}
    for table, wanted in by_table.items():
        values |= _aggregated(frames[table], wanted)
    return values


def _aggregated(frame: DataFrame, wanted: Mapping[str, str]) -> dict[str, Any]:
    from pyspark.sql import functions as F

    from libremq.pipeline.rules.columns import ColumnAlgebra

    usable = {name: text for name, text in wanted.items() if set(parse(text).names) <= set(frame.columns)}
    if not usable:
        return {}
    day = F.col("interval_start").cast("double") / 86400.0 if "interval_start" in frame.columns else None
    algebra = ColumnAlgebra(_bound(frame), day)
    (row,) = frame.agg(*(work_out(parse(text).tree, algebra).alias(name) for name, text in usable.items())).collect()
    return {name: row[name] for name in usable}


def _bound(frame: DataFrame) -> Any:
    from pyspark.sql import functions as F

    kinds = dict(frame.dtypes)

    def bind(name: str) -> Column:
        return F.col(name) if kinds[name] in ("string", "boolean") else F.col(name).cast("double")

    return bind


def _judged(
    question: Question, frames: Mapping[str, DataFrame], facts: SiteFacts
) -> tuple[tuple[Mapping[str, Any], ...], dict[str, tuple[str, ...]]]:
    if not question.rules:
        return (), {}
    if not frames:
        return (), {rule: (f"table {BY_ID[rule].subject}",) for rule in question.rules}
    from pyspark.sql import functions as F

    from libremq.pipeline.rules.engine import evaluate

    evaluation = evaluate(frames, facts, [BY_ID[rule] for rule in question.rules])
    severity = F.array_position(F.array(F.lit("severe"), F.lit("warning"), F.lit("info")), F.col("severity"))
    worst = evaluation.findings.orderBy(severity, F.col("interval_start").desc(), "qmgr", "rule").limit(FINDINGS_SHOWN)
    findings = tuple(row.asDict(recursive=True) for row in worst.collect())
    return findings, {each.rule: each.missing for each in evaluation.not_evaluated}


def _rows(rows: Rows, frames: Mapping[str, DataFrame]) -> tuple[Mapping[str, Any], ...]:
    from pyspark.sql import functions as F

    from libremq.pipeline.rules.columns import ColumnAlgebra

    frame = frames.get(rows.table)
    wanted = [parse(text) for text in (rows.order, rows.where) if text]
    if frame is None or not {name for expression in wanted for name in expression.names} <= set(frame.columns):
        return ()
    algebra = ColumnAlgebra(_bound(frame))
    if rows.where:
        frame = frame.where(work_out(parse(rows.where).tree, algebra))
    shown: Sequence[str] = [name for name in rows.columns if name in frame.columns]
    order = F.desc_nulls_last("order__")
    ordered = frame.withColumn("order__", work_out(parse(rows.order).tree, algebra)).orderBy(order).limit(rows.limit)
    return tuple(row.asDict() for row in ordered.select(*shown).collect())
