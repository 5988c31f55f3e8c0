"""Take the inputs of a plan from the conformed tables of a site. The only part of the planner that needs Spark."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from libremq.pipeline.planner.plan import Input, Plan, Value
from libremq.pipeline.planner.reading import PlanError, read_value
from libremq.pipeline.rules.expressions import PlainAlgebra, parse, work_out
from libremq.pipeline.storage import Root
from libremq.pipeline.tables.managers import queue_managers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def measured(
    spark: SparkSession, root: Root, plan: Plan, qmgr: str | None = None, leave_out: Collection[str] = ()
) -> dict[str, Value]:
    """The values of inputs that the tables under `root` tell, over all queue managers or one.

    `leave_out` are inputs that are known already. An input of which nothing was recorded is not in the result.
    """
    from libremq.pipeline.tables import conformed

    wanted = [each for each in plan.inputs if each.measured and each.name not in leave_out]
    values: dict[str, Value] = {}
    for name in dict.fromkeys(each.table for each in wanted):
        frame = conformed.table(spark, root, name)
        if qmgr is not None:
            frame = frame.where(frame["qmgr"] == qmgr)
        values |= _aggregated(frame, [each for each in wanted if each.table == name])
    return values


def _aggregated(frame: DataFrame, inputs: Sequence[Input]) -> dict[str, Value]:
    """All that one table tells, in one pass: Spark aggregates, what is done with the aggregates is done here."""
    from pyspark.sql import functions as F

    wanted = dict.fromkeys(call for each in inputs for call in _calls(each))
    columns = [
        F.expr(f"{_SQL[name]}({argument})").cast("double").alias(f"{name} {argument}") for name, argument in wanted
    ]
    (row,) = frame.agg(*columns).collect()
    algebra = _Aggregates({call: row[f"{call[0]} {call[1]}"] for call in wanted})
    found = {each: work_out(parse(each.aggregate).tree, algebra) for each in inputs}
    checked = {each.name: _checked(each, value) for each, value in found.items() if value is not None}
    return {name: value for name, value in checked.items() if value is not None}


_SQL = {"sum": "sum", "mean": "avg", "highest": "max", "lowest": "min"}
_Call = tuple[str, str]
"""An aggregate and what it is of, as text."""


def _calls(each: Input) -> list[_Call]:
    found = [node for node in ast.walk(parse(each.aggregate).tree) if isinstance(node, ast.Call)]
    return [(ast.unparse(node.func), ast.unparse(node.args[0])) for node in found]


class _Aggregates(PlainAlgebra):
    """Arithmetic on aggregates that are known."""

    def __init__(self, known: Mapping[_Call, float | None]) -> None:
        super().__init__({})
        self._known = known

    def aggregate(self, name: str, argument: ast.expr | None) -> float | None:
        assert argument is not None, name
        return self._known[name, ast.unparse(argument)]


def check_root(root: Root, qmgr: str | None = None) -> None:
    """PlanError if there are no conformed tables, or none of that queue manager."""
    names = queue_managers(root)
    if not names:
        raise PlanError(f"{root}: there are no conformed tables; `libremq pipeline ingest` makes them from dumps")
    if qmgr is not None and qmgr not in names:
        raise PlanError(f"{root}: no tables of queue manager {qmgr}; there are {', '.join(names) or 'none'}")


def origin(each: Input, qmgr: str | None) -> str:
    """Where a measured value came from, for people."""
    return f"measured: {each.aggregate} of table {each.table}, {qmgr or 'all queue managers'}"


def _checked(each: Input, value: float) -> Value | None:
    """The value if it can be planned with. One that cannot (0 where nothing happened) is no value, unless needed."""
    try:
        return read_value(each, round(value) if each.whole else value)
    except PlanError as error:
        if each.required:
            raise PlanError(f"measured in table {each.table}: {error}") from error
        return None
