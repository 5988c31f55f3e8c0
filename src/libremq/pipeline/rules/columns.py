"""Expressions as Spark columns: the other half of `expressions`, with the same rules for what is unknown."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from libremq.pipeline.rules.expressions import work_out


class ColumnAlgebra:
    """Columns of a frame; names come through `bind`, already cast to double, text or flag.

    Inside an aggregate names come through `of_row`: there a fact of the site is that of the row.
    """

    def __init__(
        self,
        bind: Callable[[str], Column],
        day: Column | None = None,
        of_row: Callable[[str], Column] | None = None,
    ) -> None:
        self._bind = bind
        self._day = day
        self._of_row = of_row or bind

    def constant(self, value: Any) -> Column:
        return F.lit(float(value)) if isinstance(value, int) and not isinstance(value, bool) else F.lit(value)

    def name(self, name: str) -> Column:
        return self._bind(name)

    def arithmetic(self, operator: str, one: Column, other: Column) -> Column:
        match operator:
            case "+":
                return one + other
            case "-":
                return one - other
            case "*":
                return one * other
            case "/":
                return F.try_divide(one, other)
            case _:
                return F.try_mod(one, other)

    def compare(self, operator: str, one: Column, other: Column) -> Column:
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

    def among(self, value: Column, choices: Sequence[Any]) -> Column:
        return value.isin([float(c) if isinstance(c, int) and not isinstance(c, bool) else c for c in choices])

    def every(self, parts: Sequence[Column]) -> Column:
        answer = parts[0]
        for part in parts[1:]:
            answer = answer & part
        return answer

    def some(self, parts: Sequence[Column]) -> Column:
        answer = parts[0]
        for part in parts[1:]:
            answer = answer | part
        return answer

    def opposite(self, value: Column) -> Column:
        return ~value

    def chosen(self, condition: Column, then: Column, otherwise: Column) -> Column:
        return F.when(condition, then).otherwise(otherwise)

    def function(self, name: str, arguments: Sequence[Column]) -> Column:
        first = arguments[0]
        match name:
            case "known":
                return self.every([argument.isNotNull() for argument in arguments])
            case "either":
                return F.coalesce(*arguments)
            case "min" | "max":
                return self._of_all(F.least(*arguments) if name == "min" else F.greatest(*arguments), arguments)
            case "abs":
                return F.abs(first)
            case "ceil":
                return F.ceil(first).cast("double")
            case _:
                return F.floor(first).cast("double")

    def matching(self, value: Column, pattern: str) -> Column:
        """Does the text look like a shell pattern?"""
        parts = re.split(r"([*?])", pattern)
        wanted = "".join({"*": ".*", "?": "."}.get(part, re.escape(part)) for part in parts)
        return value.rlike(f"^{wanted}$")

    def _of_all(self, value: Column, arguments: Sequence[Column]) -> Column:
        # Spark's greatest and least pass over what is unknown; here one unknown makes the answer unknown.
        return F.when(self.every([argument.isNotNull() for argument in arguments]), value) if arguments else value

    def model(self, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Column:
        from libremq.pipeline.rules.models import known_models

        result = known_models()[name].function(*arguments, **keywords)
        column = self.constant(result) if isinstance(result, (int, float)) else result
        given = [*arguments, *keywords.values()]
        return self._of_all(column, given)

    def aggregate(self, name: str, argument: ast.expr | None) -> Column:
        if argument is None:
            return F.count(F.lit(1)).cast("double")
        value = work_out(argument, ColumnAlgebra(self._of_row))
        match name:
            case "count":
                return F.count_if(value).cast("double")
            case "share":
                return F.avg(F.when(value, 1.0).when(~value, 0.0))
            case "sum":
                return F.sum(value)
            case "mean":
                return F.avg(value)
            case "highest":
                return F.max(value)
            case "lowest":
                return F.min(value)
            case "distinct":
                return F.count_distinct(value).cast("double")
        assert self._day is not None, "an aggregate by time needs the time"
        match name:
            case "first":
                return F.min_by(value, F.when(value.isNotNull(), self._day))
            case "last":
                return F.max_by(value, F.when(value.isNotNull(), self._day))
            case _:
                return F.regr_slope(value, self._day)
