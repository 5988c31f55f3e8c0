"""Arithmetic that works on a number and on a Spark column alike.

The models are written once. Plus, times and comparisons are the same for both; what Python spells as a function (the
larger of two, rounding up, a choice) is spelled here, and looks at what it is given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

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
    """Is one of them a column? Without PySpark there are none."""
    return any(hasattr(value, "isNotNull") for value in values)


def larger(one: Any, other: Any) -> Any:
    """The larger one; unknown where one of them is."""
    if is_column(one, other):
        from pyspark.sql import functions as F

        return _where_known(F.greatest(_column(one), _column(other)), one, other)
    return max(one, other)


def smaller(one: Any, other: Any) -> Any:
    """The smaller one; unknown where one of them is."""
    if is_column(one, other):
        from pyspark.sql import functions as F

        return _where_known(F.least(_column(one), _column(other)), one, other)
    return min(one, other)


def rounded_up(value: Any) -> Any:
    """The next whole number; of nothing, nothing, as in a column."""
    if is_column(value):
        from pyspark.sql import functions as F

        return F.ceil(value)
    return None if value is None else math.ceil(value)


def rounded_down(value: Any) -> Any:
    """The whole number below; of nothing, nothing, as in a column."""
    if is_column(value):
        from pyspark.sql import functions as F

        return F.floor(value)
    return None if value is None else math.floor(value)


def chosen(condition: Any, then: Quantity, otherwise: Quantity) -> Any:
    """`then` where the condition holds, `otherwise` where it does not; unknown where nobody can say."""
    if is_column(condition):
        from pyspark.sql import functions as F

        return F.when(condition, _column(then)).when(~condition, _column(otherwise))
    return then if condition else otherwise


def ratio(part: Quantity, whole: Quantity) -> Any:
    """Part of the whole; None where the whole is nothing: no share can be told of it."""
    if is_column(part, whole):
        from pyspark.sql import functions as F

        return F.when(_column(whole) != 0, _column(part) / _column(whole))
    return part / whole if whole else None


def worded(condition: Any, then: Any, otherwise: Any) -> Any:
    """`chosen` for answers that are words or nothing (None)."""
    return chosen(condition, then, otherwise)


def looked_up(key: Any, table: Mapping[str, Any] | Mapping[int, Any]) -> Any:
    """What the table has for the key; None for a key that it lacks."""
    if is_column(key):
        from pyspark.sql import functions as F

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
        from pyspark.sql import functions as F

        return F.when(_column(condition), _column(value))
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
    from pyspark.sql import functions as F

    return F.when(_column(one).isNotNull() & _column(other).isNotNull(), answer)


def _column(value: Quantity) -> Any:
    if is_column(value):
        return value
    from pyspark.sql import functions as F

    return F.lit(value)
