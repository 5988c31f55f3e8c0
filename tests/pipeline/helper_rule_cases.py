"""The cases of all rules as tables and site facts: each case is a queue manager of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from libremq.pipeline.rules.rule import Rule
from libremq.pipeline.rules.rule_catalogue import OBJECT_OF, joins_of
from libremq.pipeline.rules.settings import SETTINGS, SITE_SUBJECTS
from libremq.pipeline.rules.site_facts import SiteFacts
from libremq.pipeline.tables.subjects import SUBJECTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

START = datetime(2024, 5, 6, tzinfo=UTC)
KEYS = ("system", "qmgr", "interval_start", "interval_end")
JOIN_KEYS = {"buffer_pool", "task", "accounting_start", "accounting_end"}


@dataclass
class Cases:
    """Tables by subject, facts, and which queue manager stands for which case."""

    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    queue_managers: dict[str, dict[str, Any]] = field(default_factory=dict)
    objects: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    expected: dict[str, tuple[str, bool]] = field(default_factory=dict)

    @classmethod
    def of(cls, rules: Sequence[Rule]) -> Cases:
        cases = cls()
        for number, rule in enumerate(rules):
            cases._add(rule, f"F{number}", True)
            cases._add(rule, f"Q{number}", False)
        return cases

    def _add(self, rule: Rule, qmgr: str, fires: bool) -> None:
        self.expected[qmgr] = (rule.id, fires)
        case = rule.fires if fires else rule.quiet
        rows: Sequence[Mapping[str, Any]] = case if isinstance(case, tuple) else (case,)
        facts = {name: value for name, value in rows[0].items() if name in SETTINGS and value is not None}
        self.queue_managers[qmgr] = facts
        if rule.subject in SITE_SUBJECTS:
            kind = OBJECT_OF.get(rule.subject)
            if kind:
                del self.queue_managers[qmgr]
                name = rows[0].get("object", qmgr)
                self.objects.setdefault(kind, []).append({"qmgr": qmgr, "name": name, **facts})
            return
        for row, moment in zip(rows, _moments(rule)):
            keys = {"system": "SYS1", "qmgr": qmgr, "interval_start": moment}
            keys["interval_end"] = moment + timedelta(minutes=30)
            own = {name: value for name, value in row.items() if "." not in name and name not in SETTINGS}
            self.tables.setdefault(rule.subject, []).append({**keys, **own})
            for name, value in row.items():
                if "." in name:
                    other, column = name.split(".")
                    row_there = self._row(other, keys)
                    row_there[column] = value
                    for ours, theirs in joins_of(rule.subject, other):
                        if ours not in keys:
                            row_there.setdefault(theirs, own.get(ours))

    def _row(self, subject: str, keys: Mapping[str, Any]) -> dict[str, Any]:
        rows = self.tables.setdefault(subject, [])
        for row in rows:
            if all(row[name] == keys[name] for name in KEYS):
                return row
        rows.append(dict(keys))
        return rows[-1]

    def facts(self) -> SiteFacts:
        return SiteFacts.of({"queue_managers": self.queue_managers, "objects": self.objects})

    def frames(self, spark: SparkSession) -> dict[str, DataFrame]:
        return {subject: _frame(spark, subject, rows) for subject, rows in self.tables.items()}


def _moments(rule: Rule) -> Iterator[datetime]:
    step = {"interval": timedelta(0), "day": timedelta(minutes=10), "object and day": timedelta(minutes=10)}
    for number in range(1000):
        yield START + number * step.get(rule.over, timedelta(days=1))


def _frame(spark: SparkSession, subject: str, rows: Sequence[Mapping[str, Any]]) -> DataFrame:
    import pyarrow

    wanted = {name for row in rows for name in row} | JOIN_KEYS
    columns = [column for column in SUBJECTS[subject].all_columns if column.name in wanted]
    kinds = {"string": pyarrow.string(), "boolean": pyarrow.bool_(), "double": pyarrow.float64()}
    arrays = {}
    for column in columns:
        values = [_typed(column.type, row.get(column.name)) for row in rows]
        moment = pyarrow.timestamp("us", "UTC") if column.type == "timestamp" else pyarrow.int64()
        arrays[column.name] = pyarrow.array(values, kinds.get(column.type, moment))
    return spark.createDataFrame(pyarrow.table(arrays))


def _typed(kind: str, value: Any) -> Any:
    if value is None or kind in ("string", "boolean"):
        return value
    if kind == "timestamp":
        return value if isinstance(value, datetime) else START + timedelta(seconds=value)
    return float(value) if kind == "double" else int(value)
