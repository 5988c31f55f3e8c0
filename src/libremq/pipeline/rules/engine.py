"""Evaluate the rules in Spark: one pass per subject and grouping, findings out, and an account of every rule.

All conditions of a subject become columns of one select; the findings of a row are an array that is filtered and
exploded, so the table is read once however many rules look at it. No rule passes in silence: `Evaluation.coverage` has
one line per rule, with the rows it judged, or the inputs that were missing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from libremq.pipeline.rules.catalogue import RULES, joins_of, object_columns, setting_kind
from libremq.pipeline.rules.expressions import AGGREGATES, work_out
from libremq.pipeline.rules.rule import Rule, pieces
from libremq.pipeline.rules.settings import SETTINGS, SITE_SUBJECTS
from libremq.pipeline.rules.site import SiteFacts

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from libremq.pipeline.rules.columns import ColumnAlgebra

KEYS = ("system", "qmgr", "interval_start", "interval_end", "object")

_GROUPS: dict[str, tuple[str, ...]] = {
    "interval": ("system", "qmgr", "interval_start", "interval_end"),
    "day": ("system", "qmgr", "day"),
    "queue manager": ("system", "qmgr"),
    "object": ("system", "qmgr", "object"),
    "object and day": ("system", "qmgr", "object", "day"),
}

FINDINGS_SCHEMA = (
    "rule string, severity string, subject string, system string, qmgr string, interval_start timestamp,"
    " interval_end timestamp, object string, value double, threshold double, evidence map<string,string>,"
    " advice string, fact string, source_lines string, derived boolean"
)
COVERAGE_SCHEMA = (
    "rule string, subject string, status string, rows long, rows_judged long, rows_fired long, missing array<string>"
)


@dataclass(frozen=True, slots=True)
class Coverage:
    """What became of one rule."""

    rule: str
    subject: str
    status: str
    """`evaluated`, `not evaluated` (see `missing`), or `no rows`: its table is there and empty."""
    rows: int = 0
    rows_judged: int = 0
    """Rows on which all it needed was known; the others were not judged."""
    rows_fired: int = 0
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evaluation:
    findings: DataFrame
    coverage: tuple[Coverage, ...]

    @property
    def not_evaluated(self) -> tuple[Coverage, ...]:
        return tuple(each for each in self.coverage if each.status != "evaluated")

    def coverage_frame(self) -> DataFrame:
        """The account as a table, to be written beside the findings."""
        rows = [
            (c.rule, c.subject, c.status, c.rows, c.rows_judged, c.rows_fired, list(c.missing)) for c in self.coverage
        ]
        return self.findings.sparkSession.createDataFrame(rows, COVERAGE_SCHEMA)

    def write(self, folder: str) -> None:
        """Replace the tables `findings` and `rule_coverage` below a folder."""
        self.findings.write.mode("overwrite").parquet(f"{folder}/findings")
        self.coverage_frame().coalesce(1).write.mode("overwrite").parquet(f"{folder}/rule_coverage")


def evaluate(
    tables: Mapping[str, DataFrame],
    site: SiteFacts | None = None,
    rules: Sequence[Rule] = RULES,
    *,
    spark: SparkSession | None = None,
) -> Evaluation:
    """Judge the conformed tables, given by subject, by the rules; without its table a rule is not evaluated."""
    from pyspark.sql import SparkSession

    facts = site or SiteFacts()
    session = spark or next((table.sparkSession for table in tables.values()), None) or SparkSession.getActiveSession()
    assert session is not None, "without tables a session must be given"
    with _lenient_arithmetic(session):
        frames = {name: _with_keys(name, table) for name, table in tables.items()}
        frames.update(_site_frames(session, tables, facts, rules))
        missing = {rule.id: missing_inputs(rule, frames, facts) for rule in rules}
        coverage = [Coverage(r.id, r.subject, "not evaluated", missing=missing[r.id]) for r in rules if missing[r.id]]
        judged = [
            _Judged(frames, facts, subject, over, group)
            for (subject, over), group in _groups(rule for rule in rules if not missing[rule.id]).items()
        ]
        coverage += _coverage(judged)
        findings = _union([each.findings() for each in judged]) or session.createDataFrame([], FINDINGS_SCHEMA)
    order = {rule.id: position for position, rule in enumerate(rules)}
    return Evaluation(findings, tuple(sorted(coverage, key=lambda each: order[each.rule])))


def _coverage(judged: Sequence[_Judged]) -> list[Coverage]:
    """The account of all groups, counted in one job."""
    counted = _union([each.counts() for each in judged])
    by_rule = {row["rule"]: row for row in counted.collect()} if counted else {}
    told = []
    for group in judged:
        silent = [r for r in group.rules if by_rule[r.id]["rows"] and not by_rule[r.id]["rows_judged"]]
        unknown = group.never_known(silent)
        for rule in group.rules:
            row = by_rule[rule.id]
            status = "no rows" if not row["rows"] else "evaluated" if row["rows_judged"] else "not evaluated"
            figures = (row["rows"], row["rows_judged"], row["rows_fired"] or 0)
            told.append(Coverage(rule.id, rule.subject, status, *figures, unknown.get(rule.id, ())))
    return told


def _union(frames: Sequence[DataFrame]) -> DataFrame | None:
    """All rows of all frames, by halves: Spark checks the whole plan at each step, and a chain costs the square."""
    if not frames:
        return None
    if len(frames) == 1:
        return frames[0]
    middle = len(frames) // 2
    one, other = _union(frames[:middle]), _union(frames[middle:])
    assert one is not None and other is not None
    return one.union(other)


def missing_inputs(rule: Rule, frames: Mapping[str, DataFrame], site: SiteFacts) -> tuple[str, ...]:
    """Tables, columns and site facts without which the rule cannot be evaluated."""
    if rule.subject not in frames:
        return (f"table {rule.subject}",)
    missing = []
    for name in rule.needed:
        if "." in name:
            subject, column = name.split(".")
            if subject not in frames:
                missing.append(f"table {subject}")
                continue
            ours = [key for key, _ in joins_of(rule.subject, subject) if key not in frames[rule.subject].columns]
            theirs = [key for _, key in joins_of(rule.subject, subject) if key not in frames[subject].columns]
            missing += [f"column {key}" for key in ours] + [f"column {subject}.{key}" for key in theirs]
            if column not in frames[subject].columns:
                missing.append(f"column {name}")
        elif name in SETTINGS:
            if not site.knows(name):
                missing.append(f"site fact {name}")
        elif name not in frames[rule.subject].columns:
            missing.append(f"column {name}")
    return tuple(dict.fromkeys(missing))


class _Judged:
    """One subject at one grouping, with the verdict of every rule on every row."""

    def __init__(
        self, frames: Mapping[str, DataFrame], site: SiteFacts, subject: str, over: str, rules: Sequence[Rule]
    ) -> None:
        from pyspark.sql import functions as F

        self.rules = rules
        self._site, self._over = site, over
        self._frame = _with_settings(_joined(frames, subject, rules), site, setting_kind(subject), rules)
        self._types = dict(self._frame.dtypes)
        self._day = F.col("interval_start").cast("timestamp").cast("double") / 86400.0
        verdicts = [self._verdict(rule).alias(f"verdict_{index}") for index, rule in enumerate(rules)]
        if over:
            keys = _GROUPS[over]
            grouped = self._frame.withColumn("day", F.to_date("interval_start")).groupBy(*keys)
            spans = []
            if "interval_start" not in keys:
                spans = [F.min("interval_start").alias("interval_start"), F.max("interval_end").alias("interval_end")]
            self._judged = grouped.agg(*spans, *verdicts)
            if "object" not in keys:
                self._judged = self._judged.withColumn("object", F.lit(None).cast("string"))
        else:
            self._judged = self._frame.select(*KEYS, *verdicts)

    def findings(self) -> DataFrame:
        from pyspark.sql import functions as F

        told = []
        for index, rule in enumerate(self.rules):
            verdict = F.col(f"verdict_{index}")
            told.append(
                F.struct(
                    F.lit(rule.id).alias("rule"),
                    F.lit(rule.severity).alias("severity"),
                    F.lit(rule.subject).alias("subject"),
                    *(verdict[name].alias(name) for name in ("fires", "value", "threshold", "evidence", "advice")),
                    F.lit(rule.fact).alias("fact"),
                    F.lit(rule.lines).alias("source_lines"),
                    F.lit(rule.derived).alias("derived"),
                )
            )
        fired = F.filter(F.array(*told), lambda each: F.coalesce(each["fires"], F.lit(False)))
        return (
            self._judged.select(*KEYS, F.explode(fired).alias("found"))
            .select(*KEYS, "found.*")
            .withColumn("advice", F.regexp_replace("advice", r"\bnull\b", "unknown"))
            .select(*(part.split()[0] for part in FINDINGS_SCHEMA.split(", ")))
        )

    def counts(self) -> DataFrame:
        """For each rule the rows there are, those it judged and those on which it fired."""
        from pyspark.sql import functions as F

        counts: list[Column] = [F.count(F.lit(1)).alias("rows")]
        lines: list[Column] = []
        for index, rule in enumerate(self.rules):
            fires = F.col(f"verdict_{index}")["fires"]
            counts += [F.count(fires).alias(f"judged_{index}"), F.count_if(fires).alias(f"fired_{index}")]
            figures = (F.col(f"judged_{index}").alias("rows_judged"), F.col(f"fired_{index}").alias("rows_fired"))
            lines.append(F.struct(F.lit(rule.id).alias("rule"), F.col("rows"), *figures))
        counted = self._judged.agg(*counts)
        return counted.select(F.explode(F.array(*lines)).alias("line")).select("line.*")

    def never_known(self, rules: Sequence[Rule]) -> dict[str, tuple[str, ...]]:
        """Of the rules that judged no row at all: the inputs that no row has."""
        from pyspark.sql import functions as F

        names = sorted({name for rule in rules for name in rule.inputs})
        if not names:
            return {}
        counts = [F.count(self._bound(name)).alias(f"n{index}") for index, name in enumerate(names)]
        (row,) = self._frame.agg(*counts).collect()
        known = {name: row[f"n{index}"] for index, name in enumerate(names)}
        return {
            rule.id: tuple(f"value of {name}" for name in rule.inputs if not known[name])
            or ("values known on the same row",)
            for rule in rules
        }

    def _verdict(self, rule: Rule) -> Column:
        from pyspark.sql import functions as F

        from libremq.pipeline.rules.columns import ColumnAlgebra

        own: dict[str, Column] = {}

        def bind(name: str) -> Column:
            return own[name] if name in own else self._outside(name)

        algebra = ColumnAlgebra(bind, self._day, self._bound)
        expressions = rule.expressions()
        nothing = F.lit(None).cast("double")
        if rule.id in self._site.thresholds:
            own["threshold"] = F.lit(self._site.thresholds[rule.id])
        elif "threshold" in expressions:
            own["threshold"] = work_out(expressions["threshold"].tree, algebra)
        if "value" in expressions:
            own["value"] = work_out(expressions["value"].tree, algebra)
        return F.struct(
            work_out(expressions["when"].tree, algebra).alias("fires"),
            own.get("value", nothing).cast("double").alias("value"),
            own.get("threshold", nothing).cast("double").alias("threshold"),
            self._evidence(rule, algebra).alias("evidence"),
            self._advice(rule, algebra).alias("advice"),
        )

    def _evidence(self, rule: Rule, algebra: ColumnAlgebra) -> Column:
        from pyspark.sql import functions as F

        shown: dict[str, Column] = {}
        for name in rule.inputs:
            if not self._over or name in SETTINGS or name in ("qmgr", "object"):
                shown[name] = algebra.name(name)
        if self._over:
            for node in _aggregate_calls(rule):
                shown[ast.unparse(node)] = work_out(node, algebra)
        if not shown:
            return F.create_map().cast("map<string,string>")
        pairs: list[Column] = []
        for name, column in shown.items():
            pairs += [F.lit(name), column.cast("string")]
        return F.create_map(*pairs)

    def _advice(self, rule: Rule, algebra: ColumnAlgebra) -> Column:
        """The text with the figures in place; what is unknown prints as `null` and is worded in `findings`."""
        from pyspark.sql import functions as F

        form, figures = "", []
        for piece in pieces(rule.advice):
            if piece.expression is None:
                form += piece.text.replace("%", "%%")
            elif all(self._can_bind(name) for name in piece.expression.names):
                value = work_out(piece.expression.tree, algebra)
                form += f"%{piece.form}" if piece.form else "%s"
                figures.append(value.cast("double") if piece.form else value.cast("string"))
            else:
                form += "unknown"
        return F.format_string(form, *figures)

    def _can_bind(self, name: str) -> bool:
        return name in ("value", "threshold") or self._flat(name) in self._types

    def _flat(self, name: str) -> str:
        return f"site__{name}" if name in SETTINGS else name.replace(".", "__")

    def _bound(self, name: str) -> Column:
        """A column of a single row."""
        from pyspark.sql import functions as F

        flat = self._flat(name)
        column = F.col(flat)
        return column if self._types[flat] in ("string", "boolean") else column.cast("double")

    def _outside(self, name: str) -> Column:
        """A name outside aggregates. In a group a fact of the site is the same on every row: any one will do."""
        from pyspark.sql import functions as F

        column = self._bound(name)
        return F.any_value(column) if self._over and name in SETTINGS else column


def _aggregate_calls(rule: Rule) -> Iterator[ast.Call]:
    seen: set[str] = set()
    for expression in rule.expressions().values():
        for node in ast.walk(expression.tree):
            is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in AGGREGATES
            if is_call and isinstance(node, ast.Call) and ast.unparse(node) not in seen:
                seen.add(ast.unparse(node))
                yield node


def _groups(rules: Iterable[Rule]) -> dict[tuple[str, str], list[Rule]]:
    groups: dict[tuple[str, str], list[Rule]] = {}
    for rule in rules:
        groups.setdefault((rule.subject, rule.over), []).append(rule)
    return groups


def _with_keys(subject: str, table: DataFrame) -> DataFrame:
    """The table with a text `object` that says which of its kind a row is about, and all keys there."""
    from pyspark.sql import functions as F

    parts = [F.col(name).cast("string") for name in object_columns(subject) if name in table.columns]
    if "object" not in table.columns:
        table = table.withColumn("object", F.concat_ws("/", *parts) if parts else F.lit(None).cast("string"))
    for name, kind in (("system", "string"), ("interval_start", "timestamp"), ("interval_end", "timestamp")):
        if name not in table.columns:
            table = table.withColumn(name, F.lit(None).cast(kind))
    return table


def _joined(frames: Mapping[str, DataFrame], subject: str, rules: Sequence[Rule]) -> DataFrame:
    """The subject's frame with the borrowed columns beside its own, named `subject__column`."""
    from pyspark.sql import functions as F

    frame = frames[subject]
    wanted: dict[str, set[str]] = {}
    for rule in rules:
        for name in (*rule.inputs, *rule.told):
            if "." in name:
                other, column = name.split(".")
                if other in frames and column in frames[other].columns:
                    wanted.setdefault(other, set()).add(column)
    for other, columns in wanted.items():
        keys = joins_of(subject, other)
        right = frames[other].select(
            *(F.col(theirs).alias(f"{other}__key_{index}") for index, (_, theirs) in enumerate(keys)),
            *(F.col(column).alias(f"{other}__{column}") for column in sorted(columns)),
        )
        on = [F.col(ours).eqNullSafe(F.col(f"{other}__key_{index}")) for index, (ours, _) in enumerate(keys)]
        frame = frame.join(right, reduce(lambda one, two: one & two, on), "left")
    return frame


def _with_settings(frame: DataFrame, site: SiteFacts, kind: str | None, rules: Sequence[Rule]) -> DataFrame:
    """The frame with the site's facts that the rules name, as columns `site__name`.

    The nearest fact counts: the object's own, else the queue manager's, else the site's. They come by joins with small
    tables, so that a fact costs the same however many queue managers have one of their own.
    """
    from pyspark.sql import functions as F

    names = sorted({name for rule in rules for name in (*rule.inputs, *rule.told) if name in SETTINGS})
    names = [name for name in names if f"site__{name}" not in frame.columns]
    own = site.objects_of(kind) if kind else []
    places: tuple[tuple[tuple[str, ...], list[tuple[tuple[str, ...], Mapping[str, Any]]]], ...] = (
        (("qmgr", "object"), [((e.qmgr, e.name), e.values) for e in own if e.qmgr]),
        (("object",), [((e.name,), e.values) for e in own if e.qmgr is None]),
        (("qmgr",), [((qmgr,), values) for qmgr, values in site.queue_managers.items()]),
    )
    choices: dict[str, list[Column]] = {name: [] for name in names}
    for number, (keys, entries) in enumerate(places):
        given = [name for name in names if any(name in values for _, values in entries)]
        if not given:
            continue
        right = _small_frame(
            frame.sparkSession,
            {f"key{number}_{key}": ("word", [entry[0][place] for entry in entries]) for place, key in enumerate(keys)}
            | {f"fact{number}_{n}": (SETTINGS[n].kind, [values.get(n) for _, values in entries]) for n in given},
        )
        on = [F.col(key) == F.col(f"key{number}_{key}") for key in keys]
        frame = frame.join(F.broadcast(right), reduce(lambda one, two: one & two, on), "left")
        for name in given:
            choices[name].append(F.col(f"fact{number}_{name}"))
    wanted = {"number": "double", "flag": "boolean", "word": "string"}
    columns = {
        f"site__{name}": F.coalesce(*choices[name], F.lit(site.everywhere.get(name)).cast(wanted[SETTINGS[name].kind]))
        for name in names
    }
    return frame.withColumns(columns) if columns else frame


def _small_frame(spark: SparkSession, columns: Mapping[str, tuple[str, list[Any]]]) -> DataFrame:
    """A table from the driver's own values, by name, kind and list."""
    import pyarrow

    kinds = {"number": pyarrow.float64(), "flag": pyarrow.bool_(), "word": pyarrow.string()}
    arrays = {name: pyarrow.array(values, kinds[kind]) for name, (kind, values) in columns.items()}
    return spark.createDataFrame(pyarrow.table(arrays))


def _site_frames(
    spark: SparkSession, tables: Mapping[str, DataFrame], site: SiteFacts, rules: Sequence[Rule]
) -> dict[str, DataFrame]:
    """A table per kind of object that only the site's facts describe, and one row per queue manager."""
    frames: dict[str, DataFrame] = {}
    for subject, kind in SITE_SUBJECTS.items():
        rows: list[tuple[str | None, str | None]]
        if kind:
            rows = [(each.qmgr, each.name) for each in site.objects_of(kind)]
        else:
            seen = [table.select("qmgr") for table in tables.values() if "qmgr" in table.columns]
            names = set(site.queue_managers)
            together = _union(seen)
            if together:
                names |= {row["qmgr"] for row in together.distinct().collect()}
            rows = [(name, None) for name in sorted(name for name in names if name)]
            if not rows and site.everywhere:
                rows = [(None, None)]
        if not rows:
            continue
        used = {n for r in rules if r.subject == subject for n in (*r.inputs, *r.told) if n in SETTINGS}
        columns: dict[str, tuple[str, list[Any]]] = {
            "qmgr": ("word", [qmgr for qmgr, _ in rows]),
            "object": ("word", [name for _, name in rows]),
        }
        for setting in sorted(used):
            values = [site.value(setting, qmgr, kind or "", name) for qmgr, name in rows]
            columns[f"site__{setting}"] = (SETTINGS[setting].kind, values)
        frames[subject] = _with_keys(subject, _small_frame(spark, columns))
    return frames


@contextmanager
def _lenient_arithmetic(spark: SparkSession) -> Iterator[None]:
    """While the plans are made, a division by zero inside a model is unknown and no error, as in plain values."""
    name = "spark.sql.ansi.enabled"
    before = spark.conf.get(name, "true")
    spark.conf.set(name, "false")
    try:
        yield
    finally:
        spark.conf.set(name, str(before))
