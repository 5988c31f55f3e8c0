"""A formula as SQL text: what the models need of a Spark column, without a call to Java for each operation.

A rule's condition has dozens of operations, and there are hundreds of rules: building them as columns takes longer than
evaluating them. `Sql` has the operators of a column and writes text; Spark parses a whole select at once. What is
unknown stays unknown (NULL), a division by zero is unknown, and numbers are doubles.

    >>> (Sql("`put_mb`") / 60 > 1.5).text
    '(try_divide(`put_mb`, 60.0D) > 1.5D)'
"""

from __future__ import annotations

import math
from collections.abc import Sequence


class Sql:
    """An expression of Spark's SQL."""

    __slots__ = ("text",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"Sql({self.text!r})"

    def __bool__(self) -> bool:
        raise TypeError(f"{self.text} is known row by row: a model must choose with `chosen`, not with `if`")

    def __add__(self, other: object) -> Sql:
        return _infix(self, "+", other)

    def __radd__(self, other: object) -> Sql:
        return _infix(other, "+", self)

    def __sub__(self, other: object) -> Sql:
        return _infix(self, "-", other)

    def __rsub__(self, other: object) -> Sql:
        return _infix(other, "-", self)

    def __mul__(self, other: object) -> Sql:
        return _infix(self, "*", other)

    def __rmul__(self, other: object) -> Sql:
        return _infix(other, "*", self)

    def __truediv__(self, other: object) -> Sql:
        return called("try_divide", self, other)

    def __rtruediv__(self, other: object) -> Sql:
        return called("try_divide", other, self)

    def __mod__(self, other: object) -> Sql:
        return called("try_mod", self, other)

    def __rmod__(self, other: object) -> Sql:
        return called("try_mod", other, self)

    def __neg__(self) -> Sql:
        return Sql(f"(- {self.text})")

    def __lt__(self, other: object) -> Sql:
        return _infix(self, "<", other)

    def __le__(self, other: object) -> Sql:
        return _infix(self, "<=", other)

    def __gt__(self, other: object) -> Sql:
        return _infix(self, ">", other)

    def __ge__(self, other: object) -> Sql:
        return _infix(self, ">=", other)

    def __eq__(self, other: object) -> Sql:  # type: ignore[override]
        return _infix(self, "=", other)

    def __ne__(self, other: object) -> Sql:  # type: ignore[override]
        return _infix(self, "<>", other)

    def __and__(self, other: object) -> Sql:
        return _infix(self, "AND", other)

    def __rand__(self, other: object) -> Sql:
        return _infix(other, "AND", self)

    def __or__(self, other: object) -> Sql:
        return _infix(self, "OR", other)

    def __ror__(self, other: object) -> Sql:
        return _infix(other, "OR", self)

    def __invert__(self) -> Sql:
        return Sql(f"(NOT {self.text})")

    def isNotNull(self) -> Sql:
        """Named as in a column: by this name the models tell a column."""
        return Sql(f"({self.text} IS NOT NULL)")

    def isin(self, choices: Sequence[object]) -> Sql:
        return Sql(f"({self.text} IN ({', '.join(lit(each).text for each in choices)}))")

    def otherwise(self, value: object) -> Sql:
        """The rest of a choice that `when` began."""
        return Sql(f"{self.text.removesuffix(' END')} ELSE {lit(value).text} END")

    def when(self, condition: object, value: object) -> Sql:
        """One more case of a choice that `when` began."""
        return Sql(f"{self.text.removesuffix(' END')} WHEN {lit(condition).text} THEN {lit(value).text} END")


def lit(value: object) -> Sql:
    """A value of Python as SQL; SQL as it is.

    >>> lit("Queue manager's").text
    "'Queue manager\\\\'s'"
    """
    match value:
        case Sql():
            return value
        case None:
            return Sql("NULL")
        case bool():
            return Sql("TRUE" if value else "FALSE")
        case int() | float():
            assert math.isfinite(value), value
            return Sql(f"{float(value)!r}D" if value >= 0 else f"({float(value)!r}D)")
        case str():
            escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
            return Sql(f"'{escaped}'")
    raise TypeError(f"{value!r} has no place in SQL")


def name(column: str) -> Sql:
    """A column."""
    return Sql(f"`{column.replace('`', '``')}`")


def called(function: str, *arguments: object) -> Sql:
    """A function of Spark's SQL."""
    return Sql(f"{function}({', '.join(lit(each).text for each in arguments)})")


def cast(value: object, kind: str) -> Sql:
    """As that type; unknown where it cannot be."""
    return Sql(f"try_cast({lit(value).text} AS {kind})")


def when(condition: object, value: object) -> Sql:
    """The value where the condition holds, else unknown; `when` and `otherwise` of the result go on."""
    return Sql(f"CASE WHEN {lit(condition).text} THEN {lit(value).text} END")


def greatest(*values: object) -> Sql:
    return called("greatest", *values)


def least(*values: object) -> Sql:
    return called("least", *values)


def ceil(value: object) -> Sql:
    return cast(called("ceil", value), "double")


def floor(value: object) -> Sql:
    return cast(called("floor", value), "double")


def _infix(one: object, operator: str, other: object) -> Sql:
    return Sql(f"({lit(one).text} {operator} {lit(other).text})")
