"""Arithmetic that works on a number and on a Spark column alike, be the column an object of PySpark or SQL text.

The models are written once. Plus, times and comparisons are the same for all; what Python spells as a function (the
larger of two, rounding up, a choice) is spelled here, and looks at what it is given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from libremq.pipeline.models import sql

if TYPE_CHECKING:
    from pyspark.sql import Column

    Quantity: TypeAlias = float | Column
    Flag: TypeAlias = bool | Column
    Word: TypeAlias = str | Column
else:
    Quantity: TypeAlias = Any
    Flag: TypeAlias = Any
    Word: TypeAlias = Any


def is_column(*values: object) -> bool:
    """Is one of them a column or the SQL text of one?"""
    return any(hasattr(value, "isNotNull") for value in values)


def _functions(*values: object) -> Any:
    """What makes columns of the kind that is among the values."""
    if any(isinstance(value, sql.Sql) for value in values):
        return sql
    from pyspark.sql import functions

    return functions


def larger(one: Any, other: Any) -> Any:
    """The larger one; unknown where one of them is."""
    if is_column(one, other):
        F = _functions(one, other)
        return _where_known(F.greatest(F.lit(one), F.lit(other)), one, other)
    return max(one, other)


def smaller(one: Any, other: Any) -> Any:
    """The smaller one; unknown where one of them is."""
    if is_column(one, other):
        F = _functions(one, other)
        return _where_known(F.least(F.lit(one), F.lit(other)), one, other)
    return min(one, other)


def rounded_up(value: Any) -> Any:
    """The next whole number; of nothing, nothing, as in a column."""
    if is_column(value):
        return _functions(value).ceil(value)
    return None if value is None else math.ceil(value)


def rounded_down(value: Any) -> Any:
    """The whole number below; of nothing, nothing, as in a column."""
    if is_column(value):
        return _functions(value).floor(value)
    return None if value is None else math.floor(value)


def chosen(condition: Any, then: Quantity, otherwise: Quantity) -> Any:
    """`then` where the condition holds, `otherwise` where it does not; unknown where nobody can say."""
    if is_column(condition):
        F = _functions(condition)
        return F.when(condition, F.lit(then)).when(~condition, F.lit(otherwise))
    return then if condition else otherwise


def ratio(part: Quantity, whole: Quantity) -> Any:
    """Part of the whole; None where the whole is nothing: no share can be told of it."""
    if is_column(part, whole):
        F = _functions(part, whole)
        return F.when(F.lit(whole) != 0, F.lit(part) / F.lit(whole))
    return part / whole if whole else None


def worded(condition: Any, then: Any, otherwise: Any) -> Any:
    """`chosen` for answers that are words or nothing (None)."""
    return chosen(condition, then, otherwise)


def looked_up(key: Any, table: Mapping[str, Any] | Mapping[int, Any]) -> Any:
    """What the table has for the key; None for a key that it lacks."""
    if is_column(key):
        F = _functions(key)
        found = F.lit(None)
        for name, value in table.items():
            found = F.when(key == F.lit(name), F.lit(value)).otherwise(found)
        return found
    return dict(table).get(key)


def scaled(value: Quantity, factor: Any) -> Any:
    """The value times a factor that may be unknown (None), as a look-up gives it."""
    return None if factor is None else value * factor


def known_where(condition: Any, value: Quantity) -> Any:
    """The value where the condition holds, else None: what nobody measured is not guessed."""
    if is_column(condition, value):
        F = _functions(condition, value)
        return F.when(F.lit(condition), F.lit(value))
    return value if condition else None


def interpolated(
    value: Quantity, points: Sequence[tuple[float, float]], *, level_below: bool = False, level_above: bool = False
) -> Any:
    """On the straight lines through the measured points (at least two, ascending).

    Outside them the outermost lines go on, or, on the side that is said to be level, the outermost value stays.
    """
    assert len(points) > 1, points
    answer: Any = None
    for (left, below), (right, above) in reversed(list(pairwise(points))):
        line = below + (value - left) * ((above - below) / (right - left))
        answer = line if answer is None else chosen(value <= right, line, answer)
    if level_below:
        answer = chosen(value < points[0][0], points[0][1], answer)
    if level_above:
        answer = chosen(value > points[-1][0], points[-1][1], answer)
    return answer


def _where_known(answer: Any, one: Any, other: Any) -> Any:
    """Spark's `greatest` and `least` leave nulls out; an answer from half of the figures would be a wrong one."""
    F = _functions(one, other)
    doubtful = [F.lit(value).isNotNull() for value in (one, other) if value is None or is_column(value)]
    return F.when(reduce(lambda left, right: left & right, doubtful), answer)
