"""What a question takes from tables: inputs by aggregates over them, and rows to show. One Spark job each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from libremq.pipeline.models import sql
from libremq.pipeline.models.sql import Sql
from libremq.pipeline.questions.answer import Measured, Shown, Used
from libremq.pipeline.questions.question import Rows
from libremq.pipeline.questions.question_inputs import INPUTS
from libremq.pipeline.rules.expressions import parse, work_out
from libremq.pipeline.rules.rule_columns import SqlAlgebra

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Frames = Mapping[str, "DataFrame"]

_ROWS, _MANAGERS, _START, _END = "rows", "queue managers", "start", "end"
_DAY = Sql("(CAST(CAST(interval_start AS timestamp) AS double) / 86400.0D)")


def measured_inputs(names: Sequence[str], frames: Frames) -> tuple[dict[str, Used], dict[str, Measured]]:
    """The inputs that the tables tell, and what these tables hold."""
    by_table: dict[str, list[str]] = {}
    for name in names:
        frame = frames.get(INPUTS[name].table)
        if frame is not None and set(parse(INPUTS[name].expression).names) <= set(frame.columns):
            by_table.setdefault(INPUTS[name].table, []).append(name)
    if not by_table:
        return {}, {}
    parts = [_aggregates(table, wanted, frames[table]) for table, wanted in by_table.items()]
    union = parts[0]
    for part in parts[1:]:
        union = union.union(part)
    used: dict[str, Used] = {}
    held: dict[str, Measured] = {}
    for row in union.collect():
        table, found = row["table"], row["figures"]
        start, end = (_moment(found.pop(name)) for name in (_START, _END))
        held[table] = Measured(int(found.pop(_ROWS)), int(found.pop(_MANAGERS)), start, end)
        used |= {name: Used(value, table) for name, value in found.items() if value is not None}
    return used, held


def shown_rows(asked: Rows, frames: Frames) -> Shown:
    """The rows asked for; none, and not there, without the table or one of the columns."""
    frame = frames.get(asked.table)
    texts = [*asked.expressions().values(), asked.order, *([asked.where] if asked.where else [])]
    if frame is None or not {name for text in texts for name in parse(text).names} <= set(frame.columns):
        return Shown(asked, there=False)
    from pyspark.sql import functions as F

    kinds = dict(frame.dtypes)
    if asked.where:
        frame = frame.where(_sql(asked.where, kinds))
    told = {name: text for name, text in asked.expressions().items() if name not in asked.by}
    # A bare column keeps its type: a time stays a time.
    columns = [f"{text if text in kinds else _sql(text, kinds)} AS {name}" for name, text in told.items()]
    columns.append(f"{_sql(asked.order, kinds)} AS order__")
    if asked.by:
        listed = frame.groupBy(*asked.by).agg(*(F.expr(column) for column in columns))
    else:
        listed = frame.selectExpr(*columns)
    best = listed.orderBy(F.desc_nulls_last("order__"), *asked.by).limit(asked.limit)
    return Shown(asked, True, tuple(row.asDict() for row in best.select(*asked.expressions()).collect()))


def _aggregates(table: str, names: Sequence[str], frame: DataFrame) -> DataFrame:
    kinds = dict(frame.dtypes)
    figures = {
        _ROWS: "count(1)",
        _MANAGERS: "count(DISTINCT qmgr)",
        _START: _span("min", "interval_start", kinds),
        _END: _span("max", "interval_end", kinds),
    }
    figures |= {name: _sql(INPUTS[name].expression, kinds) for name in names}
    pairs = ", ".join(f"'{name}', CAST({text} AS double)" for name, text in figures.items())
    return frame.selectExpr(f"'{table}' AS table", f"map({pairs}) AS figures")


def _span(function: str, name: str, kinds: Mapping[str, str]) -> str:
    return f"{function}(CAST(CAST({name} AS timestamp) AS double))" if name in kinds else "NULL"


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _sql(text: str, kinds: Mapping[str, str]) -> str:
    """An expression over the columns of a table as Spark's SQL; numbers are worked with as doubles."""

    def bind(name: str) -> Sql:
        named = sql.name(name)
        return named if kinds[name] in ("string", "boolean") else sql.cast(named, "double")

    return sql.lit(work_out(parse(text).tree, SqlAlgebra(bind, _DAY))).text
