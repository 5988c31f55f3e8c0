"""Evaluate the rules in Spark: one pass per subject and grouping, findings out, and an account of every rule.

All conditions of a subject become columns of one select, so its table is read once however many rules look at it. That
pass counts: on how many rows each rule could judge, and on how many it fired. A second one, which runs when the
findings are read, makes values, evidence and advice, and only for the rules that fired: mostly a few. No rule passes in
silence: `Evaluation.coverage` has one line per rule, with the rows it judged, or the inputs that were missing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from libremq.pipeline.models import sql
from libremq.pipeline.models.sql import Sql
from libremq.pipeline.rules.demands import contrary_of, count_of, demand_of, time_of
from libremq.pipeline.rules.expressions import AGGREGATES, Expression, work_out
from libremq.pipeline.rules.rule import Rule, pieces
from libremq.pipeline.rules.rule_catalogue import RULES, joins_of, object_columns, setting_kind
from libremq.pipeline.rules.rule_columns import SqlAlgebra, aggregated
from libremq.pipeline.rules.settings import SETTINGS, SITE_SUBJECTS
from libremq.pipeline.rules.site_facts import SiteFacts

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row, SparkSession

KEYS = ("system", "qmgr", "interval_start", "interval_end", "object")

_GROUPS: dict[str, tuple[str, ...]] = {
    "interval": ("system", "qmgr", "interval_start", "interval_end"),
    "day": ("system", "qmgr", "day"),
    "queue manager": ("system", "qmgr"),
    "object": ("system", "qmgr", "object"),
    "object and day": ("system", "qmgr", "object", "day"),
}

_DAY = Sql("(CAST(CAST(interval_start AS timestamp) AS double) / 86400.0D)")
_JOBS_AT_ONCE = 2

FINDINGS_SCHEMA = (
    "rule string, severity string, subject string, system string, qmgr string, interval_start timestamp,"
    " interval_end timestamp, object string, value double, threshold double, evidence map<string,string>,"
    " advice string, fact string, source_lines string, derived boolean"
)
COVERAGE_SCHEMA = (
    "rule string, subject string, status string, rows long, rows_judged long, rows_fired long, missing array<string>,"
    " rows_too_little long, rows_contradicted long"
)


@dataclass(frozen=True, slots=True)
class Coverage:
    """What became of one rule."""

    rule: str
    subject: str
    status: str
    """`evaluated`, `too little to judge`, `not evaluated` (for both see `missing`), or `no rows`: its table is there
    and empty."""
    rows: int = 0
    rows_judged: int = 0
    """Rows on which all it needed was known; the others were not judged."""
    rows_fired: int = 0
    missing: tuple[str, ...] = ()
    rows_too_little: int = 0
    """Rows out of which the rule could not speak: too short, too few events, too close to a start."""
    rows_contradicted: int = 0
    """Rows on which it would have fired, had another column not shown the contrary."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    spark: SparkSession
    parts: tuple[DataFrame, ...]
    """The findings by subject and grouping, where there are any."""
    coverage: tuple[Coverage, ...]

    @property
    def findings(self) -> DataFrame:
        """All findings as one table."""
        together = _union(self.parts)
        return self.spark.createDataFrame([], FINDINGS_SCHEMA) if together is None else together

    def collect(self) -> list[Row]:
        """All findings here. By parts: Spark plans many small queries faster than a large one."""
        with ThreadPoolExecutor(_JOBS_AT_ONCE) as pool:
            return [row for rows in pool.map(lambda part: part.collect(), self.parts) for row in rows]

    @property
    def not_evaluated(self) -> tuple[Coverage, ...]:
        return tuple(each for each in self.coverage if each.status != "evaluated")

    def coverage_frame(self) -> DataFrame:
        """The account as a table, to be written beside the findings."""
        rows = [
            (
                *(c.rule, c.subject, c.status, c.rows, c.rows_judged, c.rows_fired, list(c.missing)),
                *(c.rows_too_little, c.rows_contradicted),
            )
            for c in self.coverage
        ]
        return self.spark.createDataFrame(rows, COVERAGE_SCHEMA)

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
    frames = {name: _with_keys(name, table) for name, table in tables.items()}
    frames.update(_site_frames(session, tables, facts, rules))
    missing = {rule.id: missing_inputs(rule, frames, facts) for rule in rules}
    coverage = [Coverage(r.id, r.subject, "not evaluated", missing=missing[r.id]) for r in rules if missing[r.id]]
    judged = [
        _Judged(frames, facts, subject, over, group)
        for (subject, over), group in _groups(rule for rule in rules if not missing[rule.id]).items()
    ]
    coverage += _coverage(judged)
    found = tuple(frame for frame in (each.findings() for each in judged) if frame is not None)
    order = {rule.id: position for position, rule in enumerate(rules)}
    return Evaluation(session, found, tuple(sorted(coverage, key=lambda each: order[each.rule])))


def _coverage(judged: Sequence[_Judged]) -> list[Coverage]:
    """The account of all groups. Each is a small job of its own, two at a time: one plan is made while another runs."""
    with ThreadPoolExecutor(_JOBS_AT_ONCE) as pool:
        return [line for lines in pool.map(_Judged.coverage, judged) for line in lines]


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
    """One subject at one grouping: the rules that look at it, and its rows with what these rules name.

    Everything is text until one select per step is given to Spark: first the rows (or, in a group, the aggregates),
    then values and thresholds, then conditions. Evidence and advice are only made for rules that fired somewhere.
    """

    def __init__(
        self, frames: Mapping[str, DataFrame], site: SiteFacts, subject: str, over: str, rules: Sequence[Rule]
    ) -> None:
        self.rules = rules
        self._subject, self._site, self._over = subject, site, over
        self._frame = _with_settings(_joined(frames, subject, rules), site, setting_kind(subject), rules)
        self._types = dict(self._frame.dtypes)
        self._aggregates: dict[str, str] = {}
        """Columns of the grouped rows by the text of the aggregate."""
        self._fired: tuple[Rule, ...] = ()

    def coverage(self) -> list[Coverage]:
        """For each rule the rows there are, those it judged and those on which it fired; runs a job."""
        figures = ["count(1)"]
        for index in range(len(self.rules)):
            figures += [f"count(fires_{index})", f"count_if(fires_{index})"]
            figures += [f"count_if(apart_{index} = 1)", f"count_if(apart_{index} = 2)"]
        (row,) = self._conditions(self.rules).selectExpr(f"array({', '.join(figures)}) AS figures").collect()
        rows, *rest = row["figures"]
        judged = dict(zip((rule.id for rule in self.rules), zip(rest[::4], rest[1::4], rest[2::4], rest[3::4])))
        self._fired = tuple(rule for rule in self.rules if judged[rule.id][1])
        unknown = self._never_known(
            [rule for rule in self.rules if rows and not judged[rule.id][0] and not judged[rule.id][2]]
        )
        told = []
        for rule in self.rules:
            known, fired, too_little, contradicted = judged[rule.id]
            missing = unknown.get(rule.id, ())
            status = "no rows" if not rows else "evaluated" if known else "not evaluated"
            if rows and not known and too_little:
                status, missing = "too little to judge", (demand_of(rule).words,)
            told.append(Coverage(rule.id, rule.subject, status, rows, known, fired, missing, too_little, contradicted))
        return told

    def findings(self) -> DataFrame | None:
        """The findings of the rules that `coverage` saw firing, None if there were none."""
        if not self._fired:
            return None
        which = ", ".join(f"IF(fires_{index}, {index}, NULL)" for index in range(len(self._fired)))
        fired = self._conditions(self._fired).selectExpr("*", f"explode(array_compact(array({which}))) AS which")
        cases = " ".join(f"WHEN {index} THEN {self._finding(index, rule)}" for index, rule in enumerate(self._fired))
        found = fired.selectExpr(*KEYS, f"CASE which {cases} END AS found").selectExpr(*KEYS, "found.*")
        return found.selectExpr(*(part.split()[0] for part in FINDINGS_SCHEMA.split(", ")))

    def _never_known(self, rules: Sequence[Rule]) -> dict[str, tuple[str, ...]]:
        """Of the rules that judged no row at all: the inputs that no row has."""
        names = sorted({name for rule in rules for name in rule.inputs})
        if not names:
            return {}
        counts = ", ".join(f"count({sql.name(self._flat(name)).text})" for name in names)
        (row,) = self._frame.selectExpr(f"array({counts}) AS known").collect()
        known = dict(zip(names, row["known"]))
        return {
            rule.id: tuple(f"value of {name}" for name in rule.inputs if not known[name])
            or ("values known on the same row",)
            for rule in rules
        }

    def _conditions(self, rules: Sequence[Rule]) -> DataFrame:
        """The rows, or the groups, with value, threshold and verdict of each rule."""
        algebra = SqlAlgebra(self._bound, aggregate=self._aggregated)
        self._aggregates = {}
        figures: list[str] = []
        verdicts: list[str] = []
        for index, rule in enumerate(rules):
            expressions = rule.expressions()
            if "value" in expressions:
                figures.append(f"{_worked(expressions['value'], algebra)} AS value_{index}")
            if rule.id in self._site.thresholds:
                figures.append(f"{sql.lit(self._site.thresholds[rule.id]).text} AS threshold_{index}")
            elif "threshold" in expressions:
                figures.append(f"{_worked(expressions['threshold'], algebra)} AS threshold_{index}")
            verdicts += self._verdict(index, rule)
            if self._over:
                for piece in self._pieces(rule):
                    work_out(piece.tree, algebra)
        return self._rows(rules).selectExpr("*", *figures).selectExpr("*", *verdicts)

    def _verdict(self, index: int, rule: Rule) -> tuple[str, str]:
        """Does it fire (unknown where there is too little to judge), and what else became of the row: 1 too little,
        2 contradicted by another of its columns."""
        algebra = self._of_rule(index)
        fires, apart = _worked(rule.expressions()["when"], algebra), "CAST(NULL AS int)"
        contrary, time, count = contrary_of(rule), time_of(rule), count_of(rule)
        if contrary is not None:
            text = f"coalesce({_worked(contrary, algebra)}, FALSE)"
            apart = f"IF({fires} AND {text}, 2, NULL)"
            fires = f"({fires} AND NOT {text})"
        if count is not None:
            text = f"(coalesce({fires}, TRUE) AND NOT {_worked(count, algebra)})"
            apart, fires = f"IF({text}, 1, {apart})", f"IF({text}, NULL, {fires})"
        if time is not None:
            text = _worked(time, algebra)
            apart, fires = f"IF({text}, {apart}, 1)", f"IF({text}, {fires}, NULL)"
        return f"{fires} AS fires_{index}", f"{apart} AS apart_{index}"

    def _of_rule(self, index: int) -> SqlAlgebra:
        """Names as one rule means them: `value` and `threshold` are its own."""

        def bind(name: str) -> Sql:
            return sql.name(f"{name}_{index}") if name in ("value", "threshold") else self._bound(name)

        return SqlAlgebra(bind, aggregate=self._aggregated)

    def _rows(self, rules: Sequence[Rule]) -> DataFrame:
        """The rows with the columns that the rules name, numbers as doubles; in groups, the aggregates instead."""
        names = sorted(
            {self._flat(name) for rule in rules for name in (*rule.inputs, *rule.told, *rule.weighed)}
            & set(self._types)
        )
        rows = self._frame.selectExpr(*KEYS, *(f"{self._plain(name)} AS {name}" for name in names if name not in KEYS))
        if not self._over:
            return rows
        keys = _GROUPS[self._over]
        facts = [f"any_value({name}) AS {name}" for name in names if name.startswith("site__")]
        made = [f"{text} AS {name}" for text, name in self._aggregates.items()]
        spans = ["min(interval_start) AS interval_start", "max(interval_end) AS interval_end"]
        by_time = rows.selectExpr("*", "to_date(interval_start) AS day")
        grouped = by_time.groupBy(*keys).agg(
            *map(_column, [*(() if "interval_start" in keys else spans), *facts, *made, "count(1) AS rows"])
        )
        return grouped if "object" in keys else grouped.selectExpr("*", "CAST(NULL AS string) AS object")

    def _aggregated(self, name: str, argument: ast.expr | None) -> Sql:
        """The column that holds an aggregate once the rows are grouped."""
        value = None if argument is None else sql.lit(work_out(argument, SqlAlgebra(self._bound)))
        text = aggregated(name, value, _DAY).text
        return sql.name(self._aggregates.setdefault(text, f"aggregate_{len(self._aggregates)}"))

    def _finding(self, index: int, rule: Rule) -> str:
        own = {name: f"try_cast({name}_{index} AS double)" for name in rule.expressions() if name != "when"}
        if rule.id in self._site.thresholds:
            own["threshold"] = f"threshold_{index}"
        parts = {
            "rule": sql.lit(rule.id).text,
            "severity": sql.lit(rule.severity).text,
            "subject": sql.lit(rule.subject).text,
            "value": own.get("value", "CAST(NULL AS double)"),
            "threshold": own.get("threshold", "CAST(NULL AS double)"),
            "evidence": self._evidence(rule),
            "advice": self._advice(index, rule),
            "fact": sql.lit(rule.fact).text,
            "source_lines": sql.lit(rule.lines).text,
            "derived": sql.lit(rule.derived).text,
        }
        return f"named_struct({', '.join(f'{sql.lit(name).text}, {text}' for name, text in parts.items())})"

    def _evidence(self, rule: Rule) -> str:
        shown: dict[str, Sql] = {}
        for name in rule.inputs:
            if not self._over or name in SETTINGS or name in ("qmgr", "object"):
                shown[name] = self._bound(name)
        if self._over:
            algebra = SqlAlgebra(self._bound, aggregate=self._aggregated)
            for node in _aggregate_calls(rule):
                shown[ast.unparse(node)] = work_out(node, algebra)
        pairs = [f"{sql.lit(name).text}, CAST({value.text} AS string)" for name, value in shown.items()]
        return f"CAST(map({', '.join(pairs)}) AS map<string,string>)"

    def _advice(self, index: int, rule: Rule) -> str:
        """The text with the figures in place; what is unknown prints as `null` and is then worded."""
        algebra = self._of_rule(index)
        form, figures = "", []
        for piece in pieces(rule.advice):
            if piece.expression is None:
                form += piece.text.replace("%", "%%")
            elif self._can_tell(piece.expression):
                form += f"%{piece.form}" if piece.form else "%s"
                figures.append(sql.cast(work_out(piece.expression.tree, algebra), "double" if piece.form else "string"))
            else:
                form += "unknown"
        return sql.called("regexp_replace", sql.called("format_string", form, *figures), r"\bnull\b", "unknown").text

    def _pieces(self, rule: Rule) -> list[Expression]:
        """The expressions in the advice that can be worked out here."""
        told = [piece.expression for piece in pieces(rule.advice) if piece.expression is not None]
        return [expression for expression in told if self._can_tell(expression)]

    def _can_tell(self, expression: Expression) -> bool:
        return all(name in ("value", "threshold") or self._flat(name) in self._types for name in expression.names)

    def _flat(self, name: str) -> str:
        return f"site__{name}" if name in SETTINGS else name.replace(".", "__")

    def _bound(self, name: str) -> Sql:
        """A name of an expression as a column; what the table does not have is unknown."""
        flat = self._flat(name)
        if name in ("value", "threshold"):
            return sql.name(name)
        if flat not in self._types:
            return Sql("NULL")
        return Sql(self._plain(flat)) if flat in KEYS else sql.name(flat)

    def _plain(self, column: str) -> str:
        """A column as words, a flag or a double."""
        named = sql.name(column)
        return named.text if self._types[column] in ("string", "boolean") else sql.cast(named, "double").text


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
    always = (
        *(("system", "string"), ("interval_start", "timestamp"), ("interval_end", "timestamp")),
        *(("interval_seconds", "double"), ("interval_kind", "string"), ("seconds_since_start", "double")),
    )
    for name, kind in always:
        if name not in table.columns:
            table = table.withColumn(name, F.lit(None).cast(kind))
    return table


def _joined(frames: Mapping[str, DataFrame], subject: str, rules: Sequence[Rule]) -> DataFrame:
    """The subject's frame with the borrowed columns beside its own, named `subject__column`."""
    from pyspark.sql import functions as F

    frame = frames[subject]
    wanted: dict[str, set[str]] = {}
    for rule in rules:
        for name in (*rule.inputs, *rule.told, *rule.weighed):
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

    names = sorted({name for rule in rules for name in (*rule.inputs, *rule.told, *rule.weighed) if name in SETTINGS})
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
    about = {rule.subject for rule in rules}
    for subject, kind in SITE_SUBJECTS.items():
        if subject not in about:
            continue
        rows: list[tuple[str | None, str | None]]
        if kind:
            rows = [(each.qmgr, each.name) for each in site.objects_of(kind)]
        else:
            names = set(site.queue_managers) | _queue_managers(tables)
            rows = [(name, None) for name in sorted(name for name in names if name)]
            if not rows and site.everywhere:
                rows = [(None, None)]
        if not rows:
            continue
        used = {n for r in rules if r.subject == subject for n in (*r.inputs, *r.told, *r.weighed) if n in SETTINGS}
        columns: dict[str, tuple[str, list[Any]]] = {
            "qmgr": ("word", [qmgr for qmgr, _ in rows]),
            "object": ("word", [name for _, name in rows]),
        }
        for setting in sorted(used):
            values = [site.value(setting, qmgr, kind or "", name) for qmgr, name in rows]
            columns[f"site__{setting}"] = (SETTINGS[setting].kind, values)
        # In one part, and thereby no longer values that the optimizer knows: it would evaluate the rules on them while
        # it plans, once in each round.
        frames[subject] = _with_keys(subject, _small_frame(spark, columns).coalesce(1))
    return frames


def _queue_managers(tables: Mapping[str, DataFrame]) -> set[str]:
    """The names in the tables; mostly one table, which has a row for every interval, tells them all."""
    overview = [tables["queue_manager_interval"]] if "queue_manager_interval" in tables else []
    for looked_at in (overview, list(tables.values())):
        together = _union([table.select("qmgr") for table in looked_at if "qmgr" in table.columns])
        names = {row["qmgr"] for row in together.distinct().collect()} if together is not None else set()
        if names:
            return names
    return set()


def _column(text: str) -> Column:
    from pyspark.sql import functions as F

    return F.expr(text)


def _worked(expression: Expression, algebra: SqlAlgebra) -> str:
    return sql.lit(work_out(expression.tree, algebra)).text
