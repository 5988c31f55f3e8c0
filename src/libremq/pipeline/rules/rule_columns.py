"""Expressions as Spark's SQL: the other half of `expressions`, with the same rules for what is unknown."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from libremq.pipeline.models import sql
from libremq.pipeline.models.sql import Sql
from libremq.pipeline.rules.expressions import PlainAlgebra, work_out

Aggregate = Callable[[str, ast.expr | None], Sql]


class SqlAlgebra:
    """Columns of a frame; names come through `bind`, numbers as doubles.

    `aggregate` says what stands for an aggregate; by default its own text over the rows of a group. Constants stay
    values of Python as long as they can, so that models of nothing but constants are worked out here.
    """

    def __init__(self, bind: Callable[[str], Sql], day: Sql | None = None, aggregate: Aggregate | None = None) -> None:
        self._bind = bind
        self._day = day
        self._aggregate = aggregate
        self._plain = PlainAlgebra({})

    def constant(self, value: Any) -> Any:
        return value

    def name(self, name: str) -> Sql:
        return self._bind(name)

    def arithmetic(self, operator: str, one: Any, other: Any) -> Any:
        if not _is_sql(one, other):
            return self._plain.arithmetic(operator, one, other)
        match operator:
            case "+":
                return one + other
            case "-":
                return one - other
            case "*":
                return one * other
            case "/":
                return one / other
            case _:
                return one % other

    def compare(self, operator: str, one: Any, other: Any) -> Any:
        if not _is_sql(one, other):
            return self._plain.compare(operator, one, other)
        one = sql.lit(one)
        match operator:
            case "<":
                return one < other
            case "<=":
                return one <= other
            case ">":
                return one > other
            case ">=":
                return one >= other
            case "==":
                return one == other
            case _:
                return one != other

    def among(self, value: Any, choices: Sequence[Any]) -> Sql:
        return sql.lit(value).isin(choices)

    def every(self, parts: Sequence[Any]) -> Sql:
        return Sql(f"({' AND '.join(sql.lit(part).text for part in parts)})")

    def some(self, parts: Sequence[Any]) -> Sql:
        return Sql(f"({' OR '.join(sql.lit(part).text for part in parts)})")

    def opposite(self, value: Any) -> Sql:
        return ~sql.lit(value)

    def chosen(self, condition: Any, then: Any, otherwise: Any) -> Sql:
        return sql.when(condition, then).otherwise(otherwise)

    def matching(self, value: Any, pattern: str) -> Sql:
        """Does the text look like a shell pattern?"""
        parts = re.split(r"([*?])", pattern)
        wanted = "".join({"*": ".*", "?": "."}.get(part, re.escape(part)) for part in parts)
        return sql.called("rlike", value, f"^{wanted}$")

    def function(self, name: str, arguments: Sequence[Any]) -> Any:
        match name:
            case "known":
                return self.every([sql.lit(argument).isNotNull() for argument in arguments])
            case "either":
                return sql.called("coalesce", *arguments)
        if not _is_sql(*arguments):
            return self._plain.function(name, arguments)
        match name:
            case "min" | "max":
                return self._of_all(sql.called("least" if name == "min" else "greatest", *arguments), arguments)
            case "abs":
                return sql.called("abs", arguments[0])
            case "ceil":
                return sql.ceil(arguments[0])
            case _:
                return sql.floor(arguments[0])

    def _of_all(self, value: Any, arguments: Sequence[Any]) -> Any:
        # Spark's greatest and least pass over what is unknown; here one unknown makes the answer unknown.
        texts = [argument.text for argument in arguments if isinstance(argument, Sql)]
        if any(argument is None for argument in arguments):
            return None
        return sql.when(self.every([Sql(text).isNotNull() for text in dict.fromkeys(texts)]), value) if texts else value

    def model(self, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        from libremq.pipeline.models.loaded_models import known_models

        given = [*arguments, *keywords.values()]
        if not _is_sql(*given):
            return self._plain.model(name, arguments, keywords)
        return self._of_all(known_models()[name].function(*arguments, **keywords), given)

    def aggregate(self, name: str, argument: ast.expr | None) -> Sql:
        if self._aggregate is not None:
            return self._aggregate(name, argument)
        value = None if argument is None else sql.lit(work_out(argument, SqlAlgebra(self._bind)))
        return aggregated(name, value, self._day)


def aggregated(name: str, value: Sql | None, day: Sql | None) -> Sql:
    """An aggregate over the rows of a group; `day` is their time in days."""
    if value is None:
        counted = "count(1)" if name == "count" or day is None else f"count(DISTINCT floor({day.text}))"
        return sql.cast(Sql(counted), "double")
    match name:
        case "count":
            return sql.cast(sql.called("count_if", value), "double")
        case "share":
            return sql.called("avg", sql.when(value, 1.0).when(~value, 0.0))
        case "sum":
            return sql.called("sum", value)
        case "mean":
            return sql.called("avg", value)
        case "highest":
            return sql.called("max", value)
        case "lowest":
            return sql.called("min", value)
        case "distinct":
            return sql.cast(Sql(f"count(DISTINCT {value.text})"), "double")
    assert day is not None, "an aggregate by time needs the time"
    match name:
        case "first":
            return sql.called("min_by", value, sql.when(value.isNotNull(), day))
        case "last":
            return sql.called("max_by", value, sql.when(value.isNotNull(), day))
        case _:
            return sql.called("regr_slope", value, day)


def _is_sql(*values: Any) -> bool:
    return any(isinstance(value, Sql) for value in values)
